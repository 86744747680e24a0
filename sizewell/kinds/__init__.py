"""The kinds of workloads: one folder each, found by being there."""
