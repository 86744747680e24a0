"""Everything that is said of a serverless endpoint."""
