"""The door for ``cdk``: ``cdk synth -c env=prod``."""

from sizewell import Platform

platform = Platform()
platform.synth()
