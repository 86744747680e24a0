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
    """Return one text that runs by itself: the modules of this folder that a program imports, then the program."""
    texts: dict[str, str] = {}
    _add(texts, name)
    return "".join(texts.values())


def packed(name: str) -> str:
    """Return a line of Python that runs a program, for AWS Batch: its job definitions hold 24 KiB.

    https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html. There is one bzip2, and several zlib, which write
    different bytes.
    """
    content = base64.b64encode(bz2.compress(program(name).encode())).decode()
    return f"import base64, bz2; exec(bz2.decompress(base64.b64decode('{content}')))"


def _add(texts: dict[str, str], name: str, *, is_program: bool = True) -> None:
    """Add the text of a module after those that it imports from here, each once. What is run is of the program alone."""
    source = text = Path(__file__).with_name(f"{name}.py").read_text("utf-8")
    for node in ast.parse(source).body:
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        folder, _, imported = module.rpartition(".")
        if folder == __name__ and imported not in texts:
            _add(texts, imported, is_program=False)
        is_there = folder == __name__ or (module == "__future__" and name != _CLIENT)
        if is_there or (isinstance(node, ast.If) and not is_program):
            text = text.replace(f"{ast.get_source_segment(source, node)}\n", "")
    texts[name] = text
