"""Amazon ECS as stacks use it: what ministack's ECS loses on the way from a template, and what AWS refuses there."""
