"""Everything that is said of a model whose tasks work off a queue."""
