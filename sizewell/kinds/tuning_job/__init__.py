"""Everything that is said of a tuning job."""
