"""The endpoints of a plan, as SageMaker describes them."""

from types import SimpleNamespace
from typing import Any

import pytest

from sizewell.account.after.endpoints import ENDPOINTS
from sizewell.account.finding import Finding, Outcome
from sizewell.planning.build import build_plan
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.planned_variant import PlannedVariant
from tests.account.builders import Refusal, ScriptedAccount, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import container, endpoint, environment

PLAN = build_plan(
    environment({"plants": endpoint(scaling={"min_instances": 2, "max_instances": 4})}),
    catalog(gpu_instance()),
)
NAME = "demo-dev-plants"
FOUND = {
    "EndpointName": NAME,
    "EndpointArn": f"arn:aws:sagemaker:us-east-1:111122223333:endpoint/{NAME}",
    "EndpointConfigName": "config",
    "EndpointStatus": "InService",
    "CreationTime": 0,
    "LastModifiedTime": 0,
}
PRIMARY = {"VariantName": "primary", "CurrentInstanceCount": 3, "CurrentWeight": 1.0}


def account(
    variants: list[dict[str, Any]], instance_type: str = "ml.g9.xlarge", **endpoint_with: Any
) -> ScriptedAccount:
    configured = {
        "EndpointConfigName": "config",
        "EndpointConfigArn": "arn:aws:sagemaker:us-east-1:111122223333:endpoint-config/config",
        "ProductionVariants": [
            {"VariantName": variant["VariantName"], "ModelName": "model", "InstanceType": instance_type}
            for variant in variants
        ],
        "CreationTime": 0,
    }
    return ScriptedAccount(
        {
            "sagemaker": [
                ("describe_endpoint", {**FOUND, "ProductionVariants": variants, **endpoint_with}),
                ("describe_endpoint_config", configured),
            ]
        }
    )


def only(aws: ScriptedAccount) -> Finding:
    return only_of(PLAN, aws)


def only_of(plan: DeploymentPlan, aws: ScriptedAccount) -> Finding:
    (finding,) = findings(ENDPOINTS, plan, aws)
    return finding


def test_an_endpoint_as_planned_passes() -> None:
    finding = only(account([PRIMARY]))

    assert (finding.subject, finding.outcome) == (f"{NAME}/primary", Outcome.PASS)
    assert finding.says == "InService: 3 x ml.g9.xlarge"


@pytest.mark.parametrize("count", [1, 5])
def test_a_count_outside_of_the_bounds_is_not_as_planned(count: int) -> None:
    finding = only(account([{**PRIMARY, "CurrentInstanceCount": count}]))

    assert (finding.outcome, finding.says) == (Outcome.FAIL, f"{count} instances, planned 2 to 4")


@pytest.mark.parametrize("count", [2, 4])
def test_the_least_and_the_most_instances_are_as_planned(count: int) -> None:
    assert only(account([{**PRIMARY, "CurrentInstanceCount": count}])).outcome is Outcome.PASS


def test_another_instance_type_is_not_as_planned() -> None:
    finding = only(account([PRIMARY], "ml.m5.large"))

    assert (finding.outcome, finding.says) == (Outcome.FAIL, "runs on ml.m5.large, planned ml.g9.xlarge")


def test_a_failed_update_is_told_of_an_endpoint_that_is_in_service() -> None:
    failed, passed = findings(ENDPOINTS, PLAN, account([PRIMARY], FailureReason="alarm went off"))

    assert (failed.outcome, failed.says) == (
        Outcome.FAIL,
        "InService, but its last update failed: alarm went off",
    )
    assert passed.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("Updating", Outcome.WARN), ("Failed", Outcome.FAIL), ("UpdateRollbackFailed", Outcome.FAIL)],
)
def test_a_status_other_than_in_service_is_told(status: str, outcome: Outcome) -> None:
    finding = only(account([PRIMARY], EndpointStatus=status))

    assert finding.outcome is outcome
    assert finding.says.startswith(status)


def test_a_deployment_that_goes_on_is_told() -> None:
    pending, _ = findings(
        ENDPOINTS, PLAN, account([PRIMARY], PendingDeploymentSummary={"EndpointConfigName": "next"})
    )

    assert (pending.outcome, pending.says) == (Outcome.WARN, "a deployment of next goes on")


def test_a_variant_too_few_and_one_too_many_are_told() -> None:
    lacking, unplanned = findings(ENDPOINTS, PLAN, account([{**PRIMARY, "VariantName": "other"}]))

    assert (lacking.says, lacking.outcome) == ("the endpoint has no such variant", Outcome.FAIL)
    assert (unplanned.subject, unplanned.outcome) == (f"{NAME}/other", Outcome.FAIL)


def test_an_endpoint_that_is_missing_fails_and_a_refusal_is_unknown() -> None:
    missing, refused = (
        only(ScriptedAccount({"sagemaker": [("describe_endpoint", refusal)]}))
        for refusal in (
            Refusal("ValidationException", 'Could not find endpoint "demo-dev-plants".'),
            Refusal("AccessDeniedException"),
        )
    )

    assert (missing.outcome, missing.says) == (Outcome.FAIL, "there is no such endpoint")
    assert (refused.outcome, refused.subject) == (Outcome.UNKNOWN, NAME)


def test_weights_that_somebody_has_changed_are_told() -> None:
    other = {"traffic_percent": 20, "container": container(artifact={"key": "models/next/model.tar.gz"})}
    plan = build_plan(environment({"plants": endpoint(variants={"next": other})}), catalog(gpu_instance()))
    planned = next(plan.workloads[0].planned_variants)
    variants = [
        {"VariantName": name, "CurrentInstanceCount": planned.fewest_instances, "CurrentWeight": weight}
        for name, weight in (("primary", 50.0), ("next", 0.2))
    ]

    found = findings(ENDPOINTS, plan, account(variants))
    assert [(finding.subject, finding.says) for finding in found if finding.outcome is Outcome.WARN] == [
        (f"{NAME}/primary", "weight 50, planned 0.8: somebody changed it, and an update keeps it")
    ]


def test_a_serverless_variant_has_the_memory_and_the_concurrency_of_the_plan() -> None:
    planned = PlannedVariant(endpoint_name=NAME, variant_name="primary", memory_mb=2048, max_concurrency=10)
    workload = SimpleNamespace(place=None, planned_variants=(planned,))
    plan = PLAN.model_copy(update={"workloads": (workload,)})

    says = [
        only_of(plan, account([{"VariantName": "primary", "CurrentServerlessConfig": config}])).says
        for config in (
            {"MemorySizeInMB": 2048, "MaxConcurrency": 10},
            {"MemorySizeInMB": 1024, "MaxConcurrency": 10},
        )
    ]
    assert says == [
        "InService: 2048 MB, 10 at a time",
        "1024 MB, 10 at a time; planned 2048 MB, 10 at a time",
    ]
