"""Import modules that nobody names: those of a package that register themselves, and those of a name on its first use."""

from collections.abc import Callable, Mapping
from importlib import import_module
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


def imported_on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose names are imported when they are first asked for.

    ``modules`` holds by name the module of the package that has it. Raises AttributeError for any other name.
    """

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return find
