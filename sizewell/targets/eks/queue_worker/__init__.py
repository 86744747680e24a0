"""Everything that is said of a model whose pods work off a queue."""
