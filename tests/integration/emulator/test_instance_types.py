"""What AWS itself refuses of instance types and serverless variants."""

import json
from typing import Any

import pytest

from tests.integration.emulator.job_requests import job_requests
from tests.integration.emulator.lab import IMAGE, SMALL, Json, Lab, refusal, wire_refusal

pytestmark = pytest.mark.usefixtures("admin")


def test_a_type_that_the_region_does_not_offer(lab: Lab) -> None:
    # The API knows it, and it is priced for hosting in no region.
    said = refusal(
        lab("sagemaker").create_endpoint_config,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=[lab.variant(InstanceType="ml.p3.2xlarge")],
    )
    assert said == (
        "ValidationException: The instance type ml.p3.2xlarge is not available for hosting in the region us-east-1"
    )


def test_what_one_region_offers_another_does_not(lab: Lab) -> None:
    paris, model = lab("sagemaker", "eu-west-3"), lab.name("model")
    paris.create_model(ModelName=model, PrimaryContainer={"Image": IMAGE}, ExecutionRoleArn=lab.role)
    variant = lab.variant(InstanceType="ml.p5.48xlarge", ModelName=model)
    said = refusal(
        paris.create_endpoint_config, EndpointConfigName=lab.name("config"), ProductionVariants=[variant]
    )
    assert "ml.p5.48xlarge is not available for hosting in the region eu-west-3" in said
    lab.config(variant | {"ModelName": lab.model()})


@pytest.mark.parametrize("kind", ["processing", "transform"])
def test_jobs_on_a_type_that_the_region_does_not_offer(lab: Lab, kind: str) -> None:
    prefix, request = job_requests(lab)[kind]
    request = json.loads(json.dumps(request).replace(SMALL, "ml.p3.2xlarge"))
    said = wire_refusal(lab, "sagemaker", f"Create{prefix}", request)
    assert f"ml.p3.2xlarge is not available for {kind} in the region us-east-1" in said


@pytest.mark.parametrize(
    ("change", "more"), [({}, {"KmsKeyId": True}), ({"VolumeSizeInGB": 100}, {})], ids=["key", "volume"]
)
def test_types_with_local_disks_take_neither_key_nor_volume(lab: Lab, change: Json, more: Json) -> None:
    request = {"EndpointConfigName": lab.name("config")} | ({"KmsKeyId": lab.key} if more else {})
    create = lab("sagemaker").create_endpoint_config
    for instance_type in ("ml.g5.xlarge", "ml.m5d.large", "ml.p4de.24xlarge", "ml.p5en.48xlarge"):
        said = refusal(
            create, **request, ProductionVariants=[lab.variant(InstanceType=instance_type, **change)]
        )
        assert f"is not supported for {instance_type}, which has local instance storage" in said
    create(**request, ProductionVariants=[lab.variant(InstanceType=SMALL, **change)])


SERVERLESS: list[Any] = [
    pytest.param(
        {"InstanceType": SMALL, "InitialInstanceCount": 1}, {}, "exactly one of", id="with an instance"
    ),
    pytest.param(
        {"ServerlessConfig": {"MemorySizeInMB": 5000}}, {}, "MemorySizeInMB must be one of", id="memory"
    ),
    pytest.param(
        {"ServerlessConfig": {"ProvisionedConcurrency": 6}},
        {},
        "ProvisionedConcurrency must be less than or equal to MaxConcurrency",
        id="concurrency",
    ),
    pytest.param(
        {},
        {
            "DataCaptureConfig": {
                "InitialSamplingPercentage": 10,
                "DestinationS3Uri": "s3://refusals/captured",
                "CaptureOptions": [{"CaptureMode": "Input"}],
            }
        },
        "DataCaptureConfig is not supported with ServerlessConfig",
        id="data capture",
    ),
    pytest.param(
        {},
        {"AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://refusals/out"}}},
        "AsyncInferenceConfig is not supported with ServerlessConfig",
        id="async",
    ),
]


@pytest.mark.parametrize(("change", "more", "message"), SERVERLESS)
def test_serverless_with_what_it_excludes(lab: Lab, change: Json, more: Json, message: str) -> None:
    change = dict(change)
    variant = lab.serverless(ServerlessConfig=change.pop("ServerlessConfig", {})) | change
    said = refusal(
        lab("sagemaker").create_endpoint_config,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=[variant],
        **more,
    )
    assert message in said


def test_serverless_with_a_second_variant(lab: Lab) -> None:
    variants = [lab.serverless(), lab.serverless(VariantName="other")]
    said = refusal(
        lab("sagemaker").create_endpoint_config,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=variants,
    )
    assert "A serverless endpoint has one production variant" in said


@pytest.mark.parametrize("kind", ["network", "isolation", "pipeline"])
def test_serverless_with_a_model_that_it_cannot_host(lab: Lab, kind: str) -> None:
    # https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints.html, "Feature exclusions"
    changes: dict[str, Json] = {
        "network": {"VpcConfig": {"Subnets": [lab.subnet], "SecurityGroupIds": [lab.group]}},
        "isolation": {"EnableNetworkIsolation": True},
        "pipeline": {"PrimaryContainer": None, "Containers": [{"Image": IMAGE}, {"Image": IMAGE}]},
    }
    model = lab.name("model")
    request = {"ModelName": model, "PrimaryContainer": {"Image": IMAGE}, "ExecutionRoleArn": lab.role}
    request |= changes[kind]
    lab("sagemaker").create_model(**{key: value for key, value in request.items() if value is not None})
    said = refusal(
        lab("sagemaker").create_endpoint_config,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=[lab.serverless(ModelName=model)],
    )
    assert "is not supported with ServerlessConfig" in said


def test_a_variant_is_of_some_kind(lab: Lab) -> None:
    said = refusal(
        lab("sagemaker").create_endpoint_config,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=[lab.variant(InstanceType=None)],
    )
    assert "must specify exactly one of InstanceType, InstancePools and ServerlessConfig, got none" in said


def test_a_serverless_endpoint_serves(lab: Lab) -> None:
    assert lab.describe(lab.endpoint(lab.config(lab.serverless())))["EndpointStatus"] == "InService"


def test_a_shadow_stands_beside_one_variant(lab: Lab) -> None:
    shadow = lab.variant(VariantName="shadow", InitialVariantWeight=0.5)
    config = lab.config(ShadowProductionVariants=[shadow])
    (shown,) = lab.describe(lab.endpoint(config))["ShadowProductionVariants"]
    assert (shown["VariantName"], shown["DesiredWeight"]) == ("shadow", 0.5)

    said = refusal(
        lab("sagemaker").create_endpoint_config,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=[lab.variant(), lab.variant(VariantName="other")],
        ShadowProductionVariants=[shadow],
    )
    assert "beside exactly one production variant" in said
