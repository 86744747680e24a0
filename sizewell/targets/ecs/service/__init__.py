"""Everything that is said of a model that tasks of a service of Amazon ECS serve."""
