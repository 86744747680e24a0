"""Saved outputs of ``cdk synth``: read once, never changed."""
