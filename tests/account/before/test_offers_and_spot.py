"""What EC2 offers to clusters, and how likely it has Spot capacity."""

import pytest

from sizewell.account.before.offers import OFFERS
from sizewell.account.before.spot import SPOT
from sizewell.account.finding import Finding, Outcome
from sizewell.planning.build import build_plan
from sizewell.targets.eks.pods_plan_model import EksPlan
from tests.account.builders import Call, ScriptedAccount, example, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import environment

EKS = example("eks-queue-worker")
(POOL,) = [workload.node_pool for workload in EKS.workloads if isinstance(workload, EksPlan)]
SUBNETS: Call = (
    "describe_subnets",
    {"Subnets": [{"AvailabilityZone": f"us-east-1{zone}"} for zone in "ab"]},
    {"Filters": [{"Name": "tag:karpenter.sh/discovery", "Values": ["company-ml"]}]},
)


def offers(**zones: str) -> Call:
    given = [
        {
            "InstanceType": name.replace("_", "."),
            "LocationType": "availability-zone",
            "Location": f"us-east-1{zone}",
        }
        for name, letters in zones.items()
        for zone in letters
    ]
    asked = {
        "LocationType": "availability-zone",
        "Filters": [{"Name": "instance-type", "Values": list(POOL.instance_types)}],
    }
    return "describe_instance_type_offerings", {"InstanceTypeOfferings": given}, asked


def found(call: Call) -> dict[str, Finding]:
    all_of_it = findings(OFFERS, EKS, ScriptedAccount({"ec2": [SUBNETS, call]}))
    return {finding.subject.removeprefix("transcribe: "): finding for finding in all_of_it}


def test_types_are_offered_in_the_zones_of_the_nodes() -> None:
    names = {name.replace(".", "_"): "abc" for name in POOL.instance_types}
    assert {finding.outcome for finding in found(offers(**names)).values()} == {Outcome.PASS}


def test_a_type_that_others_replace_is_no_failure() -> None:
    some = found(offers(g5_xlarge="a", g6_xlarge="ab"))
    assert some["g5.xlarge"].says == "EC2 offers it in us-east-1a, and not in us-east-1b"
    assert (some["g4dn.xlarge"].outcome, some["g6.xlarge"].outcome) == (Outcome.WARN, Outcome.PASS)


def test_types_of_other_zones_alone_fail_once() -> None:
    assert {name: finding.outcome for name, finding in found(offers(g5_xlarge="c")).items()} == {
        "g4dn.xlarge": Outcome.FAIL
    }


def test_without_subnets_any_zone_of_the_region_will_do() -> None:
    names = {"InstanceType": "c8i-flex.xlarge", "LocationType": "availability-zone", "Location": "us-east-1f"}
    aws = ScriptedAccount(
        {"ec2": [("describe_instance_type_offerings", {"InstanceTypeOfferings": [names]})] * 3}
    )

    outcomes = {finding.subject: finding.outcome for finding in findings(OFFERS, example("batch-job"), aws)}
    assert outcomes["score-customers: c8i-flex.xlarge"] is Outcome.PASS
    assert outcomes["tune-mail: g6e.xlarge"] is Outcome.FAIL


def test_a_cluster_whose_subnets_nobody_tagged_warns() -> None:
    names = {name.replace(".", "_"): "abc" for name in POOL.instance_types}
    aws = ScriptedAccount({"ec2": [("describe_subnets", {"Subnets": []}), offers(**names)]})

    first, *others = findings(OFFERS, EKS, aws)
    assert (first.outcome, first.says) == (
        Outcome.WARN,
        "no subnet has tag:karpenter.sh/discovery = company-ml",
    )
    assert {finding.outcome for finding in others} == {Outcome.PASS}


def test_of_sagemaker_nothing_is_said() -> None:
    plan = build_plan(environment(), catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0}))
    for check in (OFFERS, SPOT):
        assert findings(check, plan, ScriptedAccount({})) == []


@pytest.mark.parametrize(
    ("scores", "outcome", "says"),
    [
        ([9, 2], Outcome.PASS, "score 9 of 10 for 1 of "),
        ([4], Outcome.PASS, "score 4 of 10 for 1 of "),
        ([3], Outcome.WARN, "score 3 of 10 for 1 of "),
        ([], Outcome.WARN, "no score for "),
    ],
)
def test_a_low_score_of_spot_capacity_warns(scores: list[int], outcome: Outcome, says: str) -> None:
    plan = example("eks-deployment")
    (pool,) = [
        workload.node_pool
        for workload in plan.workloads
        if isinstance(workload, EksPlan) and "spot" in workload.node_pool.capacity_types
    ]
    asked = {
        "InstanceTypes": list(pool.instance_types),
        "TargetCapacity": pool.max_nodes,
        "RegionNames": ["us-east-1"],
        "SingleAvailabilityZone": False,
    }
    answer = {"SpotPlacementScores": [{"Region": "us-east-1", "Score": score} for score in scores]}
    aws = ScriptedAccount({"ec2": [("get_spot_placement_scores", answer, asked)]})

    (finding,) = findings(SPOT, plan, aws)
    assert finding.outcome is outcome
    assert finding.says.startswith(says)


def test_spot_of_aws_batch_is_asked_for_too() -> None:
    answer = {"SpotPlacementScores": [{"Region": "us-east-1", "Score": 8}]}
    aws = ScriptedAccount({"ec2": [("get_spot_placement_scores", answer)] * 2})
    assert [finding.subject for finding in findings(SPOT, example("batch-job"), aws)] == [
        "churn-train",
        "tune-mail",
    ]
