"""Changes with known consequences, to measure what a review says and what it misses."""
