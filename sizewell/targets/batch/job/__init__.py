"""Everything that is said of a training that AWS Batch runs."""
