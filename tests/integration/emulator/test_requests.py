"""Requests are held to botocore's models: what a client would have let through."""

import json

import pytest

from tests.integration.emulator.lab import SMALL, Json, Lab, refusal, wire_refusal

pytestmark = pytest.mark.usefixtures("admin")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            {"InstanceTyp": SMALL},
            "1 validation error detected: Unknown member 'productionVariants.1.member.instanceTyp'",
            id="a misspelt member",
        ),
        pytest.param(
            {"InstanceType": "ml.c99.large"},
            "Value 'ml.c99.large' at 'productionVariants.1.member.instanceType' failed to satisfy constraint: "
            "Member must satisfy enum value set: [",
            id="a type that there is not",
        ),
        pytest.param(
            {"InitialInstanceCount": 0},
            "Value '0' at 'productionVariants.1.member.initialInstanceCount' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
            id="a bound",
        ),
        pytest.param(
            {"VariantName": "a_b"},
            "Value 'a_b' at 'productionVariants.1.member.variantName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: ",
            id="a pattern",
        ),
        pytest.param(
            {"VariantName": "v" * 64},
            "failed to satisfy constraint: Member must have length less than or equal to 63",
            id="a length",
        ),
        pytest.param(
            {"InitialInstanceCount": "two"},
            "Value at 'productionVariants.1.member.initialInstanceCount' failed to satisfy constraint: "
            "Member must be of type integer",
            id="a type of JSON",
        ),
        pytest.param(
            {"VariantName": None},
            "Value null at 'productionVariants.1.member.variantName' failed to satisfy constraint: "
            "Member must not be null",
            id="a required member",
        ),
    ],
)
def test_requests_are_held_to_the_model_of_the_api(lab: Lab, change: Json, message: str) -> None:
    name = lab.name("config")
    request = {"EndpointConfigName": name, "ProductionVariants": [lab.variant(**change)]}
    said = wire_refusal(lab, "sagemaker", "CreateEndpointConfig", request)
    assert said.startswith("ValidationException: ")
    assert message in said
    assert name not in json.dumps(lab("sagemaker").list_endpoint_configs(MaxResults=100), default=str)


def test_all_faults_of_a_request_are_named_at_once(lab: Lab) -> None:
    said = wire_refusal(lab, "sagemaker", "CreateEndpoint", {"EndpointName": "a_b", "Nope": 1})
    assert said.startswith("ValidationException: 3 validation errors detected: ")
    assert "Value null at 'endpointConfigName'" in said


def test_application_auto_scaling_is_held_to_its_model(lab: Lab) -> None:
    said = refusal(lab("application-autoscaling").register_scalable_target, ServiceNamespace="sagemakr")
    assert "Value 'sagemakr' at 'serviceNamespace' failed to satisfy constraint" in said
