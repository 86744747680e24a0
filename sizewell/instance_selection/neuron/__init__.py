"""What the Neuron SDK runs, and what has to change for it: two tables with the source of each row."""

from enum import StrEnum
from functools import cache
from pathlib import Path

from sizewell.instance_selection.catalog.tables import Row, items, read_rows
from sizewell.instance_selection.requirements import ModelSpec
from sizewell.instance_selection.results import Result

_SUPPORT = Path(__file__).with_name("neuron_support.csv")
_CHANGES = Path(__file__).with_name("neuron_changes.csv")
#: A cell that holds for every value.
ANY = "*"


class SupportStatus(StrEnum):
    """Whether AWS supports something on Neuron chips."""

    SUPPORTED = "supported"
    BETA = "beta"
    UNSUPPORTED = "unsupported"
    """Never was."""
    ENDED = "ended"
    """Was, and is no longer."""

    @property
    def runs(self) -> bool:
        """Whether a new workload can rely on it."""
        return self in (SupportStatus.SUPPORTED, SupportStatus.BETA)


class NeuronFact(Result):
    """What the documentation says about an architecture or a framework on one instance family."""

    subject: str
    """``architecture`` or ``framework``."""
    value: str
    family: str
    status: SupportStatus
    detail: str
    source: str
    as_of: str

    def __str__(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.value} on {self.family} is {self.status}{detail}"


class NeuronChange(Result):
    """One thing to do before the workload runs on Neuron chips."""

    topic: str
    change: str
    source: str
    as_of: str


def neuron_facts(model: ModelSpec, task: str, family: str) -> tuple[NeuronFact, ...]:
    """Return what is known about a model on an instance family; empty where the documentation is silent.

    ``task`` is ``training`` or ``inference``.
    """
    return support_facts(model.architecture.value, model.framework, task, family)


def support_facts(architecture: str, framework: str, task: str, family: str) -> tuple[NeuronFact, ...]:
    """Return what is known about an architecture and a framework on an instance family."""
    keys = (("architecture", architecture, task, family), ("framework", framework, task, family))
    return tuple(fact for key in keys if (fact := _facts().get(key)))


def neuron_changes(model: ModelSpec, task: str, family: str) -> tuple[NeuronChange, ...]:
    """Return what has to change for a model on an instance family, in the order of the table."""
    values = {
        "task": task,
        "architectures": model.architecture.value,
        "frameworks": model.framework,
        "precisions": model.precision.value,
        "families": family,
    }
    return tuple(
        NeuronChange.model_validate(row)
        for row in _change_rows()
        if all({ANY, value} & set(items(row[column])) for column, value in values.items())
    )


@cache
def _facts() -> dict[tuple[str, str, str, str], NeuronFact]:
    return {
        (row["subject"], row["value"], row["task"], row["family"]): NeuronFact.model_validate(row)
        for row in read_rows(_SUPPORT)
    }


@cache
def _change_rows() -> tuple[Row, ...]:
    return tuple(read_rows(_CHANGES))
