"""Which places there are beside SageMaker, and where each lies.

A target is a folder of this package with the name that a cluster has as its ``type``. What a layer calls is a facet, as of a kind
of workload: a module of the folder, whose ``FACET`` is an object of the class that the layer defines. This module needs the
standard library alone.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import sizewell.targets as targets
from sizewell.kinds.registry import F

#: The module of each target that says how its clusters are configured: what makes a folder a target.
CONFIGURATION = "cluster.py"


def target_names() -> tuple[str, ...]:
    """Return the names of all targets, sorted; imports none."""
    return tuple(
        sorted(
            path.parent.name for root in targets.__path__ for path in Path(root).glob(f"*/{CONFIGURATION}")
        )
    )


def file_of_target(target: str, name: str) -> Path:
    """Return the path of a file of a target."""
    return next(path for root in targets.__path__ if (path := Path(root) / target / name).exists())


def target_facet(target: str, of: type[F]) -> F:
    """Return what one layer needs to know of a target."""
    found: Any = import_module(f"{targets.__name__}.{target}.{of.module}").FACET
    assert isinstance(found, of), f"the facet {of.module} of {target} is no {of.__name__}"
    return found
