"""What a change means in the words of the configuration."""

from typing import Literal

from sizewell.review.model.base import ReviewModel


class ConfigChange(ReviewModel):
    """One key whose value is another one."""

    key_path: str
    """With dots: ``endpoints.assistant.scaling.min_instances``."""
    change: Literal["added", "removed", "changed"]
    base: str
    """As YAML would write it in one line; empty where the key is not there."""
    head: str
    environments: tuple[str, ...]
    """Those that it reaches."""
    meaning: str = ""
    """What follows from it, where that can be said: ``loses the second zone``."""
