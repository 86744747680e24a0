"""Everything that is said of a multi-model endpoint."""
