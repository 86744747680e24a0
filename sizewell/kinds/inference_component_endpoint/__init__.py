"""Everything that is said of an endpoint of inference components."""
