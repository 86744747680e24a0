"""What each resource type is charged for, one file for each field."""
