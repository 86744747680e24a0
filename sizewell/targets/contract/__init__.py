"""What SageMaker does around a container, done elsewhere: programs for the user's image, and a proxy before its server.

The programs are modules here, and texts there: in a ConfigMap, or in the command ``python3 -c``. ``proxy.py`` configures
the proxy.
"""

import ast
import base64
import bz2
from pathlib import Path

_CLIENT = "aws_client"


def program(name: str) -> str:
    """Return one text that runs by itself: the client of AWS, then the program without what it imports from here."""
    return _text(_CLIENT) + _text(name, without=("__future__", f"{__name__}.{_CLIENT}"))


def packed(name: str) -> str:
    """Return a line of Python that runs a program, for AWS Batch: its job definitions hold 24 KiB.

    https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html. There is one bzip2, and several zlib, which write
    different bytes.
    """
    content = base64.b64encode(bz2.compress(program(name).encode())).decode()
    return f"import base64, bz2; exec(bz2.decompress(base64.b64decode('{content}')))"


def _text(name: str, without: tuple[str, ...] = ()) -> str:
    source = text = Path(__file__).with_name(f"{name}.py").read_text("utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.module in without:
            text = text.replace(f"{ast.get_source_segment(source, node)}\n", "")
    return text
