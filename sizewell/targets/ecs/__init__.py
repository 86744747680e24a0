"""Models in clusters of Amazon ECS: tasks of a service behind a load balancer of its own, on ECS Managed Instances."""
