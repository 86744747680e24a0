"""Everything that is said of a real-time endpoint."""
