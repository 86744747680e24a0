"""What AWS publishes today of prices, offers and instance types, as tables of the catalog. The one place that asks AWS for it."""
