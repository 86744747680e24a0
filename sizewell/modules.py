"""Import modules that nobody names: those of a package that register themselves, and those of a name on its first use."""

import ast
from collections.abc import Callable
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


def modules_in(package: ModuleType) -> tuple[ModuleType, ...]:
    """Import every module of a package, by name; not those of packages inside of it."""
    return tuple(
        import_module(f"{package.__name__}.{found.name}")
        for found in iter_modules(package.__path__)
        if not found.ispkg
    )


def public_names(package: str, source: str) -> tuple[list[str], Callable[[str], Any]]:
    """Return the names that the stub beside the ``__file__`` of a package imports, and the package's ``__getattr__``.

    It imports a name on its first use, and raises AttributeError for any other name. The stub says each name once, for type
    checkers as well.
    """
    modules = {
        alias.name: resolve_name("." * node.level + (node.module or ""), package)
        for node in ast.parse(Path(source).with_suffix(".pyi").read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return sorted(modules), find
