"""One plan of several accounts and regions: each has its prices, its names and its foundation."""

import pytest

from sizewell.config.environment import Environment
from sizewell.dashboards.environment import dashboard_of
from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.names import names_in
from sizewell.planning.network_lookup import NotLookedUpError
from sizewell.planning.offers import offered_elsewhere
from sizewell.planning.plan import DeploymentPlan
from tests.planning.builders import endpoint, environment, training_job

CATALOG = load_catalog("us-east-1")
LAB = {"account": "222233334444", "network": {"mode": "new", "availability_zones": 1}}
TOKYO = {"region": "ap-northeast-1", "network": {"mode": "new"}}


def spread(**changes: object) -> Environment:
    workloads = {
        "plants": endpoint(),
        "plants-jp": endpoint(place="tokyo"),
        "train": training_job(place="lab"),
    }
    return environment(workloads, places={"tokyo": TOKYO, "lab": LAB}, **changes)


@pytest.fixture(scope="module")
def plan() -> DeploymentPlan:
    return build_plan(spread(), CATALOG)


def test_each_place_has_a_foundation(plan: DeploymentPlan) -> None:
    assert [(one.stack_name, one.account, one.region) for one in plan.foundations.values()] == [
        ("demo-dev-foundation", "111122223333", "us-east-1"),
        ("demo-dev-tokyo-foundation", "111122223333", "ap-northeast-1"),
        ("demo-dev-lab-foundation", "222233334444", "us-east-1"),
    ]
    assert plan.foundations["tokyo"].artifact_bucket_name == "demo-dev-artifacts-111122223333-ap-northeast-1"
    assert [workload.place for workload in plan.workloads] == [None, "tokyo", "lab"]


def test_a_workload_has_the_prices_and_images_of_its_region(plan: DeploymentPlan) -> None:
    here, there = plan.endpoints
    assert there.image is not None
    assert ".ap-northeast-1." in there.image.uri
    alone = build_plan(
        environment(
            {"plants-jp": endpoint()}, policy={"account": "111122223333", "region": "ap-northeast-1"}
        ),
        load_catalog("ap-northeast-1"),
    ).endpoints[0]
    assert there.selection == alone.selection
    assert there.needs_digest == alone.needs_digest != here.needs_digest


def test_the_bill_names_every_foundation(plan: DeploymentPlan) -> None:
    assert [line.workload for line in plan.bill.lines] == [
        "plants",
        "plants-jp",
        "train",
        "foundation",
        "tokyo-foundation",
        "lab-foundation",
    ]


def test_checks_know_what_each_region_offers(plan: DeploymentPlan) -> None:
    offered = offered_elsewhere(plan)
    assert {name: one.region for name, one in offered.items()} == {"demo-dev-plants-jp": "ap-northeast-1"}


def test_every_network_that_nobody_looked_up_is_told_in_its_place() -> None:
    lookup = {"mode": "lookup", "vpc_tags": {"Name": "ml"}, "subnet_tag": {"tier": "ml"}}
    workloads = {"plants": endpoint(), "train": training_job(place="lab")}
    found = environment(workloads, network=lookup, places={"lab": {**LAB, "network": lookup}})
    with pytest.raises(NotLookedUpError) as raised:
        build_plan(found, CATALOG)
    assert [fault.key_path for fault in raised.value.faults] == [
        ("network", "vpc_tags"),
        ("places", "lab", "network", "vpc_tags"),
    ]
    assert raised.value.lookup.account == "111122223333"


def test_a_workload_must_not_be_called_as_a_foundation() -> None:
    workloads = {"plants": endpoint(), "lab-foundation": training_job(place="lab")}
    with pytest.raises(PlanError) as raised:
        build_plan(environment(workloads, places={"lab": LAB}), CATALOG)
    (fault,) = raised.value.faults
    assert fault.key_path == ("workloads", "lab-foundation")
    assert "demo-dev-lab-foundation is the stack of what all workloads share" in fault.reason


def test_two_places_cannot_have_buckets_of_one_name() -> None:
    with pytest.raises(PlanError) as raised:
        build_plan(spread(names={"bucket": "acme-{purpose}-{account}"}), CATALOG)
    (fault,) = raised.value.faults
    assert fault.key_path == ("names", "bucket")
    assert (
        "calls a bucket of foundation and one of tokyo-foundation acme-artifacts-111122223333" in fault.reason
    )


def test_a_bucket_that_a_place_has_is_told_there() -> None:
    taken = names_in(spread().part("lab"), "lab").bucket("artifacts")
    lab = {**LAB, "existing": {"checkpoint_bucket": taken}}
    workloads = {"plants": endpoint(), "train": training_job(place="lab")}
    with pytest.raises(PlanError) as raised:
        build_plan(environment(workloads, places={"lab": lab}), CATALOG)
    assert [fault.key_path for fault in raised.value.faults] == [
        ("places", "lab", "existing", "checkpoint_bucket")
    ]


def test_each_place_has_a_dashboard_of_what_runs_there(plan: DeploymentPlan) -> None:
    # The name of a dashboard is unique in its account, whatever the region.
    dashboards = [dashboard_of(plan, foundation) for foundation in plan.foundations.values()]
    assert [
        (one.name, one.region, [section.title for section in one.sections]) for one in dashboards if one
    ] == [
        ("demo-dev", "us-east-1", ["plants"]),
        ("demo-dev-tokyo", "ap-northeast-1", ["plants-jp"]),
        ("demo-dev-lab", "us-east-1", ["train"]),
    ]
