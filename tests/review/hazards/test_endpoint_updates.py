from typing import Any

import pytest

from tests.review.hazards.apps import described, endpoint_app, hazards, rules, text

BLUE_GREEN = {"BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": {"Type": "ALL_AT_ONCE"}}}


def test_the_type_of_a_switched_variant_changes_with_sizewell_deploy() -> None:
    assert described(
        hazards(endpoint_app(), endpoint_app(instance_type="ml.g6.xlarge"), theme="endpoint_updates")
    ) == text("""
        warning instance-type-changed, dev/app-stack/Endpoint: variant primary of endpoint assistant
        InstanceType ml.g5.xlarge → ml.g6.xlarge, and the variant is autoscaled
        SageMaker does not change the instance type of a registered scalable target, so cdk deploy fails and rolls
            back. sizewell deploy turns autoscaling off, updates the endpoint and turns autoscaling on again. Until
            then the endpoint keeps the number of instances that it had with the old type.
        Run sizewell deploy for the stack app-stack. Choose a quiet hour, above all if the new type is smaller.
        """)


def test_without_a_switch_the_change_fails() -> None:
    base = endpoint_app(scaling="native")
    head = endpoint_app(scaling="native", instance_type="ml.g6.xlarge")
    assert described(hazards(base, head, theme="endpoint_updates")) == text("""
        danger instance-type-changed, dev/app-stack/Endpoint: variant primary of endpoint assistant
        InstanceType ml.g5.xlarge → ml.g6.xlarge, and the variant is autoscaled
        UpdateEndpoint fails, because SageMaker does not change the instance type of a registered scalable target,
            and CloudFormation updates the endpoint before the target. The deployment rolls back.
        Deploy three times: without the scalable target and its policies, then with the new type, then with the
            target again. Do not combine two of these steps, because SageMaker would refuse the rollback, too.
        """)


@pytest.mark.parametrize(
    ("base", "head", "severity"),
    [
        ("switched", None, "warning"),
        ("switched", "native", "danger"),
        ("native", "switched", "danger"),
        ("native", None, "danger"),
    ],
)
def test_sizewell_deploy_needs_the_switch_where_scaling_is_on(
    base: str, head: str | None, severity: str
) -> None:
    # Deployed is the switch of the base; the head decides whether scaling stays off until its own is turned on.
    found = hazards(
        endpoint_app(scaling=base),
        endpoint_app(scaling=head, instance_type="ml.g6.xlarge"),
        theme="endpoint_updates",
    )
    assert [(hazard.rule, hazard.severity) for hazard in found] == [("instance-type-changed", severity)]


def test_a_parameter_of_the_same_name_is_no_switch_of_a_target_without_condition() -> None:
    base, head = endpoint_app(), endpoint_app(instance_type="ml.g6.xlarge")
    for app in (base, head):
        del app["Resources"]["Target"]["Condition"]
    (found,) = hazards(base, head, theme="endpoint_updates")
    assert found.severity == "danger"


def test_a_condition_of_another_parameter_is_no_switch() -> None:
    base, head = endpoint_app(), endpoint_app(instance_type="ml.g6.xlarge")
    for app in (base, head):
        app["Parameters"]["Stage"] = app["Parameters"]["Autoscaling"]
        app["Conditions"] = {"AutoscalingOn": {"Fn::Equals": [{"Ref": "Stage"}, "on"]}}
    (found,) = hazards(base, head, theme="endpoint_updates")
    assert found.severity == "danger"


def test_a_variant_that_nobody_scales_may_have_another_type() -> None:
    base, head = endpoint_app(scaling=None), endpoint_app(scaling=None, instance_type="ml.g6.xlarge")
    assert rules(hazards(base, head)) == ["fleet-doubled"]


def test_instance_pools_are_types_too() -> None:
    pools = {"InstanceType": None, "InstancePools": [{"InstanceType": "ml.g6.xlarge", "Priority": 1}]}
    found = hazards(endpoint_app(scaling="native"), endpoint_app(scaling="native", variant_properties=pools))
    assert found[0].cause == "InstanceType ml.g5.xlarge → pool of ml.g6.xlarge, and the variant is autoscaled"


def test_a_type_that_only_the_deployment_knows_is_compared_as_written() -> None:
    unknown = {"Fn::FindInMap": ["Types", "prod", "type"]}
    same = endpoint_app(scaling="native", instance_type=unknown)
    assert hazards(same, endpoint_app(scaling="native", instance_type=unknown, target=601)) == ()


def test_a_renamed_variant_is_refused() -> None:
    assert described(hazards(endpoint_app(scaling=None), endpoint_app(scaling=None, variant="main"))) == text("""
        danger variant-renamed, dev/app-stack/Endpoint: endpoint assistant
        variant names primary → main
        A blue/green or rolling update needs the variant names of the old configuration in the new one, and
            SageMaker updates blue/green by default. UpdateEndpoint fails, and the deployment rolls back. Metrics,
            alarms and calls with TargetVariant that use an old name find nothing.
        Keep the name primary.
        """)


def test_a_renamed_variant_that_is_a_scalable_target_is_refused_twice() -> None:
    (found,) = hazards(endpoint_app(scaling="native"), endpoint_app(scaling="native", variant="main"))
    assert "primary cannot be removed either: it is a registered scalable target." in found.consequence


@pytest.mark.parametrize(("deployment", "expected"), [(BLUE_GREEN, ["variant-renamed"]), (None, [])])
def test_an_added_variant_matters_only_under_guardrails(
    deployment: dict[str, object] | None, expected: list[str]
) -> None:
    endpoint = {"DeploymentConfig": deployment}
    base = endpoint_app(scaling=None, endpoint=endpoint)
    head = endpoint_app(scaling=None, endpoint=endpoint)
    variants = head["Resources"]["Config"]["Properties"]["ProductionVariants"]
    variants.append({**variants[0], "VariantName": "second"})
    assert rules(hazards(base, head, theme="endpoint_updates")) == expected


def test_clients_of_a_renamed_endpoint_find_nothing() -> None:
    base, head = (endpoint_app(scaling=None, endpoint={"EndpointName": name}) for name in ("old", "new"))
    assert described(hazards(base, head)) == text("""
        danger endpoint-renamed, dev/app-stack/Endpoint: endpoint old
        EndpointName old → new
        CloudFormation creates a new endpoint and then deletes the old one. Every client that calls the old name
            fails with a ValidationError. In between both fleets run and cost money.
        Keep the name. If it has to change, deploy the new endpoint beside the old one, move the clients, and remove
            the old one in a later deployment.
        """)


def test_a_renamed_endpoint_is_no_update_besides() -> None:
    base = endpoint_app(scaling="native")
    head = endpoint_app(scaling="native", instance_type="ml.g6.xlarge", endpoint={"EndpointName": "other"})
    assert rules(hazards(base, head)) == ["endpoint-renamed"]


SERVERLESS = {"ServerlessConfig": {"MemorySizeInMB": 2048, "MaxConcurrency": 5}}


def serverless_app() -> dict[str, Any]:
    app = endpoint_app(scaling=None, variant_properties=SERVERLESS)
    (variant,) = app["Resources"]["Config"]["Properties"]["ProductionVariants"]
    del variant["InstanceType"], variant["InitialInstanceCount"]
    return app


def test_an_endpoint_on_instances_cannot_become_serverless() -> None:
    assert described(hazards(endpoint_app(scaling=None), serverless_app(), theme="endpoint_updates")) == text("""
        danger made-serverless, dev/app-stack/Endpoint: variant primary of endpoint assistant
        ml.g5.xlarge → serverless
        UpdateEndpoint fails, because SageMaker cannot turn an endpoint on instances into a serverless one. The
            deployment rolls back.
        Add a second workload, whose endpoint has another name. Move the clients, and remove the old workload in a
            later deployment.
        """)


def test_a_serverless_endpoint_may_get_instances() -> None:
    assert hazards(serverless_app(), endpoint_app(scaling=None), theme="endpoint_updates") == ()
