"""What a change means in the words of the configuration."""

from typing import Literal

from sizewell.review.model.base import ReviewModel


class ConfigChange(ReviewModel):
    """One key whose value is another one."""

    key_path: str
    """The keys from the top to the value, with dots: workloads.assistant.scaling.min_instances."""
    change: Literal["added", "removed", "changed"]
    """Whether the key is new, gone, or has another value."""
    base: str
    """The value of base as YAML would write it in one line; empty where the key is not there."""
    head: str
    """The value of head as YAML would write it in one line; empty where the key is not there."""
    environments: tuple[str, ...]
    """The environments in which the key changes this way."""
    meaning: str = ""
    """What follows from it, such as: loses the second zone; empty where the values say it all."""
