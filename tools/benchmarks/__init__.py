"""How fast synth is, beside the same resources written by hand: see docs/guides/benchmarks.md."""
