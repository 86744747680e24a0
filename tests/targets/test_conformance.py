"""What runs beside SageMaker goes the way of every kind, shown by the examples: synthesized, saved, priced, reviewed."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

import sizewell.targets
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from sizewell.review.saved.output import Assembly
from tests.app.test_bill import differences, read
from tests.kinds.test_conformance import unknown_to_the_review
from tests.targets.conftest import Synthesized, configuration_of

pytestmark = pytest.mark.cdk
#: An environment of each example; of two, the second is in EKS Auto Mode, whose fee is in the bill of each node.
EXAMPLES = (
    ("batch-job", "prod"),
    ("ecs-queue-worker", "prod"),
    ("ecs-service", "prod"),
    ("eks-deployment", "dev"),
    ("eks-deployment", "staging"),
    ("eks-queue-worker", "prod"),
)


@dataclass(frozen=True)
class Example:
    name: str
    environment: str
    output: Path

    @cached_property
    def plan(self) -> DeploymentPlan:
        return load_plan(configuration_of(self.name), self.environment)

    @cached_property
    def assembly(self) -> Assembly:
        return read(self.output, self.environment)


@pytest.fixture(params=EXAMPLES, ids="-".join, scope="module")
def example(request: pytest.FixtureRequest, synthesized: Synthesized) -> Example:
    name, environment = request.param
    return Example(name, environment, synthesized(name, environment))


def test_each_kind_of_a_target_has_an_example() -> None:
    folders = {
        f"{path.parents[1].name}-{path.parent.name}".replace("_", "-")
        for root in sizewell.targets.__path__
        for path in Path(root).glob("*/*/plan_model.py")
    }
    plans = [load_plan(configuration_of(name), environment) for name, environment in EXAMPLES]
    assert {workload.kind for plan in plans for workload in plan.workloads} == folders


def test_nothing_that_is_emitted_is_unknown_to_the_review(example: Example) -> None:
    assert unknown_to_the_review(example.assembly) == set()


def test_templates_and_manifests_cost_what_the_plan_says(example: Example) -> None:
    assert differences(example.plan.bill, example.assembly) == []


def test_in_auto_mode_each_node_has_its_fee() -> None:
    lines = load_plan(configuration_of("eks-deployment"), "staging").bill.lines
    of_nodes = [line for line in lines if any(item.service == "EC2" for item in line.items)]
    assert len(of_nodes) == 4
    assert all("Auto Mode fee" in [item.name for item in line.items] for line in of_nodes)


def test_what_is_saved_is_what_was_planned(example: Example) -> None:
    saved = example.assembly.plan
    assert saved is not None
    assert [(workload.kind, workload.name) for workload in saved.workloads] == [
        (workload.kind, workload.name) for workload in example.plan.workloads
    ]
    assert [choice.decided["instance_types"] for choice in saved.choices] == [
        list(choice.instance_pools) for choice in example.plan.on_instances
    ]


@pytest.mark.parametrize(
    ("example", "name", "decided"),
    [
        (
            ("eks-deployment", "staging"),
            "train-classifier",
            {"spot": True, "on_demand_fallback": True, "deadline_s": 24 * 3600},
        ),
        (("eks-queue-worker", "prod"), "transcribe", {"min_instance_count": 0}),
    ],
    indirect=["example"],
)
def test_a_snapshot_keeps_what_was_decided(example: Example, name: str, decided: dict[str, object]) -> None:
    assert example.assembly.plan is not None
    (choice,) = (choice for choice in example.assembly.plan.choices if choice.name == name)
    assert choice.decided.items() >= decided.items()
