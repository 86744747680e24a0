"""Scaling policies of Application Auto Scaling, and what they scale."""
