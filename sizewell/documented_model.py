"""Models whose JSON Schema says of every field what the docstring below it says."""

import ast
import inspect
import sys
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class DocumentedModel(BaseModel):
    """Frozen, and strict about keys. The JSON Schema describes each field by the docstring below it.

    The source is read when a schema is made: pydantic's own ``use_attribute_docstrings`` reads it at import, which
    costs every command 60 ms. A validator is built when it is first used: of a part of a configuration, never.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        """Return the schema of the model, with descriptions."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for model in cls.__mro__:
            for field, text in _descriptions_of_module(model.__module__).get(model.__qualname__, {}).items():
                if field in properties:
                    properties[field].setdefault("description", text)
        return schema


@lru_cache
def _descriptions_of_module(name: str) -> dict[str, dict[str, str]]:
    """Return, by class and by field, the docstrings below the fields of a module of ours, each in one line."""
    if not name.startswith("sizewell."):
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {node.name: _descriptions(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _descriptions(model: ast.ClassDef) -> dict[str, str]:
    found = {}
    for field, below in zip(model.body, model.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match below:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    found[field.target.id] = " ".join(text.split())
    return found
