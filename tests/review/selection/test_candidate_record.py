"""What a review reads of the candidates is in the plan that is written now as it is in one with all of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.planning import load_plan, plan_to_json
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.serialization import WHOLE_RUNNERS_UP, rounded
from sizewell.review.saved.output import Assembly
from sizewell.review.selection.candidate_record import CandidateRecord, read_candidate_records
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT


def records(directory: Path, text: str) -> dict[str, CandidateRecord]:
    directory.mkdir()
    (directory / "plan.json").write_text(text, "utf-8")
    return dict(read_candidate_records(Assembly(directory, "prod", {}, None, None)))


def version_4(plan: DeploymentPlan) -> str:
    """All candidates as they are."""
    return json.dumps(rounded(plan.model_dump(mode="json")))


def version_5(plan: DeploymentPlan) -> str:
    """A map for each further runner-up, and the rejections of each workload in its own rows."""
    document = json.loads(plan_to_json(plan))
    for workload in document["workloads"]:
        selection = workload["selection"]
        further = selection["further_runners_up"]
        selection["further_runners_up"] = [
            dict(zip(further["columns"], row, strict=True)) for row in further["rows"]
        ]
        selection["rejected"] = [document["rejections"][name] for name in selection["rejected"]]
    del document["rejections"]
    return json.dumps(document)


@pytest.mark.parametrize("older", [version_4, version_5])
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_rows_say_what_older_versions_said(
    environment: str, older: Callable[[DeploymentPlan], str], tmp_path: Path
) -> None:
    plan = load_plan(PROJECT_ROOT / "config", environment)
    old, new = records(tmp_path / "old", older(plan)), records(tmp_path / "new", plan_to_json(plan))
    assert list(new) == list(old) == [workload.name for workload in plan.workloads]
    assert max(len(record.feasible) for record in new.values()) > WHOLE_RUNNERS_UP + 1
    for name, record in old.items():
        assert new[name].feasible == record.feasible
        assert new[name].runner_up == record.runner_up
        rejected = [
            instance_type
            for row in record.selection["rejected"]
            for instance_type in row.get("instance_types", row.get("instance_type")).split()
        ]
        assert rejected
        for one in (*record.feasible, *rejected, "ml.unheard.of"):
            assert new[name].candidate(one) == record.candidate(one)
            assert new[name].rejection(one) == record.rejection(one)
            assert new[name].rejecting_filter(one) == record.rejecting_filter(one)
            assert new[name].knows(one) == record.knows(one)
