"""Load in an open loop against an endpoint that somebody named: bounded, never retried, timed from when it was due."""
