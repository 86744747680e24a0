"""Choose a SageMaker instance type offline, and explain the choice.

It works alone: requirements and a catalog go in, a selection comes out. The stub beside this file lists the public names. Each is
imported on its first use, so that a table or a word does not wait for the estimates.
"""

from sizewell.modules import exported_on_first_use, names_in_stub

_MODULES = names_in_stub(__name__, __file__)

__all__ = sorted(_MODULES)
__getattr__ = exported_on_first_use(__name__, _MODULES)
