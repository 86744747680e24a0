"""Everything that is said of a model that pods of a Deployment serve."""
