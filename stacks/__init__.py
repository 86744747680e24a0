"""Stacks: put constructs together as the plan says, and decide nothing."""
