"""Everything that is said of an endpoint in any mode."""
