"""The plan as it is read back says nothing in other words than the plan that is written."""

import json
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from sizewell.kinds.registry import facet, file_of, kind_names
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.saved_files import OLDEST_PLAN_VERSION, PLAN_VERSION
from sizewell.planning.saved_plan import SavedPlan, UnreadablePlanError, read_saved_plan
from sizewell.planning.saved_workload import SavedKind, SavedWorkload, UnknownWorkload
from sizewell.planning.workload_plan import PlanModelKind

Model = type[BaseModel]
MINIMAL = {
    "schema_version": PLAN_VERSION,
    "platform": "demo",
    "environment": "prod",
    "account": "111122223333",
    "region": "us-east-1",
    "production": True,
    "catalog_version": "000000000000",
    "foundation": {
        "stack_name": "foundation",
        "network": {"mode": "new", "availability_zones": 2},
        "retain_state": True,
    },
    "endpoints": [],
    "training_jobs": [],
    "bill": {},
}


def models_in(annotation: Any) -> set[Model]:
    """The models that a value of this type is made of, not looking inside of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return {model for part in get_args(annotation) for model in models_in(part)}


def counterparts(*pairs: tuple[Model, Model]) -> dict[Model, set[Model]]:
    """By each saved model: the models that are written in its places, of endpoints and of training jobs."""
    found: dict[Model, set[Model]] = {}
    todo = [(saved, {written}) for saved, written in pairs]
    while todo:
        saved, written = todo.pop()
        found.setdefault(saved, set()).update(written)
        for name, field in saved.model_fields.items():
            fields = [model.model_fields[name] for model in written if name in model.model_fields]
            inner = {model for one in fields for model in models_in(one.annotation)}
            todo += [(model, inner) for model in models_in(field.annotation)]
    return found


def strange_names(*pairs: tuple[Model, Model]) -> list[str]:
    """The fields of saved models that none of the models which are written in their places has."""
    return sorted(
        f"{model.__name__}.{name}"
        for model, others in counterparts(*pairs).items()
        for name in model.__annotations__.keys() & model.model_fields.keys()
        if not any(name in other.model_fields for other in others)
    )


def test_every_name_that_is_read_is_one_that_is_written() -> None:
    pairs = [
        (read, facet(kind, PlanModelKind).model)
        for kind in kind_names()
        if file_of(kind, "saved.py").exists()
        for read in facet(kind, SavedKind).model.__mro__
        if issubclass(read, SavedWorkload)
    ]
    assert strange_names((SavedPlan, DeploymentPlan), *pairs) == []


def test_a_workload_of_a_kind_that_is_not_here_is_unknown() -> None:
    plan = SavedPlan.model_validate(
        MINIMAL | {"workloads": [{"kind": "what-comes-later", "name": "later", "stack_name": "demo-later"}]}
    )
    assert [workload.name for workload in plan.of(UnknownWorkload)] == ["later"]
    assert plan.choices == ()
    assert plan.name_of_stack("demo-later") == "later"


def test_a_name_that_is_not_written_is_found() -> None:
    class Bill(BaseModel):
        budget: float

    class Plan(BaseModel):
        platform: str
        bill: Bill

    assert strange_names((Plan, DeploymentPlan)) == ["Bill.budget"]


@pytest.mark.parametrize("version", range(OLDEST_PLAN_VERSION, PLAN_VERSION + 1))
def test_every_version_since_the_oldest_is_read_and_more_than_is_known_is_left_out(version: int) -> None:
    document = MINIMAL | {"schema_version": version, "of_a_later_release": 1}
    plan = read_saved_plan(json.dumps(document).encode())
    assert (plan.schema_version, plan.bill.budget_usd_per_month) == (version, None)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (
            MINIMAL | {"schema_version": OLDEST_PLAN_VERSION - 1},
            "has schema version 1, this release reads 2 to 7",
        ),
        (MINIMAL | {"schema_version": PLAN_VERSION + 1}, "has schema version 8, this release reads 2 to 7"),
        (MINIMAL | {"bill": None}, "cannot be read: bill: Input should be an object"),
        ([], "cannot be read: Input should be an object"),
    ],
)
def test_what_cannot_be_read_says_why(document: Any, words: str) -> None:
    with pytest.raises(UnreadablePlanError) as caught:
        read_saved_plan(json.dumps(document).encode())
    assert str(caught.value) == words
