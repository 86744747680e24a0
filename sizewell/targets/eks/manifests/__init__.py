"""The manifests of a workload in a cluster: plain data, made of its plan alone."""
