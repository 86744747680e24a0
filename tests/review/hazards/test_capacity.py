from typing import Any

import pytest

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.saved.output import Assembly
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import STACK, described, endpoint_app, hazards, hazards_of, plan, rules, text


def test_the_most_falls_below_what_was_the_least() -> None:
    assert described(hazards(endpoint_app(bounds=(3, 6)), endpoint_app(bounds=(2, 2)))) == text("""
        warning capacity-lowered, dev/app-stack/Target: variant primary of endpoint assistant
        maximum number of instances 6 → 2, below the old minimum of 3 instances
        Autoscaling stops instances that serve now, and may not start them again. Latency rises, and requests fail
            at peak.
        Check the traffic of the last weeks, or keep the maximum. A high maximum costs nothing until it is needed.
        """)
    assert hazards(endpoint_app(bounds=(3, 6)), endpoint_app(bounds=(3, 3))) == ()


def test_the_most_falls_below_what_the_average_needs() -> None:
    cost = {"usd_per_hour": None, "usd_per_month": None, "basis": "unknown", "price_date": None}
    estimate = {"memory": {"usable_gib": 20}, "instances_at_average": 3}
    endpoint = {
        "name": "assistant",
        "stack_name": STACK,
        "endpoint_name": "assistant",
        "variant_name": "primary",
        "instance_type": "ml.g5.xlarge",
        "initial_instance_count": 2,
        "scaling": None,
        "selection": {"chosen": {"instance_type": "ml.g5.xlarge", "estimate": estimate, "cost": cost}},
        "needs_digest": "0",
    }

    def side(most: int) -> Assembly:
        return assembly(stack(endpoint_app(bounds=(1, most))), plan=plan("dev", endpoints=[endpoint]))

    (found,) = hazards_of(EnvironmentPair("dev", side(4), side(2)))
    assert (found.workload, found.cause) == (
        "assistant",
        "maximum number of instances 4 → 2, below what the average traffic needs, 3 instances",
    )
    assert hazards_of(EnvironmentPair("dev", side(4), side(3))) == ()


def test_scaling_that_is_taken_away() -> None:
    assert described(hazards(endpoint_app(), endpoint_app(scaling=None))) == text("""
        warning scaling-removed, dev/app-stack/Endpoint: variant primary of endpoint assistant
        autoscaling from 2 to 4 instances is removed
        The variant keeps the number of instances that it has at the deployment. That may be too few at peak, or too
            many at all other times.
        Keep autoscaling. Otherwise set the number of instances that the peak needs, and check it after the
            deployment.
        """)
    assert hazards(endpoint_app(scaling=None), endpoint_app()) == ()


def test_a_switch_that_is_off_by_default_takes_scaling_away() -> None:
    found = hazards(endpoint_app(), endpoint_app(autoscaling="off"))
    assert [(hazard.rule, hazard.severity, hazard.cause) for hazard in found] == [
        ("scaling-removed", "warning", "autoscaling from 2 to 4 instances is removed")
    ]
    assert hazards(endpoint_app(autoscaling="off"), endpoint_app()) == ()
    assert hazards(endpoint_app(autoscaling="off"), endpoint_app(scaling=None)) == ()


@pytest.mark.parametrize(("base", "head"), [("native", "switched"), ("switched", "native")])
def test_the_switch_comes_and_goes_without_a_hazard(base: str, head: str) -> None:
    # The target stays the same resource with the same properties: nobody deregisters anything.
    assert hazards(endpoint_app(scaling=base), endpoint_app(scaling=head)) == ()


@pytest.mark.parametrize("scaling", ["switched", "native"])
def test_hotter_instances(scaling: str) -> None:
    (found,) = hazards(endpoint_app(scaling=scaling), endpoint_app(scaling=scaling, target=750))
    assert described((found,)) == text("""
        warning scaling-target-raised, dev/app-stack/Target: variant primary of endpoint assistant
        TargetValue of SageMakerVariantInvocationsPerInstance 600 → 750 (+25%)
        Each instance of the same type carries more before autoscaling starts another one. Latency rises, and less
            capacity is left for a sudden peak.
        Make sure that a load test on this type has shown that one instance carries this load.
        """)


LATENCY = {"Id": "a", "MetricStat": {"Metric": {"MetricName": "ModelLatency"}, "Stat": "p95"}}
SHARE = {"Id": "b", "Expression": "open / busy"}


@pytest.mark.parametrize(
    ("queries", "metric"),
    [([LATENCY], "ModelLatency"), ([{**LATENCY, "ReturnData": False}, SHARE], "open / busy")],
)
def test_a_target_of_queries_is_called_by_what_they_come_to(
    queries: list[dict[str, Any]], metric: str
) -> None:
    def following(target: float) -> dict[str, Any]:
        app = endpoint_app(target=target)
        tracking = app["Resources"]["Policy"]["Properties"]["TargetTrackingScalingPolicyConfiguration"]
        del tracking["PredefinedMetricSpecification"]
        tracking["CustomizedMetricSpecification"] = {"Metrics": queries}
        return app

    (found,) = hazards(following(600), following(750))
    assert found.cause == f"TargetValue of {metric} 600 → 750 (+25%)"


def test_a_shorter_cooldown() -> None:
    assert described(hazards(endpoint_app(), endpoint_app(cooldown=60))) == text("""
        notice scale-in-cooldown-shortened, dev/app-stack/Target: variant primary of endpoint assistant
        scale-in cooldown of SageMakerVariantInvocationsPerInstance 300 → 60 seconds
        Autoscaling stops one instance after another sooner. If traffic comes and goes, it stops instances that it
            starts again minutes later.
        Keep the cooldown longer than a new instance needs to start.
        """)


@pytest.mark.parametrize("head", [{"target": 720}, {"target": 500}, {"cooldown": 150}, {"cooldown": 600}])
def test_a_little_more_or_a_lot_less(head: dict[str, Any]) -> None:
    assert hazards(endpoint_app(), endpoint_app(**head)) == ()


def test_another_type_has_another_target() -> None:
    found = hazards(endpoint_app(), endpoint_app(instance_type="ml.g6.12xlarge", target=2000))
    assert rules(found) == ["fleet-doubled", "instance-type-changed"]


def test_many_more_instances() -> None:
    assert described(hazards(endpoint_app(bounds=(2, 2)), endpoint_app(bounds=(2, 200)))) == text("""
        warning capacity-raised, dev/app-stack/Target: variant primary of endpoint assistant
        maximum number of instances 2 → 200
        A burst of requests, or a wrong metric, may now start 198 more instances of ml.g5.xlarge. The expected cost
            stays the same, but the highest possible cost rises.
        Check the highest cost in the cost section, keep a budget alarm, and make sure that the quota allows the
            instances.
        """)
    for most in (8, 11):
        assert hazards(endpoint_app(bounds=(2, 2)), endpoint_app(bounds=(2, most))) == ()


def serverless(**given: int) -> dict[str, Any]:
    config = {"ServerlessConfig": {"MemorySizeInMB": 2048, **given}}
    without_instances = {"InstanceType": None, "InitialInstanceCount": None}
    return endpoint_app(scaling=None, variant_properties={**without_instances, **config})


def test_fewer_requests_at_the_same_time_of_a_function() -> None:
    def app(reserved: int, warm: int) -> dict[str, Any]:
        provisioned = {"ProvisionedConcurrentExecutions": warm}
        return template(
            Function=resource("AWS::Lambda::Function", {"ReservedConcurrentExecutions": reserved}),
            Alias=resource(
                "AWS::Lambda::Alias", {"Name": "live", "ProvisionedConcurrencyConfig": provisioned}
            ),
        )

    assert described(hazards(app(100, 10), app(20, 10))) == text("""
        warning function-concurrency-lowered, dev/app-stack/Function: function Function
        ReservedConcurrentExecutions 100 → 20
        Lambda throttles concurrent requests above ReservedConcurrentExecutions. It starts an execution environment,
            which takes seconds, for requests above the provisioned concurrency.
        Check ConcurrentExecutions and Throttles of the last weeks.
        """)
    (found,) = hazards(app(100, 10), app(100, 4))
    assert found.cause == "ProvisionedConcurrentExecutions 10 → 4"
    assert hazards(app(20, 4), app(100, 10)) == ()


def test_fewer_requests_at_the_same_time() -> None:
    base = serverless(MaxConcurrency=100, ProvisionedConcurrency=10)
    assert described(hazards(base, serverless(MaxConcurrency=1, ProvisionedConcurrency=1))) == text("""
        warning concurrency-lowered, dev/app-stack/Endpoint: variant primary of endpoint assistant
        MaxConcurrency 100 → 1; ProvisionedConcurrency 10 → 1
        SageMaker throttles concurrent requests above MaxConcurrency. It starts a container, which takes seconds,
            for requests above ProvisionedConcurrency.
        Check ConcurrentExecutions and the throttled invocations of the last weeks.
        """)
    assert hazards(serverless(MaxConcurrency=1), serverless(MaxConcurrency=2)) == ()
