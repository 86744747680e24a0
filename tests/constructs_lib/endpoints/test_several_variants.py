"""Several variants and a shadow behind one endpoint: each with its model and a role of its own."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.endpoints.production_variant import ProductionVariant
from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.endpoints.serving_model import PipelineContainer
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only, Resources

pytestmark = pytest.mark.cdk

REPOSITORY = "111122223333.dkr.ecr.us-east-1.amazonaws.com"
OTHER = ProductionVariant(
    variant_name="candidate",
    weight=0.1,
    instance_type="ml.c5.xlarge",
    image_uri=f"{REPOSITORY}/candidate:2",
    artifact_key="models/candidate/model.tar.gz",
    initial_instance_count=3,
)


@pytest.fixture
def props(props: RealtimeEndpointProps) -> RealtimeEndpointProps:
    return replace(props, weight=0.9)


def test_each_variant_has_its_share_its_model_and_its_instances(
    stack: Stack, only: Only, resources: Resources, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, other_variants=(OTHER,)))

    own, other = only("AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    assert (own["VariantName"], own["InitialVariantWeight"]) == ("AllTraffic", 0.9)
    assert (other["VariantName"], other["InitialVariantWeight"]) == ("candidate", 0.1)
    assert (other["InstanceType"], other["InitialInstanceCount"]) == ("ml.c5.xlarge", 3)
    images = {
        logical_id: model["PrimaryContainer"]["Image"]
        for logical_id, model in resources("AWS::SageMaker::Model").items()
    }
    assert [images[variant["ModelName"]["Fn::GetAtt"][0]] for variant in (own, other)] == [
        props.image_uri,
        OTHER.image_uri,
    ]
    assert not open_findings(stack)


def test_the_role_of_a_model_reads_its_own_artifact_and_image(
    stack: Stack, resources: Resources, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, other_variants=(OTHER,)))

    reads = []
    for policy in resources("AWS::IAM::ManagedPolicy").values():
        statements = {
            statement["Sid"]: str(statement["Resource"])
            for statement in policy["PolicyDocument"]["Statement"]
        }
        reads.append(statements["ReadArtifact"] + statements["PullImage"])
    of_own, of_other = sorted(reads, key=lambda text: "candidate" in text)
    assert "/models/fraud/7/model.tar.gz" in of_own
    assert "repository/fraud" in of_own
    assert "/models/candidate/model.tar.gz" in of_other
    assert "repository/candidate" in of_other
    assert "candidate" not in of_own
    assert "fraud" not in of_other


def test_a_variant_has_containers_before_its_model_and_its_role_reads_them(
    stack: Stack, resources: Resources, props: RealtimeEndpointProps
) -> None:
    features = PipelineContainer(
        name="features", image_uri=f"{REPOSITORY}/features:1", artifact_key="models/features/model.tar.gz"
    )
    RealtimeEndpoint(
        stack, "Endpoint", props=replace(props, other_variants=(replace(OTHER, before=(features,)),))
    )

    models = resources("AWS::SageMaker::Model").values()
    assert sorted(len(model.get("Containers", ())) for model in models) == [0, 2]
    of_other, of_own = sorted(
        (str(policy) for policy in resources("AWS::IAM::ManagedPolicy").values()),
        key=lambda text: "candidate" in text,
        reverse=True,
    )
    assert "/models/features/model.tar.gz" in of_other
    assert "repository/features" in of_other
    assert "features" not in of_own


def test_an_update_keeps_numbers_and_sets_the_weights_of_the_configuration(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=replace(props, other_variants=(OTHER,)))
    endpoint.add_scaling(
        min_instance_count=2, max_instance_count=4, target_invocations_per_instance_per_minute=60
    )

    updated = only("AWS::SageMaker::Endpoint")
    assert updated["RetainAllVariantProperties"] is True
    assert updated["ExcludeRetainedVariantProperties"] == [{"VariantPropertyType": "DesiredWeight"}]


def test_a_shadow_gets_copies_and_shares_nothing(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, weight=1, shadow_variant=OTHER))

    configuration = only("AWS::SageMaker::EndpointConfig")
    assert [variant["VariantName"] for variant in configuration["ProductionVariants"]] == ["AllTraffic"]
    (shadow,) = configuration["ShadowProductionVariants"]
    assert (shadow["VariantName"], shadow["InitialVariantWeight"]) == ("candidate", 0.1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"other_variants": (replace(OTHER, variant_name="AllTraffic"),)}, "each with a name of its own"),
        (
            {"other_variants": (OTHER,), "shadow_variant": replace(OTHER, variant_name="s")},
            "one variant only",
        ),
        ({"weight": 0, "other_variants": (replace(OTHER, weight=0),)}, "sum to 0"),
        ({"weight": -1}, "weight must be at least 0, got -1"),
        ({"other_variants": (replace(OTHER, instance_type="ml.g5.xlarge"),)}, "one key is for the volumes"),
    ],
)
def test_what_the_api_would_refuse_of_variants_is_refused(
    props: RealtimeEndpointProps, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        replace(props, **changes)
