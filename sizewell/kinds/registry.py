"""What each kind of workload must bring, and where it lies.

A kind is a folder of this package with the name of the kind: ``real_time_endpoint`` is ``kind: real-time-endpoint``. What a
layer calls is a facet: a module of the folder, whose ``FACET`` is an object of the class that the layer defines. Every layer may
ask, because this module needs the standard library alone; it imports a module of a kind when a layer asks for its facet.

What a target makes of a kind is planned as a kind of its own, which nobody configures: a folder in that of the target.
``targets/eks/deployment`` is the kind ``eks-deployment`` of plans.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import sizewell.kinds as kinds
import sizewell.targets as targets

#: What every kind brings.
REQUIRED = ("__init__.py", "config.py", "plan.py", "starter.yaml", "starter.dev.yaml")
#: What a kind brings whose plans are of this kind: all of it, or nothing where it is planned as another kind.
REQUIRED_OF_PLANNED = ("plan_model.py", "bill.py", "saved.py", "stack.py", "dashboard.py", "view.py")
_NO_KINDS = {"traits", "__pycache__"}


class Facet(Protocol):
    """What one layer needs to know of a kind."""

    module: ClassVar[str]
    """The module of the kind whose ``FACET`` is of this class."""


F = TypeVar("F", bound=Facet)


class UnknownKindError(Exception):
    """No folder has the name of a kind."""


class IncompleteKindError(Exception):
    """The folder of a kind lacks a file; the message names the files."""


def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds, sorted; imports none. Raises ``IncompleteKindError``."""
    return tuple(sorted(folder.name.replace("_", "-") for folder in _folders()))


def file_of(kind: str, name: str) -> Path:
    """Return the path of a file of a kind. Raises ``UnknownKindError``."""
    return _place(kind)[1] / name


def facet(kind: str, of: type[F]) -> F:
    """Return what one layer needs to know of a kind. Raises ``UnknownKindError``."""
    package, folder = _place(kind)
    found: Any = import_module(f"{package}.{folder.name}.{of.module}").FACET
    assert isinstance(found, of), f"the facet {of.module} of {kind} is no {of.__name__}"
    return found


def _place(kind: str) -> tuple[str, Path]:
    """Return the package that a kind is in, and its folder there."""
    name = kind.replace("-", "_")
    if name.isidentifier() and name not in _NO_KINDS:  # not part of a path
        for root in kinds.__path__:
            if (folder := Path(root) / name).is_dir():
                return kinds.__name__, folder
        target, _, planned = name.partition("_")
        for root in targets.__path__:
            if planned and (folder := Path(root) / target / planned / "plan_model.py").exists():
                return f"{targets.__name__}.{target}", folder.parent
    raise UnknownKindError(kind)


def _folders() -> Iterator[Path]:
    """Yield the folder of each kind, and fail at the first that lacks something."""
    for root in kinds.__path__:
        folders = (path for path in Path(root).iterdir() if path.is_dir() and path.name not in _NO_KINDS)
        for folder in sorted(folders):
            planned = any((folder / name).exists() for name in REQUIRED_OF_PLANNED)
            required = (*REQUIRED, *(REQUIRED_OF_PLANNED if planned else ()))
            if lacking := [name for name in required if not (folder / name).exists()]:
                raise IncompleteKindError(f"the kind in {folder} lacks {', '.join(lacking)}")
            yield folder
