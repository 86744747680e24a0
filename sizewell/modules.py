"""Import modules that nobody names: those of a package that register themselves, and those of a name on its first use."""

import ast
from collections.abc import Callable, Mapping
from importlib import import_module
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


def exported_on_first_use(package: str, source: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that exports what it imports below ``if TYPE_CHECKING``, on first use.

    ``source`` is the ``__file__`` of the package: its imports for type checkers are the table, so nobody writes it again.
    """
    modules = {
        alias.name: statement.module
        for block in ast.parse(Path(source).read_text("utf-8")).body
        if isinstance(block, ast.If)
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
    }
    return _importer(package, modules)


def imported_on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose names are imported when they are first asked for.

    ``modules`` holds by name the module of the package that has it.
    """
    return _importer(package, {name: f"{package}.{module}" for name, module in modules.items()})


def _importer(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return find
