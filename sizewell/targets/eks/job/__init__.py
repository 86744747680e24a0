"""Everything that is said of a training in a cluster of Amazon EKS."""
