"""One module for each architecture: what it is like, and the work of one forward pass.

A module has the name of its architecture, and registers itself by the decorator ``architecture``. To add one, add a member
to ``Architecture``, its module, and the keys that describe its models in ``sizewell/config/ml_model.py``.
"""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits

__all__ = ["Architecture", "Traits"]
