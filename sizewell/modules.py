"""Import modules that nobody names: those of a package that register themselves, and those of a name on its first use."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

#: A line of a stub: ``from .module import Name as Name``.
_IMPORT = re.compile(r"^from (\S+) import \(?\s*(\w+)", re.MULTILINE)


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
    stub = Path(source).with_suffix(".pyi").read_text("utf-8")
    modules = {name: module for module, name in _IMPORT.findall(stub)}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name], package), name)

    return sorted(modules), find
