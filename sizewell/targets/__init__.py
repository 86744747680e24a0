"""The places beside SageMaker that workloads run in: one folder each, found by being there."""
