"""Puts what must exist before a deployment into the local cloud."""

from collections.abc import Mapping
from typing import Any


def seed(plan: Mapping[str, Any], variables: Mapping[str, str]) -> None:
    """Do nothing: the emulator asks for the bucket of a model, not for the object in it.

    Called before every deployment with the plan of the environment and the variables of its account, should it ask.
    """
