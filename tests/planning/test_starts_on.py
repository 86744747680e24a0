"""Events that start a run: what they ask of the foundation, and what they cost."""

from typing import Any

import pytest
from pydantic import ValidationError

from sizewell.config.starts_on import StartsOn
from sizewell.planning.build import build_plan
from sizewell.planning.plan import DeploymentPlan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import environment, training_job

ONE = catalog(gpu_instance("ml.g1.xlarge"), usd_per_hour={"ml.g1.xlarge": 1.0})
BY_OBJECT = {"object": "datasets/plants/_SUCCESS"}


def plan(**changes: Any) -> DeploymentPlan:
    return build_plan(environment({"train": training_job(**changes)}), ONE)


@pytest.mark.parametrize(
    ("starts_on", "tells"), [(None, False), ({"alarm": "drift"}, False), (BY_OBJECT, True)]
)
def test_the_artifact_bucket_tells_of_objects_only_where_one_starts_runs(
    starts_on: dict[str, str] | None, tells: bool
) -> None:
    assert plan(starts_on=starts_on).foundation.artifact_events is tells


def test_the_alarms_on_bad_ends_are_paid_and_on_failed_starts_one_for_events_and_one_for_the_schedule() -> (
    None
):
    def alarms(**changes: Any) -> float:
        line = plan(**changes).bill.lines[0]
        return sum(item.usd_per_month or 0 for item in line.items if item.name == "alarm")

    schedule = {"every": "day"}
    assert alarms() == pytest.approx(0.30)
    assert alarms(starts_on=BY_OBJECT) == alarms(schedule=schedule) == pytest.approx(0.40)
    assert alarms(starts_on=BY_OBJECT, schedule=schedule) == pytest.approx(0.50)


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({}, "names nothing that could start a run"),
        ({"object": "datasets/plants/"}, "is a prefix; name the object that is written last"),
    ],
)
def test_what_starts_nothing_is_refused(stated: dict[str, str], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        StartsOn.model_validate(stated)
