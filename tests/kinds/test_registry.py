"""Each kind is a folder, and one that lacks something cannot be used."""

import shutil
from pathlib import Path

import pytest

from sizewell import kinds
from sizewell.cli.kind import ViewKind
from sizewell.config.kind import ConfigKind, environment_model
from sizewell.kinds.registry import (
    REQUIRED,
    REQUIRED_OF_PLANNED,
    IncompleteKindError,
    UnknownKindError,
    facet,
    file_of,
    kind_names,
)
from sizewell.kinds.stack_kind import StackKind
from sizewell.planning.kind import BillKind, PlanKind
from sizewell.planning.saved_workload import SavedKind, SavedWorkload
from sizewell.planning.workload_plan import PlanModelKind, WorkloadPlan

#: All but ``endpoint``, which is planned as another kind.
PLANNED = [kind for kind in kind_names() if file_of(kind, "bill.py").exists()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a new kind, made of the files of another one."""
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path)])
    return Path(shutil.copytree(file_of("notebook", ""), tmp_path / "dream_house"))


def test_the_kinds_are_those_of_the_configuration() -> None:
    stated = environment_model().model_json_schema()["properties"]["workloads"]["patternProperties"]
    (workload,) = stated.values()
    assert set(kind_names()) == set(workload["discriminator"]["mapping"])


@pytest.mark.parametrize("kind", PLANNED)
def test_a_kind_brings_what_each_layer_asks_for(kind: str) -> None:
    assert issubclass(facet(kind, PlanModelKind).model, WorkloadPlan)
    assert callable(facet(kind, BillKind).line)
    assert callable(facet(kind, ViewKind).row)
    assert issubclass(facet(kind, SavedKind).model, SavedWorkload)
    assert facet(kind, StackKind).stack.startswith("sizewell.stacks.")


def test_no_two_kinds_have_the_same_rank() -> None:
    ranks = [facet(kind, ConfigKind).rank for kind in kind_names()]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))


def test_a_new_folder_is_a_kind(folder: Path) -> None:
    assert "dream-house" in kind_names()
    assert callable(facet("dream-house", PlanKind).plan)


@pytest.mark.parametrize("name", [*REQUIRED[1:], *REQUIRED_OF_PLANNED])
def test_a_kind_that_lacks_a_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(IncompleteKindError, match=rf"dream_house lacks {name}$"):
        kind_names()


@pytest.mark.parametrize("kind", ["dream-house", "traits", "../planning", ""])
def test_what_has_no_folder_is_no_kind(kind: str) -> None:
    with pytest.raises(UnknownKindError):
        facet(kind, PlanKind)
