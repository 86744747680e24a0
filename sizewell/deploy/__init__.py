"""``cdk deploy``, with autoscaling off while the instance type of a scaled variant changes."""
