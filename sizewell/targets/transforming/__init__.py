"""What is decided alike for a batch transform, whatever runs it."""
