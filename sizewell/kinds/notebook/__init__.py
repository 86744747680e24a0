"""Everything that is said of a notebook."""
