"""The docstrings below the keys of a model: what the JSON Schema says of each key."""

import ast
import inspect
from textwrap import dedent


def key_docstrings(model: type) -> dict[str, str]:
    """Return the docstring below each annotation of a class and its bases; its own wins."""
    docstrings: dict[str, str] = {}
    for base in reversed(model.__mro__[:-1]):
        if base.__module__.startswith("pydantic"):
            continue
        (definition,) = ast.parse(dedent(inspect.getsource(base))).body
        assert isinstance(definition, ast.ClassDef)
        for key, text in zip(definition.body, definition.body[1:], strict=False):
            match key, text:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                    docstrings[name] = inspect.cleandoc(said)
    return docstrings
