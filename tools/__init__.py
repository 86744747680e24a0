"""For a checkout of this repository: a local AWS, and benchmarks."""
