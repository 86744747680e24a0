"""Everything that is said of a batch transform in a cluster of Amazon EKS."""
