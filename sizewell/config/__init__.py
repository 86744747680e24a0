"""What the user wants, typed and checked: the models of an environment, and the loader of its YAML files.

The stub beside this file lists the public names. Each is imported on its first use: the models take a fifth of a second.
"""

from sizewell.modules import public_names

__all__, __getattr__ = public_names(__name__, __file__)
