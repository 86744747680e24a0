"""The parts of a plan that are of one kind, however deep they lie: a rule for all containers names no kind of workload."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from sizewell.planning.workload_plan import PlanModel

P = TypeVar("P", bound=PlanModel)


def parts_of(plan: PlanModel, model: type[P]) -> Iterator[P]:
    """Yield a plan and all that it consists of, as far as they are of a model, in their order."""
    for part in parts(plan):
        if isinstance(part, model):
            yield part


def parts(plan: PlanModel) -> Iterator[PlanModel]:
    """Yield a plan and all plans that it consists of, in their order; what was estimated is no plan."""
    yield plan
    for name in type(plan).model_fields:
        yield from _parts_in(getattr(plan, name))


def _parts_in(value: Any) -> Iterator[PlanModel]:
    if isinstance(value, PlanModel):
        yield from parts(value)
        return
    inner: Iterable[Any] = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | tuple):
        for part in inner:
            yield from _parts_in(part)
