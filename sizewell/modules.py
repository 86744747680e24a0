"""Find what registers itself by being there."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def modules_in(package: ModuleType) -> tuple[ModuleType, ...]:
    """Import every module of a package, by name; not those of packages inside of it."""
    return tuple(
        import_module(f"{package.__name__}.{found.name}")
        for found in iter_modules(package.__path__)
        if not found.ispkg
    )
