"""``plan.json`` as it is read back: by this release or by another one, and no more of it than a review looks at.

This is ``sizewell.planning.plan`` once more, in part, and not that model itself: base may have been synthesized by an older
release, so what came later is None here (unknown), and what is not named here is left out; and a plan that stacks are made
from must be complete. Nearly all bytes of a plan tell of candidates that were not chosen: none of them becomes an object, and
what chooses instance types is not imported. A test holds every name here to the model that is written.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from pydantic import PlainValidator, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from sizewell.planning.saved_files import OLDEST_PLAN_VERSION, PLAN_VERSION, foundation_name
from sizewell.planning.saved_workload import (
    SavedChoice,
    SavedModel,
    SavedWorkload,
    saved_kind,
)

W = TypeVar("W", bound=SavedWorkload)

#: Before version 7 a plan had a list of each of these; a workload of the first list may say which kind of endpoint it is.
_LISTS = {
    "endpoints": "real-time-endpoint",
    "batch_transforms": "batch-transform",
    "processing_jobs": "processing-job",
    "training_jobs": "training-job",
    "notebooks": "notebook",
}


def _read_workload(document: Any) -> SavedWorkload:
    """Return a workload as its kind says, with what is wrong in it as one message."""
    if isinstance(document, SavedWorkload):
        return document
    if not isinstance(document, dict) or "kind" not in document:
        raise PydanticCustomError("workload", "a map with a kind was expected")
    try:
        return saved_kind(document["kind"]).model.model_validate(document)
    except ValidationError as error:
        raise PydanticCustomError("workload", "{first}", {"first": _first(error)}) from error


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where + ': ' if where else ''}{first['msg']}"


class SavedNetwork(SavedModel):
    """The VPC, one of our own or one that exists."""

    mode: Literal["new", "existing"]
    availability_zones: int | None = None
    subnet_ids: tuple[str, ...] = ()


class SavedFoundation(SavedModel):
    """What all workloads of a place share."""

    place: str | None = None
    region: str | None = None
    stack_name: str
    network: SavedNetwork
    retain_state: bool


class SavedBill(SavedModel):
    """Of the bill only what the configuration allows."""

    budget_usd_per_month: float | None = None


class SavedQuota(SavedModel):
    """What an account must be allowed in a region."""

    account: str
    region: str
    name: str
    needed: int


class SavedPlan(SavedModel):
    """One environment."""

    schema_version: int
    platform: str
    environment: str
    account: str
    region: str
    production: bool
    catalog_version: str
    foundation: SavedFoundation
    places: tuple[SavedFoundation, ...] = ()
    workloads: tuple[Annotated[SavedWorkload, PlainValidator(_read_workload)], ...] = ()
    bill: SavedBill
    quotas: tuple[SavedQuota, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_list(cls, document: Any) -> Any:
        if not isinstance(document, dict) or "workloads" in document:
            return document
        listed = ((kind, document.get(key) or ()) for key, kind in _LISTS.items())
        return {
            **document,
            "workloads": [{"kind": kind, **workload} for kind, of in listed for workload in of],
        }

    def of(self, model: type[W]) -> tuple[W, ...]:
        """Return the workloads that are read as a model."""
        return tuple(workload for workload in self.workloads if isinstance(workload, model))

    @property
    def choices(self) -> tuple[SavedChoice, ...]:
        """What runs on instances that were chosen, of an endpoint all its variants."""
        return tuple(choice for workload in self.workloads for choice in workload.choices)

    @property
    def foundations(self) -> tuple[SavedFoundation, ...]:
        """Of the place of the policy, then of the others."""
        return (self.foundation, *self.places)

    @cached_property
    def _by_stack(self) -> Mapping[str, SavedWorkload]:
        return {workload.stack_name: workload for workload in self.workloads}

    def workload_of_stack(self, stack_name: str) -> SavedWorkload | None:
        """Return the workload that a stack, or the stack that it is nested in, is for; None for all other stacks."""
        return self._by_stack.get(_top(stack_name))

    def name_of_stack(self, stack_name: str) -> str | None:
        """Return what people call what a stack is for: a workload, or what workloads share; None for other stacks."""
        for foundation in self.foundations:
            if foundation.stack_name == _top(stack_name):
                return foundation_name(foundation.place)
        workload = self.workload_of_stack(stack_name)
        return workload.name if workload else None


def _top(stack_name: str) -> str:
    """Return the stack that a nested one belongs to: ``parent`` of ``parent/logical id``."""
    return stack_name.partition("/")[0]


class UnreadablePlanError(Exception):
    """A ``plan.json`` is broken, or of a release whose names mean something else; says which, in words."""


def read_saved_plan(content: bytes) -> SavedPlan:
    """Return a plan that any release since version ``OLDEST_PLAN_VERSION`` wrote; raises ``UnreadablePlanError``."""
    try:
        plan = SavedPlan.model_validate_json(content)
    except ValidationError as error:
        raise UnreadablePlanError(f"cannot be read: {_first(error)}") from error
    if not OLDEST_PLAN_VERSION <= plan.schema_version <= PLAN_VERSION:
        raise UnreadablePlanError(
            f"has schema version {plan.schema_version}, this release reads {OLDEST_PLAN_VERSION} to {PLAN_VERSION}"
        )
    return plan
