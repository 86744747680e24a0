"""Whether what runs is what was planned."""
