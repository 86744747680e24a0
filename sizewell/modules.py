"""Import modules that nobody names: those of a package that register themselves, and those of a name on its first use."""

import ast
from collections.abc import Callable, Mapping
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


def names_in_stub(package: str, source: str) -> dict[str, str]:
    """Return by name the module of each public name of a package, as the stub beside its ``__file__`` imports it."""
    return {
        alias.name: resolve_name("." * node.level + (node.module or ""), package)
        for node in ast.parse(Path(source).with_suffix(".pyi").read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def exported_on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose names are imported when they are first asked for.

    ``modules`` holds by name the module that has it. Raises AttributeError for any other name.
    """

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return find


def imported_on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the same where ``modules`` holds by name a module of the package."""
    return exported_on_first_use(package, {name: f"{package}.{module}" for name, module in modules.items()})
