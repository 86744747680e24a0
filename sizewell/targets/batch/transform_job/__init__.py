"""Everything that is said of a batch transform that AWS Batch runs."""
