"""A plugin for pytest: canonical snapshots of what the environments of a project synthesize to."""
