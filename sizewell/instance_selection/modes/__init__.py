"""Compare the ways to serve a model: real-time, multi-model, serverless, asynchronous, batch and Lambda.

The facts are tables beside the code, each row with its source and date. The stub beside this file lists the public names. Each is
imported on its first use, so that a plan without a comparison does not wait for the cost curves.
"""

from sizewell.modules import exported_on_first_use, names_in_stub

_MODULES = names_in_stub(__name__, __file__)

__all__ = sorted(_MODULES)
__getattr__ = exported_on_first_use(__name__, _MODULES)
