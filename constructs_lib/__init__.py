"""CDK constructs for machine learning on Amazon SageMaker: they build from plain props and decide nothing.

    from constructs_lib import Foundation, FoundationProps, RealtimeEndpoint, RealtimeEndpointProps

They need neither a configuration nor a plan of Sizewell. An app, and the defaults: ``docs/guides/constructs.md``.

The stub beside this file lists the public names, for type checkers and for us. A name is imported on its first use, since the
CDK takes a second.
"""

import ast
from pathlib import Path

from sizewell.modules import imported_on_first_use

_STUB = Path(__file__).with_suffix(".pyi")
#: The public names and their modules.
_MODULES = {
    alias.name: str(node.module)
    for node in ast.parse(_STUB.read_text("utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}

__all__ = sorted(_MODULES)
__getattr__ = imported_on_first_use(__name__, _MODULES)
