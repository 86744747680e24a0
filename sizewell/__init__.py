"""Infrastructure as code for ML compute on AWS: needs in, explained instance types and hardened stacks out."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sizewell.platform import Platform

__all__ = ["Platform"]


def __getattr__(name: str) -> Any:
    # Imported on first use: every command starts with this package, and hardly one needs CDK.
    if name != "Platform":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sizewell.platform import Platform

    return Platform
