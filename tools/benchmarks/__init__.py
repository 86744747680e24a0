"""How fast and how right Sizewell is, with the data: see docs/guides/benchmarks.md."""
