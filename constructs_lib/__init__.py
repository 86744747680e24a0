"""CDK constructs for machine learning on Amazon SageMaker: they build from plain props and decide nothing.

    from constructs_lib import Foundation, FoundationProps, RealtimeEndpoint, RealtimeEndpointProps

They need neither a configuration nor a plan of Sizewell. An app, and the defaults: ``docs/guides/constructs.md``.

The stub beside this file lists the public names. Each is imported on its first use: the CDK takes a second.
"""

from sizewell.modules import public_names

__all__, __getattr__ = public_names(__name__, __file__)
