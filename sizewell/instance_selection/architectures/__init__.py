"""One module for each architecture: what it is like, and the work of one forward pass.

A module registers itself by being here. To add one, add a member to ``Architecture`` and a module with the decorator
``architecture``, and the keys that describe its models in ``sizewell/config/ml_model.py``.
"""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits

__all__ = ["Architecture", "Traits"]
