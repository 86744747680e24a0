"""What is decided alike for a training, whatever runs it."""
