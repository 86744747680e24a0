"""Conditions with ``Fn::Join``, which ministack does not evaluate and CDK's bootstrap template needs."""

import sys
from typing import Any

from ministack.services.cloudformation import engine

_NAME = "_evaluate_conditions"


def install() -> None:
    """Join before ministack evaluates, in every module that knows the function."""
    original = getattr(engine, _NAME)

    def evaluate(template: dict[str, Any], params: dict[str, Any]) -> dict[str, bool]:
        joined = {**template, "Conditions": _joined(template.get("Conditions") or {}, params)}
        result: dict[str, bool] = original(joined, params)
        return result

    for name, module in list(sys.modules.items()):
        if name.startswith("ministack.services.cloudformation") and hasattr(module, _NAME):
            setattr(module, _NAME, evaluate)


def _joined(node: Any, params: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_joined(item, params) for item in node]
    if not isinstance(node, dict):
        return node
    if set(node) == {"Fn::Join"}:
        separator, items = node["Fn::Join"]
        values = (
            [_value(items, params)] if isinstance(items, dict) else [_value(item, params) for item in items]
        )
        parts = [
            part for value in values for part in (value.split(",") if isinstance(items, dict) else [value])
        ]
        return separator.join(parts)
    return {key: _joined(value, params) for key, value in node.items()}


def _value(node: Any, params: dict[str, Any]) -> str:
    if not isinstance(node, dict):
        return str(node)
    if node.get("Ref") not in params:
        raise ValueError(f"Template error: the local cloud cannot evaluate {node} in a condition")
    return str(params[node["Ref"]]["Value"])
