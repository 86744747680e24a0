"""Translate needs into decisions, once: the plan. Pure: no CDK, no network, no clock.

The stub beside this file lists the public names. Each is imported on its first use: a reader of saved plans does not wait for
the planners.
"""

from sizewell.modules import public_names

__all__, __getattr__ = public_names(__name__, __file__)
