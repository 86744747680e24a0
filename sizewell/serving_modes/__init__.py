"""Compare the ways to serve a model: real-time, multi-model, serverless, asynchronous, batch and Lambda.

The facts are tables beside the code, each row with its source and date. The stub beside this file lists the public names. Each is
imported on its first use, so that a plan without a comparison does not wait for the cost curves.
"""

from sizewell.modules import public_names

__all__, __getattr__ = public_names(__name__, __file__)
