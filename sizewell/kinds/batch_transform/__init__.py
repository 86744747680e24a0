"""Everything that is said of a batch transform."""
