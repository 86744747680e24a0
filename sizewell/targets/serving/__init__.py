"""What is decided alike for a model that serves, whatever runs its containers."""
