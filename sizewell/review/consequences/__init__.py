"""What a change of each property of each resource type means, as tables."""
