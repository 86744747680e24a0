"""What would stop a deployment."""
