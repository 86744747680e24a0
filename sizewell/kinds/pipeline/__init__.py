"""Everything that is said of a pipeline."""
