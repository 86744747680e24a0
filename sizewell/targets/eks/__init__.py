"""Amazon EKS: what runs in a cluster of Kubernetes that exists."""
