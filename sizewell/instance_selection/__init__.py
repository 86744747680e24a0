"""Choose a SageMaker instance type offline, and explain the choice.

It works alone: requirements and a catalog go in, a selection comes out. The stub beside this file lists the public names. Each is
imported on its first use, so that a table or a word does not wait for the estimates.
"""

from sizewell.modules import public_names

__all__, __getattr__ = public_names(__name__, __file__)
