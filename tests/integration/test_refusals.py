"""The local cloud is a faithful judge: it refuses what AWS refuses, in scaled time, and nothing is accepted in silence.

Each clause of what the plugin promises has its test here, with boto3 and small templates in an account of its own.
"""

import io
import itertools
import json
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

from localcloud.places import LOCAL_PYTHON, PROJECT_ROOT
from tests.integration.harness import Admin, Cloud

#: Every test gives orders to the local cloud, or asks for what it does not have: none is for a real account.
pytestmark = pytest.mark.usefixtures("admin")

ACCOUNT = "444455556666"
REGION = "us-east-1"
ROLE_OF_NOBODY = f"arn:aws:iam::{ACCOUNT}:role/nobody"
KEY_OF_NOBODY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/00000000-0000-4000-8000-000000000000"
IMAGE = "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-inference:2.6.0-cpu-py312-ubuntu22.04-sagemaker"
SMALL, LARGE = "ml.m5.large", "ml.m5.xlarge"
INSTANCE_COUNT = "sagemaker:variant:DesiredInstanceCount"
#: Slow enough to see a status that lasts 240 s, and to act while it lasts: half a second.
SLOW = 0.002
Json = dict[str, Any]


class Lab:
    """An account with a role, a key, a bucket and a network, and short ways to make what a test is not about."""

    def __init__(self, endpoint_url: str) -> None:
        self.endpoint_url = endpoint_url
        self._clients: dict[tuple[str, str], Any] = {}
        self._numbers = itertools.count(1)
        trust = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "sagemaker.amazonaws.com"}}]}
        self.role = self._role("sagemaker", trust)
        self.role_of_lambda = self._role(
            "lambda", {"Statement": [{"Principal": {"Service": "lambda.amazonaws.com"}}]}
        )
        self.key = self("kms").create_key()["KeyMetadata"]["Arn"]
        self.bucket = "refusals"
        self("s3").create_bucket(Bucket=self.bucket)
        vpcs = [self("ec2").create_vpc(CidrBlock=f"10.{n}.0.0/16")["Vpc"]["VpcId"] for n in (1, 2)]
        self.subnet, self.foreign_subnet = (
            self("ec2").create_subnet(VpcId=vpc, CidrBlock=f"10.{n}.0.0/24")["Subnet"]["SubnetId"]
            for n, vpc in enumerate(vpcs, start=1)
        )
        self.group = self("ec2").create_security_group(VpcId=vpcs[0], GroupName="g", Description="g")[
            "GroupId"
        ]

    def __call__(self, service: str, region: str = REGION) -> Any:
        """Return a client that checks nothing itself and asks once."""
        key = (service, region)
        if key not in self._clients:
            self._clients[key] = boto3.client(
                service,
                region_name=region,
                endpoint_url=self.endpoint_url,
                aws_access_key_id=ACCOUNT,
                aws_secret_access_key="local",
                config=Config(parameter_validation=False, retries={"total_max_attempts": 1}),
            )
        return self._clients[key]

    def _role(self, name: str, trust: Json) -> str:
        role = self("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))
        return str(role["Role"]["Arn"])

    def name(self, noun: str) -> str:
        """Return a name that nothing has."""
        return f"{noun}-{next(self._numbers)}"

    def model(self, **more: Any) -> str:
        name = self.name("model")
        request = {
            "ModelName": name,
            "PrimaryContainer": {"Image": IMAGE},
            "ExecutionRoleArn": self.role,
        } | more
        self("sagemaker").create_model(**request)
        return name

    def variant(self, **more: Any) -> Json:
        """Return a variant; None removes a member."""
        variant = {"VariantName": "main", "InstanceType": SMALL, "InitialInstanceCount": 1} | more
        variant.setdefault("ModelName", self.model())
        return {key: value for key, value in variant.items() if value is not None}

    def serverless(self, **more: Any) -> Json:
        serverless = {"MemorySizeInMB": 2048, "MaxConcurrency": 5} | more.pop("ServerlessConfig", {})
        return self.variant(InstanceType=None, InitialInstanceCount=None, ServerlessConfig=serverless, **more)

    def config(self, *variants: Json, **more: Any) -> str:
        name = self.name("config")
        self("sagemaker").create_endpoint_config(
            EndpointConfigName=name, ProductionVariants=list(variants) or [self.variant()], **more
        )
        return name

    def endpoint(self, config: str | None = None, **more: Any) -> str:
        """Return a new endpoint, in service."""
        name = self.name("endpoint")
        self("sagemaker").create_endpoint(
            EndpointName=name, EndpointConfigName=config or self.config(), **more
        )
        assert self.statuses(name)[-1] == "InService"
        return name

    def describe(self, endpoint: str) -> Json:
        found: Json = self("sagemaker").describe_endpoint(EndpointName=endpoint)
        return found

    def statuses(self, endpoint: str) -> list[str]:
        """Return the statuses that an endpoint passes through until it rests, which may be its end."""
        seen: list[str] = []
        for _ in range(3000):
            try:
                status = str(self.describe(endpoint)["EndpointStatus"])
            except ClientError as error:
                if "Could not find endpoint" not in str(error):
                    raise
                return [*seen, "(gone)"]
            if [status] != seen[-1:]:
                seen.append(status)
            if status in {"InService", "Failed"}:
                return seen
            time.sleep(0.005)
        raise AssertionError(f"{endpoint} never rests: {seen}")

    def register(self, endpoint: str, **more: Any) -> Json:
        """Return how the variant of an endpoint is called as a scalable target, registered."""
        target = target_of(endpoint)
        self("application-autoscaling").register_scalable_target(
            **target, **({"MinCapacity": 1, "MaxCapacity": 4} | more)
        )
        return target

    def stack(self, action: str, name: str, resources: Json) -> tuple[str, str]:
        """Create, update or delete a stack, wait, and return its status and the reasons of its newest events."""
        cloudformation = self("cloudformation")
        template = json.dumps({"Resources": resources})
        stack_id = self._stack_id(name)
        before = len(self._events(stack_id)) if stack_id else 0
        if action == "delete":
            cloudformation.delete_stack(StackName=name)
        else:
            capabilities = ["CAPABILITY_NAMED_IAM"]
            operation = {"create": cloudformation.create_stack, "update": cloudformation.update_stack}[action]
            stack_id = operation(StackName=name, TemplateBody=template, Capabilities=capabilities)["StackId"]
        for _ in range(3000):
            (stack,) = cloudformation.describe_stacks(StackName=stack_id)["Stacks"]
            if not stack["StackStatus"].endswith("IN_PROGRESS"):
                events = self._events(stack_id)
                fresh = events[: len(events) - before]
                return stack["StackStatus"], "\n".join(
                    e.get("ResourceStatusReason", "") for e in reversed(fresh)
                )
            time.sleep(0.01)
        raise AssertionError(f"stack {name} never rests")

    def _events(self, stack_id: str) -> list[Json]:
        pages = self("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack_id)
        return [event for page in pages for event in page["StackEvents"]]

    def _stack_id(self, name: str) -> str:
        try:
            return str(self("cloudformation").describe_stacks(StackName=name)["Stacks"][0]["StackId"])
        except ClientError:
            return ""

    def physical_ids(self, stack: str) -> dict[str, str]:
        resources = self("cloudformation").describe_stack_resources(StackName=stack)["StackResources"]
        return {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources}


@pytest.fixture(scope="module")
def lab(cloud: Cloud) -> Iterator[Lab]:
    made = Lab(cloud.endpoint_url)  # type: ignore[attr-defined]
    yield made
    for client in made._clients.values():
        client.close()


def target_of(endpoint: str, variant: str = "main") -> Json:
    return {
        "ServiceNamespace": "sagemaker",
        "ResourceId": f"endpoint/{endpoint}/variant/{variant}",
        "ScalableDimension": INSTANCE_COUNT,
    }


def tracking(metric: str = "SageMakerVariantInvocationsPerInstance") -> Json:
    return {"TargetValue": 100.0, "PredefinedMetricSpecification": {"PredefinedMetricType": metric}}


def wire_refusal(lab: Lab, service: str, operation: str, request: Json) -> str:
    """Return how a request is refused that no client would send: botocore's serializer knows no unknown members."""
    model = lab(service).meta.service_model
    credential = f"{ACCOUNT}/20260101/{REGION}/{service}/aws4_request"
    headers = {
        "X-Amz-Target": f"{model.metadata['targetPrefix']}.{operation}",
        "Content-Type": "application/x-amz-json-1.1",
        "Authorization": f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=0",
    }
    sent = urllib.request.Request(lab.endpoint_url, data=json.dumps(request).encode(), headers=headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(sent, timeout=30)
    with refused.value as answer:
        body = json.load(answer)
    return f"{body['__type']}: {body['message']}"


def refusal(call: Callable[..., Any], **request: Any) -> str:
    """Return the code and the message with which a call is refused."""
    with pytest.raises(ClientError) as refused:
        call(**request)
    error = refused.value.response["Error"]
    return f"{error['Code']}: {error['Message']}"


# Requests against botocore's models: what a client would have let through.


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
    assert name not in json.dumps(lab("sagemaker").list_endpoint_configs(), default=str)


def test_all_faults_of_a_request_are_named_at_once(lab: Lab) -> None:
    said = wire_refusal(lab, "sagemaker", "CreateEndpoint", {"EndpointName": "a_b", "Nope": 1})
    assert said.startswith("ValidationException: 3 validation errors detected: ")
    assert "Value null at 'endpointConfigName'" in said


def test_application_auto_scaling_is_held_to_its_model(lab: Lab) -> None:
    said = refusal(lab("application-autoscaling").register_scalable_target, ServiceNamespace="sagemakr")
    assert "Value 'sagemakr' at 'serviceNamespace' failed to satisfy constraint" in said


# References.


def test_models_need_their_role_network_and_bucket(lab: Lab) -> None:
    create, container = lab("sagemaker").create_model, {"Image": IMAGE}
    vpc = {"Subnets": [lab.subnet], "SecurityGroupIds": [lab.group]}
    assert refusal(create, ModelName="m", PrimaryContainer=container, ExecutionRoleArn=ROLE_OF_NOBODY) == (
        f"ValidationException: Could not assume role {ROLE_OF_NOBODY}. Please ensure that the role exists and allows "
        "principal 'sagemaker.amazonaws.com' to assume the role."
    )
    assert "Could not assume role" in refusal(
        create, ModelName="m", PrimaryContainer=container, ExecutionRoleArn=lab.role_of_lambda
    )
    assert "The subnet ID 'subnet-0' does not exist" in refusal(
        create, ModelName="m", PrimaryContainer=container, VpcConfig=vpc | {"Subnets": ["subnet-0"]}
    )
    assert "The security group 'sg-0' does not exist" in refusal(
        create, ModelName="m", PrimaryContainer=container, VpcConfig=vpc | {"SecurityGroupIds": ["sg-0"]}
    )
    assert "must belong to one VPC" in refusal(
        create, ModelName="m", PrimaryContainer=container, VpcConfig=vpc | {"Subnets": [lab.foreign_subnet]}
    )
    assert "Could not access the S3 bucket nobodys: it does not exist." in refusal(
        create, ModelName="m", PrimaryContainer=container | {"ModelDataUrl": "s3://nobodys/model.tar.gz"}
    )
    create(ModelName=lab.name("model"), PrimaryContainer=container, ExecutionRoleArn=lab.role, VpcConfig=vpc)


def test_endpoint_configurations_need_their_model_and_key(lab: Lab) -> None:
    create = lab("sagemaker").create_endpoint_config
    assert (
        refusal(
            create,
            EndpointConfigName=lab.name("config"),
            ProductionVariants=[lab.variant(ModelName="missing")],
        )
        == f'ValidationException: Could not find model "arn:aws:sagemaker:{REGION}:{ACCOUNT}:model/missing".'
    )
    assert f"Please ensure that the key {KEY_OF_NOBODY} exists" in refusal(
        create,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=[lab.variant()],
        KmsKeyId=KEY_OF_NOBODY,
    )
    lab.config(lab.variant(), KmsKeyId=lab.key)


def test_endpoints_need_their_configuration(lab: Lab) -> None:
    missing = f'Could not find endpoint configuration "arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint-config/missing".'
    sagemaker = lab("sagemaker")
    said = refusal(sagemaker.create_endpoint, EndpointName="e", EndpointConfigName="missing")
    assert said == f"ValidationException: {missing}"
    endpoint = lab.endpoint()
    assert missing in refusal(sagemaker.update_endpoint, EndpointName=endpoint, EndpointConfigName="missing")
    assert lab.describe(endpoint)["EndpointStatus"] == "InService"


def test_deployments_need_their_alarm(lab: Lab) -> None:
    said = refusal(
        lab("sagemaker").update_endpoint,
        EndpointName=lab.endpoint(),
        EndpointConfigName=lab.config(),
        DeploymentConfig=blue_green("ALL_AT_ONCE", alarm="no-such-alarm"),
    )
    assert "Alarm no-such-alarm does not exist" in said


def test_scalable_targets_need_their_endpoint_and_variant(lab: Lab) -> None:
    register, limits = (
        lab("application-autoscaling").register_scalable_target,
        {"MinCapacity": 1, "MaxCapacity": 2},
    )
    assert "does not exist or is not in service" in refusal(register, **target_of("missing"), **limits)
    endpoint = lab.endpoint()
    assert f"Endpoint {endpoint} has no variant other" in refusal(
        register, **target_of(endpoint, "other"), **limits
    )


@pytest.mark.parametrize("noun", ["Model", "EndpointConfig", "Endpoint", "TrainingJob"])
def test_a_name_is_taken_once(lab: Lab, noun: str) -> None:
    name = lab.name("taken")
    config = lab.config()
    requests: dict[str, Json] = {
        "Model": {"PrimaryContainer": {"Image": IMAGE}},
        "EndpointConfig": {"ProductionVariants": [lab.variant()]},
        "Endpoint": {"EndpointConfigName": config},
        "TrainingJob": {k: v for k, v in training_request(lab).items() if k != "TrainingJobName"},
    }
    call = getattr(
        lab("sagemaker"),
        {"EndpointConfig": "create_endpoint_config", "TrainingJob": "create_training_job"}.get(
            noun, f"create_{noun.lower()}"
        ),
    )
    request = {f"{noun}Name": name} | requests[noun]
    call(**request)
    said = refusal(call, **request)
    assert f"/{name}" in said
    assert "already exist" in said
    if noun == "Endpoint":
        lab.statuses(name)


# What AWS itself refuses of instance types and serverless variants.


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
    for instance_type in ("ml.g5.xlarge", "ml.m5d.large"):
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
    more: Json = {
        "network": {"VpcConfig": {"Subnets": [lab.subnet], "SecurityGroupIds": [lab.group]}},
        "isolation": {"EnableNetworkIsolation": True},
        "pipeline": {"PrimaryContainer": None, "Containers": [{"Image": IMAGE}, {"Image": IMAGE}]},
    }[kind]
    model = lab.name("model")
    request = {"ModelName": model, "PrimaryContainer": {"Image": IMAGE}, "ExecutionRoleArn": lab.role} | more
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


# Endpoints in scaled time.


def blue_green(kind: str, *, wait_s: int = 0, alarm: str | None = None, **sizes: int) -> Json:
    routing: Json = {"Type": kind, "WaitIntervalInSeconds": wait_s}
    routing |= {key: {"Type": "CAPACITY_PERCENT", "Value": value} for key, value in sizes.items()}
    config: Json = {
        "BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": routing, "TerminationWaitInSeconds": 0}
    }
    return config | ({"AutoRollbackConfiguration": {"Alarms": [{"AlarmName": alarm}]}} if alarm else {})


def rolling(percent: int, wait_s: int = 0) -> Json:
    size = {"Type": "CAPACITY_PERCENT", "Value": percent}
    return {"RollingUpdatePolicy": {"MaximumBatchSize": size, "WaitIntervalInSeconds": wait_s}}


def test_an_endpoint_is_created_updated_and_deleted(lab: Lab, admin: Admin) -> None:
    first, second, name = lab.config(), lab.config(), lab.name("endpoint")
    sagemaker = lab("sagemaker")
    admin.set(time_scale=SLOW)
    sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=first)
    assert "ProductionVariants" not in lab.describe(name)
    assert lab.statuses(name) == ["Creating", "InService"]
    sagemaker.update_endpoint(EndpointName=name, EndpointConfigName=second)
    assert lab.describe(name)["EndpointConfigName"] == first
    assert lab.statuses(name) == ["Updating", "InService"]
    assert lab.describe(name)["EndpointConfigName"] == second
    sagemaker.delete_endpoint(EndpointName=name)
    assert lab.statuses(name) == ["Deleting", "(gone)"]


def test_an_endpoint_that_fails_to_start(lab: Lab, admin: Admin) -> None:
    name = lab.name("endpoint")
    sagemaker = lab("sagemaker")
    admin.set(time_scale=SLOW)
    admin.script("endpoint", name, "fail", "The image does not start")
    sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=lab.config())
    assert lab.statuses(name) == ["Creating", "Failed"]
    assert lab.describe(name)["FailureReason"] == "The image does not start"
    said = refusal(sagemaker.update_endpoint, EndpointName=name, EndpointConfigName=lab.config())
    assert "Cannot update failed endpoint" in said
    sagemaker.delete_endpoint(EndpointName=name)


def test_an_update_that_fails_is_rolled_back(lab: Lab, admin: Admin) -> None:
    first = lab.config()
    name = lab.endpoint(first)
    admin.set(time_scale=SLOW)
    admin.script("endpoint", name, "fail", "The new model does not load")
    lab("sagemaker").update_endpoint(EndpointName=name, EndpointConfigName=lab.config())
    assert lab.statuses(name) == ["Updating", "RollingBack", "InService"]
    endpoint = lab.describe(name)
    assert (endpoint["EndpointConfigName"], endpoint["FailureReason"]) == (
        first,
        "The new model does not load",
    )


def test_nothing_begins_while_an_operation_runs(lab: Lab, admin: Admin) -> None:
    name, other, fresh = lab.endpoint(), lab.config(), lab.name("endpoint")
    sagemaker = lab("sagemaker")
    admin.set(time_scale=SLOW)
    sagemaker.create_endpoint(EndpointName=fresh, EndpointConfigName=other)
    busy = f'ValidationException: Cannot update in-progress endpoint "arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint/'
    assert refusal(sagemaker.delete_endpoint, EndpointName=fresh).startswith(busy)
    assert "not in service" in refusal(
        lab("application-autoscaling").register_scalable_target,
        **target_of(fresh),
        MinCapacity=1,
        MaxCapacity=2,
    )
    sagemaker.update_endpoint(EndpointName=name, EndpointConfigName=other)
    for call, request in (
        (sagemaker.update_endpoint, {"EndpointConfigName": other}),
        (
            sagemaker.update_endpoint_weights_and_capacities,
            {"DesiredWeightsAndCapacities": [{"VariantName": "main"}]},
        ),
        (sagemaker.delete_endpoint, {}),
    ):
        assert refusal(call, EndpointName=name, **request).startswith(busy)
    lab.statuses(name)
    lab.statuses(fresh)


@pytest.mark.parametrize(
    ("deployment", "bake_s"),
    [
        pytest.param(blue_green("ALL_AT_ONCE", wait_s=1200), 1200, id="all at once"),
        pytest.param(blue_green("CANARY", wait_s=600, CanarySize=10), 1200, id="canary"),
        pytest.param(blue_green("LINEAR", wait_s=300, LinearStepSize=25), 1200, id="linear"),
        pytest.param(rolling(25, wait_s=300), 1200, id="rolling"),
    ],
)
def test_a_deployment_bakes_after_each_step(lab: Lab, admin: Admin, deployment: Json, bake_s: int) -> None:
    scale = SLOW / 5
    name, wanted = lab.endpoint(), lab.config()
    admin.set(time_scale=scale)
    started = time.monotonic()
    lab("sagemaker").update_endpoint(
        EndpointName=name, EndpointConfigName=wanted, DeploymentConfig=deployment
    )
    phases: list[str] = []
    while summary := lab.describe(name).get("PendingDeploymentSummary"):
        assert summary["EndpointConfigName"] == wanted
        (status,) = (variant["VariantStatus"][0]["Status"] for variant in summary["ProductionVariants"])
        if [status] != phases[-1:]:
            phases.append(status)
        time.sleep(0.005)
    assert phases == ["Creating", "Baking"]
    assert time.monotonic() - started >= (240 + bake_s) * scale
    assert lab.statuses(name) == ["InService"]
    assert lab.describe(name)["LastDeploymentConfig"] == deployment


def test_an_alarm_calls_a_deployment_back(lab: Lab, admin: Admin) -> None:
    first, alarm, cloudwatch = lab.config(), lab.name("alarm"), lab("cloudwatch")
    name = lab.endpoint(first)
    put_alarm(lab, alarm)
    admin.set(time_scale=SLOW / 2)
    lab("sagemaker").update_endpoint(
        EndpointName=name,
        EndpointConfigName=lab.config(),
        DeploymentConfig=blue_green("CANARY", wait_s=3600, CanarySize=10, alarm=alarm),
    )
    time.sleep(0.3)
    assert lab.describe(name)["EndpointStatus"] == "Updating"
    cloudwatch.set_alarm_state(AlarmName=alarm, StateValue="ALARM", StateReason="a test")
    assert lab.statuses(name)[-2:] == ["RollingBack", "InService"]
    endpoint = lab.describe(name)
    assert endpoint["EndpointConfigName"] == first
    assert f"Alarm {alarm} went off" in endpoint["FailureReason"]


def put_alarm(lab: Lab, name: str) -> None:
    lab("cloudwatch").put_metric_alarm(
        AlarmName=name,
        Namespace="AWS/SageMaker",
        MetricName="Invocation5XXErrors",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1.0,
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="notBreaching",
    )


@pytest.mark.parametrize(
    ("deployment", "message"),
    [
        (blue_green("CANARY", CanarySize=60), "CanarySize must be 1 to 50 percent of the capacity, got 60"),
        (blue_green("CANARY"), "Traffic routing of type CANARY needs CanarySize"),
        (
            blue_green("LINEAR", LinearStepSize=5),
            "LinearStepSize must be 10 to 50 percent of the capacity, got 5",
        ),
        (rolling(60), "MaximumBatchSize must be 5 to 50 percent of the capacity, got 60"),
        (rolling(50) | blue_green("ALL_AT_ONCE"), "cannot both be specified"),
    ],
)
def test_deployment_configurations_that_the_guardrails_exclude(
    lab: Lab, deployment: Json, message: str
) -> None:
    said = refusal(
        lab("sagemaker").update_endpoint,
        EndpointName=lab.endpoint(),
        EndpointConfigName=lab.config(),
        DeploymentConfig=deployment,
    )
    assert message in said


def test_deployment_policies_keep_the_variants(lab: Lab) -> None:
    update = lab("sagemaker").update_endpoint
    renamed = lab.config(lab.variant(VariantName="renamed"))
    two = lab.config(lab.variant(), lab.variant(VariantName="other"))
    serverless = lab.config(lab.serverless())
    for current, wanted, deployment, message in (
        (lab.config(), renamed, blue_green("ALL_AT_ONCE"), "must keep the variant names"),
        (two, two, rolling(50), "not supported for endpoints with several variants"),
        (serverless, serverless, rolling(50), "not supported for serverless endpoints"),
    ):
        said = refusal(
            update, EndpointName=lab.endpoint(current), EndpointConfigName=wanted, DeploymentConfig=deployment
        )
        assert message in said


# Autoscaling and updates.


def test_the_type_of_a_registered_variant_cannot_change(lab: Lab) -> None:
    current, wanted = lab.config(), lab.config(lab.variant(InstanceType=LARGE))
    name = lab.endpoint(current)
    target = lab.register(name)
    update = lab("sagemaker").update_endpoint
    said = refusal(update, EndpointName=name, EndpointConfigName=wanted, RetainAllVariantProperties=True)
    assert (
        f"The instance type of variant main of endpoint {name} cannot change from {SMALL} to {LARGE}" in said
    )
    assert lab.statuses(name) == ["InService"]
    assert lab.describe(name)["EndpointConfigName"] == current
    lab("application-autoscaling").deregister_scalable_target(**target)
    update(EndpointName=name, EndpointConfigName=wanted)
    assert lab.statuses(name)[-1] == "InService"
    assert lab.describe(name)["EndpointConfigName"] == wanted


def test_a_registered_variant_cannot_be_removed(lab: Lab) -> None:
    name = lab.endpoint(lab.config(lab.variant(), lab.variant(VariantName="other")))
    lab.register(name)
    said = refusal(
        lab("sagemaker").update_endpoint,
        EndpointName=name,
        EndpointConfigName=lab.config(lab.variant(VariantName="other")),
    )
    assert f"Variant main of endpoint {name} is a registered scalable target and cannot be removed" in said


def test_the_model_of_a_registered_variant_may_change(lab: Lab) -> None:
    name, wanted = lab.endpoint(), lab.config()
    lab.register(name)
    lab("sagemaker").update_endpoint(EndpointName=name, EndpointConfigName=wanted)
    assert lab.statuses(name)[-1] == "InService"
    assert lab.describe(name)["EndpointConfigName"] == wanted


@pytest.mark.parametrize(("retain", "count"), [(True, 3), (False, 1)])
def test_what_autoscaling_did_outlives_an_update_only_on_request(lab: Lab, retain: bool, count: int) -> None:
    name, sagemaker = lab.endpoint(), lab("sagemaker")
    sagemaker.update_endpoint_weights_and_capacities(
        EndpointName=name, DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 3}]
    )
    assert lab.statuses(name)[-1] == "InService"
    sagemaker.update_endpoint(
        EndpointName=name, EndpointConfigName=lab.config(), RetainAllVariantProperties=retain
    )
    assert lab.statuses(name)[-1] == "InService"
    (variant,) = lab.describe(name)["ProductionVariants"]
    assert (variant["CurrentInstanceCount"], variant["DesiredInstanceCount"]) == (count, count)


def test_burstable_types_do_not_scale(lab: Lab) -> None:
    name = lab.endpoint(lab.config(lab.variant(InstanceType="ml.t2.medium")))
    said = refusal(
        lab("application-autoscaling").register_scalable_target,
        **target_of(name),
        MinCapacity=1,
        MaxCapacity=2,
    )
    assert "Automatic scaling is not supported for burstable instances such as ml.t2.medium" in said


def test_bounds_of_a_scalable_target(lab: Lab) -> None:
    name, register = lab.endpoint(), lab("application-autoscaling").register_scalable_target
    assert "are required for a new scalable target" in refusal(register, **target_of(name), MinCapacity=1)
    assert "Maximum capacity cannot be less than minimum capacity" in refusal(
        register, **target_of(name), MinCapacity=3, MaxCapacity=2
    )
    assert "must be at least 1" in refusal(register, **target_of(name), MinCapacity=0, MaxCapacity=2)
    asynchronous = {"OutputConfig": {"S3OutputPath": f"s3://{lab.bucket}/out"}}
    lab.register(lab.endpoint(lab.config(lab.variant(), AsyncInferenceConfig=asynchronous)), MinCapacity=0)


def test_scaling_policies_are_of_one_kind_and_metric(lab: Lab) -> None:
    scaling = lab("application-autoscaling")
    name = lab.endpoint()
    policy = {"PolicyName": "p", "PolicyType": "TargetTrackingScaling"}
    configured = {"TargetTrackingScalingPolicyConfiguration": tracking()}
    said = refusal(scaling.put_scaling_policy, **target_of(name), **policy, **configured)
    assert said.startswith(
        "ObjectNotFoundException: No scalable target found for service namespace: sagemaker"
    )
    target = lab.register(name)
    assert "needs TargetTrackingScalingPolicyConfiguration and no other" in refusal(
        scaling.put_scaling_policy, **target, **policy, StepScalingPolicyConfiguration={}
    )
    wrong = tracking("SageMakerVariantProvisionedConcurrencyUtilization")
    assert "only supports the following predefined metric types" in refusal(
        scaling.put_scaling_policy, **target, **policy, TargetTrackingScalingPolicyConfiguration=wrong
    )


def test_deregistering_takes_policies_along_and_a_new_policy_is_another_one(lab: Lab) -> None:
    scaling = lab("application-autoscaling")
    name = lab.endpoint()
    target = lab.register(name)
    policy = {
        "PolicyName": "p",
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": tracking(),
    }
    first = scaling.put_scaling_policy(**target, **policy)["PolicyARN"]
    assert scaling.put_scaling_policy(**target, **policy)["PolicyARN"] == first
    scaling.put_scheduled_action(
        **target, ScheduledActionName="s", Schedule="rate(1 day)", ScalableTargetAction={"MinCapacity": 1}
    )
    scaling.deregister_scalable_target(**target)
    of_endpoint = {"ServiceNamespace": "sagemaker", "ResourceId": target["ResourceId"]}
    assert scaling.describe_scaling_policies(**of_endpoint)["ScalingPolicies"] == []
    assert scaling.describe_scheduled_actions(**of_endpoint)["ScheduledActions"] == []
    assert "ObjectNotFoundException" in refusal(scaling.deregister_scalable_target, **target)
    lab.register(name)
    assert scaling.describe_scaling_policies(**of_endpoint)["ScalingPolicies"] == []
    assert scaling.put_scaling_policy(**target, **policy)["PolicyARN"] != first


def test_deleting_an_endpoint_lets_its_targets_go(lab: Lab) -> None:
    scaling, name = lab("application-autoscaling"), lab.endpoint()
    target = lab.register(name)
    lab("sagemaker").delete_endpoint(EndpointName=name)
    assert "ObjectNotFoundException" in refusal(scaling.deregister_scalable_target, **target)


# Jobs.


def training_request(lab: Lab, **more: Any) -> Json:
    return {
        "TrainingJobName": lab.name("train"),
        "AlgorithmSpecification": {"TrainingImage": IMAGE, "TrainingInputMode": "File"},
        "RoleArn": lab.role,
        "OutputDataConfig": {"S3OutputPath": f"s3://{lab.bucket}/out"},
        "ResourceConfig": {"InstanceType": SMALL, "InstanceCount": 1, "VolumeSizeInGB": 30},
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600},
    } | more


def job_requests(lab: Lab) -> dict[str, tuple[str, Json]]:
    """Return what the API calls each kind of job, and a request that it accepts."""
    source = {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": f"s3://{lab.bucket}/in/"}}
    training = training_request(lab)
    return {
        "training": ("TrainingJob", training),
        "processing": (
            "ProcessingJob",
            {
                "ProcessingJobName": lab.name("process"),
                "AppSpecification": {"ImageUri": IMAGE},
                "RoleArn": lab.role,
                "ProcessingResources": {
                    "ClusterConfig": {"InstanceType": SMALL, "InstanceCount": 1, "VolumeSizeInGB": 30}
                },
            },
        ),
        "transform": (
            "TransformJob",
            {
                "TransformJobName": lab.name("transform"),
                "ModelName": lab.model(),
                "TransformInput": {"DataSource": source},
                "TransformOutput": {"S3OutputPath": f"s3://{lab.bucket}/out"},
                "TransformResources": {"InstanceType": SMALL, "InstanceCount": 1},
            },
        ),
        "tuning": (
            "HyperParameterTuningJob",
            {
                "HyperParameterTuningJobName": lab.name("tune"),
                "HyperParameterTuningJobConfig": {
                    "Strategy": "Bayesian",
                    "ResourceLimits": {"MaxParallelTrainingJobs": 1},
                },
                "TrainingJobDefinition": {
                    "AlgorithmSpecification": training["AlgorithmSpecification"],
                    **{
                        k: training[k]
                        for k in ("RoleArn", "OutputDataConfig", "StoppingCondition", "ResourceConfig")
                    },
                },
            },
        ),
    }


def run_job(lab: Lab, prefix: str, request: Json) -> Json:
    """Start a job, wait for its end, and return its description."""
    call = {operation: getattr(lab("sagemaker"), method) for method, operation in _methods(lab).items()}
    call[f"Create{prefix}"](**request)
    while True:
        job: Json = call[f"Describe{prefix}"](**{f"{prefix}Name": request[f"{prefix}Name"]})
        if job[f"{prefix}Status"] in {"Completed", "Failed", "Stopped"}:
            return job
        time.sleep(0.01)


def _methods(lab: Lab) -> dict[str, str]:
    found: dict[str, str] = lab("sagemaker").meta.method_to_api_mapping
    return found


@pytest.mark.parametrize("kind", ["training", "processing", "transform", "tuning"])
@pytest.mark.parametrize(
    ("outcome", "status", "reason"),
    [
        ("completed", "Completed", None),
        ("failed", "Failed", "AlgorithmError: the loss is not a number"),
        ("capacity", "Failed", "CapacityError: Unable to provision requested ML compute capacity"),
        ("stopped", "Stopped", None),
    ],
)
def test_jobs_end_as_ordered(
    lab: Lab, admin: Admin, kind: str, outcome: str, status: str, reason: str | None
) -> None:
    prefix, request = job_requests(lab)[kind]
    admin.script(kind, request[f"{prefix}Name"], outcome, reason if outcome == "failed" and reason else "")
    job = run_job(lab, prefix, request)
    assert job[f"{prefix}Status"] == status
    assert (job.get("FailureReason") or "").startswith(reason or "")
    assert ("FailureReason" in job) == (reason is not None)


@pytest.mark.parametrize("kind", ["training", "processing", "transform", "tuning"])
def test_a_running_job_is_stopped(lab: Lab, admin: Admin, kind: str) -> None:
    prefix, request = job_requests(lab)[kind]
    name = request[f"{prefix}Name"]
    sagemaker = lab("sagemaker")
    methods = {operation: method for method, operation in _methods(lab).items()}
    admin.script(kind, name, "hang")
    getattr(sagemaker, methods[f"Create{prefix}"])(**request)
    getattr(sagemaker, methods[f"Stop{prefix}"])(**{f"{prefix}Name": name})
    while (job := getattr(sagemaker, methods[f"Describe{prefix}"])(**{f"{prefix}Name": name}))[
        f"{prefix}Status"
    ] == "Stopping":
        time.sleep(0.01)
    assert job[f"{prefix}Status"] == "Stopped"
    said = refusal(getattr(sagemaker, methods[f"Stop{prefix}"]), **{f"{prefix}Name": name})
    assert "status Stopped" in said


def test_a_spot_interruption_and_its_resumption(lab: Lab, admin: Admin) -> None:
    request = training_request(
        lab,
        EnableManagedSpotTraining=True,
        StoppingCondition={"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200},
        CheckpointConfig={"S3Uri": f"s3://{lab.bucket}/checkpoints/"},
    )
    admin.script("training", request["TrainingJobName"], "interrupted")
    job = run_job(lab, "TrainingJob", request)
    steps = [step["Status"] for step in job["SecondaryStatusTransitions"]]
    assert steps == [
        *("Starting", "Downloading", "Training", "Interrupted"),
        *("Starting", "Downloading", "Training", "Uploading", "Completed"),
    ]


def test_a_spot_job_that_waits_too_long(lab: Lab, admin: Admin) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "max_wait")
    job = run_job(lab, "TrainingJob", request)
    assert (job["TrainingJobStatus"], job["SecondaryStatus"]) == ("Stopped", "MaxWaitTimeExceeded")
    assert "TrainingStartTime" not in job


def test_a_quota_refuses_a_job(lab: Lab, admin: Admin) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "quota")
    said = refusal(lab("sagemaker").create_training_job, **request)
    assert said.startswith("ResourceLimitExceeded: The account-level service limit")


def test_outcomes_are_used_in_their_order_and_once(lab: Lab, admin: Admin) -> None:
    admin.script("training", "in-order", "failed")
    admin.script("training", "in-order", "stopped")
    ends = [
        run_job(lab, "TrainingJob", training_request(lab, TrainingJobName=f"in-order-{n}"))[
            "TrainingJobStatus"
        ]
        for n in range(3)
    ]
    assert ends == ["Failed", "Stopped", "Completed"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"RoleArn": ROLE_OF_NOBODY}, "Could not assume role"),
        (
            {"OutputDataConfig": {"S3OutputPath": "s3://nobodys/out"}},
            "Could not access the S3 bucket nobodys",
        ),
        ({"CheckpointConfig": {"S3Uri": "s3://nobodys/out"}}, "Could not access the S3 bucket nobodys"),
        (
            {"VpcConfig": {"Subnets": ["subnet-0"], "SecurityGroupIds": ["sg-0"]}},
            "subnet ID 'subnet-0' does not exist",
        ),
        (
            {"OutputDataConfig": {"S3OutputPath": "s3://refusals/out", "KmsKeyId": KEY_OF_NOBODY}},
            f"the key {KEY_OF_NOBODY} exists",
        ),
        (
            {"EnableManagedSpotTraining": True},
            "MaxWaitTimeInSeconds must be set when EnableManagedSpotTraining is true",
        ),
        (
            {"StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200}},
            "MaxWaitTimeInSeconds can only be set when EnableManagedSpotTraining is true",
        ),
        (
            {
                "EnableManagedSpotTraining": True,
                "StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 1800},
            },
            "greater than or equal to MaxRuntimeInSeconds",
        ),
        (
            {
                "ResourceConfig": {
                    "InstanceType": "ml.g5.xlarge",
                    "InstanceCount": 1,
                    "VolumeSizeInGB": 30,
                    "VolumeKmsKeyId": "(key)",
                }
            },
            "VolumeKmsKeyId is not supported for ml.g5.xlarge",
        ),
        (
            {"AlgorithmSpecification": {"TrainingInputMode": "File"}},
            "needs either TrainingImage or AlgorithmName",
        ),
    ],
)
def test_training_requests_that_are_refused(lab: Lab, change: Json, message: str) -> None:
    filled = json.loads(json.dumps(change).replace("(key)", lab.key))
    request = training_request(lab, **filled)
    assert message in refusal(lab("sagemaker").create_training_job, **request)
    said = refusal(lab("sagemaker").describe_training_job, TrainingJobName=request["TrainingJobName"])
    assert "Requested resource not found" in said


# CloudFormation.


def serving(lab: Lab, *, instance_type: str = SMALL, **more: Json) -> Json:
    """Return the resources of a stack that serves a model; ``more`` adds to their properties."""
    resources: Json = {
        "Model": {
            "Type": "AWS::SageMaker::Model",
            "Properties": {"PrimaryContainer": {"Image": IMAGE}, "ExecutionRoleArn": lab.role},
        },
        "Config": {
            "Type": "AWS::SageMaker::EndpointConfig",
            "Properties": {
                "ProductionVariants": [
                    {
                        "VariantName": "main",
                        "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
                        "InstanceType": instance_type,
                        "InitialInstanceCount": 1,
                        "InitialVariantWeight": 1,
                    }
                ]
            },
        },
        "Endpoint": {
            "Type": "AWS::SageMaker::Endpoint",
            "Properties": {"EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]}},
        },
    }
    for logical_id, properties in more.items():
        resources[logical_id]["Properties"] |= properties
    return resources


def scaled(resources: Json) -> Json:
    """Add a scalable target and a policy of CloudFormation's own."""
    return resources | {
        "Target": {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": {
                "ServiceNamespace": "sagemaker",
                "ResourceId": {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/main"},
                "ScalableDimension": INSTANCE_COUNT,
                "MinCapacity": 1,
                "MaxCapacity": 4,
            },
        },
        "Policy": {
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": {
                "PolicyName": "track",
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": {"Ref": "Target"},
                "TargetTrackingScalingPolicyConfiguration": tracking(),
            },
        },
    }


def endpoint_name(lab: Lab, stack: str) -> str:
    arn = lab.physical_ids(stack)["Endpoint"]
    return next(
        e["EndpointName"] for e in lab("sagemaker").list_endpoints()["Endpoints"] if e["EndpointArn"] == arn
    )


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        pytest.param(
            {"Type": "AWS::SageMaker::Model", "Properties": {"ExecutionRoleARN": "x"}},
            "#: extraneous key [ExecutionRoleARN] is not permitted",
            id="a misspelt property",
        ),
        pytest.param(
            {
                "Type": "AWS::SageMaker::EndpointConfig",
                "Properties": {"ProductionVariants": [{"VariantName": "v", "Weight": 1}]},
            },
            "#/ProductionVariants/0: extraneous key [Weight] is not permitted",
            id="a nested one",
        ),
        pytest.param(
            {"Type": "AWS::SageMaker::Endpoint", "Properties": {}},
            "#: 'EndpointConfigName' is required",
            id="a required one",
        ),
        pytest.param(
            {"Type": "AWS::ApplicationAutoScaling::ScalableTarget", "Properties": {"MinCapacity": "one"}},
            "#/MinCapacity: failed validation constraint for keyword [type]",
            id="a wrong type",
        ),
        pytest.param(
            {"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKey": "x"}},
            "#: extraneous key [KmsMasterKey] is not permitted",
            id="a type of ministack",
        ),
        pytest.param(
            {"Type": "AWS::S3::Bucket", "Properties": {"AccessControl": "Everybody"}},
            "#/AccessControl: Everybody is not a valid enum value",
            id="an enumeration",
        ),
        pytest.param(
            {"Type": "AWS::SQS::Queue", "Properties": {"Arn": "x"}},
            "Encountered unsupported property Arn",
            id="a read-only one",
        ),
    ],
)
def test_properties_are_held_to_the_schema_of_their_type(lab: Lab, resource: Json, message: str) -> None:
    status, reasons = lab.stack("create", lab.name("stack"), {"Thing": resource})
    assert status == "ROLLBACK_COMPLETE"
    assert "Properties validation failed for resource Thing with message:" in reasons
    assert message in reasons


def test_the_schema_holds_for_updates_too(lab: Lab) -> None:
    name = lab.name("stack")
    topic: Json = {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": "a"}}
    assert lab.stack("create", name, {"Topic": topic})[0] == "CREATE_COMPLETE"
    topic["Properties"]["Displayname"] = "b"
    status, reasons = lab.stack("update", name, {"Topic": topic})
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert "extraneous key [Displayname] is not permitted" in reasons


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        (
            {
                "Type": "AWS::SageMaker::Model",
                "Properties": {"PrimaryContainer": {"Image": IMAGE}, "ExecutionRoleArn": ROLE_OF_NOBODY},
            },
            "nobody",
        ),
        ({"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKeyId": KEY_OF_NOBODY}}, KEY_OF_NOBODY),
        (
            {"Type": "AWS::SageMaker::Endpoint", "Properties": {"EndpointConfigName": "missing"}},
            "Could not find",
        ),
    ],
)
def test_references_of_a_template_must_exist(lab: Lab, resource: Json, message: str) -> None:
    status, reasons = lab.stack("create", lab.name("stack"), {"Thing": resource})
    assert status == "ROLLBACK_COMPLETE"
    assert "Resource handler returned message:" in reasons
    assert message in reasons


@pytest.mark.parametrize("type_name", ["AWS::SageMaker::FeatureGroup", "AWS::Nope::Thing"])
def test_a_type_that_is_not_emulated_is_refused(lab: Lab, type_name: str) -> None:
    name = lab.name("stack")
    said = refusal(
        lab("cloudformation").create_stack,
        StackName=name,
        TemplateBody=json.dumps({"Resources": {"Thing": {"Type": type_name, "Properties": {}}}}),
    )
    assert said == f"ValidationError: Template format error: Unrecognized resource types: [{type_name}]"
    assert "does not exist" in refusal(lab("cloudformation").describe_stacks, StackName=name)


def test_a_create_only_property_replaces_and_the_endpoint_stays(lab: Lab) -> None:
    name = lab.name("stack")
    assert lab.stack("create", name, serving(lab))[0] == "CREATE_COMPLETE"
    before, config = lab.physical_ids(name), lab.describe(endpoint_name(lab, name))["EndpointConfigName"]
    assert lab.stack("update", name, serving(lab, instance_type=LARGE))[0] == "UPDATE_COMPLETE"
    after, endpoint = lab.physical_ids(name), lab.describe(endpoint_name(lab, name))
    assert [before[key] == after[key] for key in ("Model", "Config", "Endpoint")] == [True, False, True]
    assert endpoint["EndpointConfigName"] != config
    assert "Could not find" in refusal(lab("sagemaker").describe_endpoint_config, EndpointConfigName=config)


def test_a_named_resource_cannot_be_replaced(lab: Lab) -> None:
    name, fixed = lab.name("stack"), lab.name("fixed")
    named: Json = {"Config": {"EndpointConfigName": fixed}}
    assert lab.stack("create", name, serving(lab, **named))[0] == "CREATE_COMPLETE"
    status, reasons = lab.stack("update", name, serving(lab, instance_type=LARGE, **named))
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert "CloudFormation cannot update a stack when a custom-named resource requires replacing." in reasons
    assert lab.describe(endpoint_name(lab, name))["EndpointConfigName"] == fixed


def test_a_taken_name_fails_a_stack(lab: Lab) -> None:
    taken = lab.endpoint()
    status, reasons = lab.stack("create", lab.name("stack"), serving(lab, Endpoint={"EndpointName": taken}))
    assert status == "ROLLBACK_COMPLETE"
    assert "Cannot create already existing endpoint" in reasons
    assert lab.describe(taken)["EndpointStatus"] == "InService"


def test_a_failed_creation_leaves_nothing(lab: Lab, admin: Admin) -> None:
    name, sagemaker = lab.name("endpoint"), lab("sagemaker")
    models, configs = (
        len(sagemaker.list_models()["Models"]),
        len(sagemaker.list_endpoint_configs()["EndpointConfigs"]),
    )
    admin.script("endpoint", name, "fail", "The image does not start")
    status, reasons = lab.stack("create", lab.name("stack"), serving(lab, Endpoint={"EndpointName": name}))
    assert status == "ROLLBACK_COMPLETE"
    assert "The image does not start" in reasons
    assert lab.statuses(name) == ["(gone)"]
    assert len(sagemaker.list_models()["Models"]) == models
    assert len(sagemaker.list_endpoint_configs()["EndpointConfigs"]) == configs


def test_an_update_that_the_endpoint_rolls_back_fails_the_stack(lab: Lab) -> None:
    name, alarm = lab.name("stack"), lab.name("alarm")
    put_alarm(lab, alarm)
    deployment: Json = {"DeploymentConfig": blue_green("CANARY", wait_s=60, CanarySize=10, alarm=alarm)}
    assert lab.stack("create", name, serving(lab, Endpoint=deployment))[0] == "CREATE_COMPLETE"
    before = lab.describe(endpoint_name(lab, name))["EndpointConfigName"]
    lab("cloudwatch").set_alarm_state(AlarmName=alarm, StateValue="ALARM", StateReason="a test")
    status, reasons = lab.stack("update", name, serving(lab, instance_type=LARGE, Endpoint=deployment))
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert f"Alarm {alarm} went off" in reasons
    endpoint = lab.describe(endpoint_name(lab, name))
    assert (endpoint["EndpointStatus"], endpoint["EndpointConfigName"]) == ("InService", before)


def test_a_stack_cannot_change_the_type_of_an_endpoint_that_it_scales(lab: Lab) -> None:
    """Why Sizewell hands scaling over in a custom resource instead of CloudFormation's own types."""
    name = lab.name("stack")
    assert lab.stack("create", name, scaled(serving(lab)))[0] == "CREATE_COMPLETE"
    endpoint = endpoint_name(lab, name)
    before, config = lab.physical_ids(name), lab.describe(endpoint)["EndpointConfigName"]
    # Neither with the target, nor in the very update that takes it away: endpoints are updated before that.
    for resources in (scaled(serving(lab, instance_type=LARGE)), serving(lab, instance_type=LARGE)):
        status, reasons = lab.stack("update", name, resources)
        assert status == "UPDATE_ROLLBACK_COMPLETE"
        assert (
            f"The instance type of variant main of endpoint {endpoint} cannot change from {SMALL} to {LARGE}"
            in reasons
        )
    assert lab.physical_ids(name) == before
    described = lab.describe(endpoint)
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("InService", config)
    targets = lab("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=[target_of(endpoint)["ResourceId"]]
    )
    assert len(targets["ScalableTargets"]) == 1
    # In two updates it works.
    assert lab.stack("update", name, serving(lab))[0] == "UPDATE_COMPLETE"
    assert lab.stack("update", name, serving(lab, instance_type=LARGE))[0] == "UPDATE_COMPLETE"


def test_deleting_a_stack_deletes_the_endpoint_and_lets_its_target_go(lab: Lab) -> None:
    name = lab.name("stack")
    assert lab.stack("create", name, scaled(serving(lab)))[0] == "CREATE_COMPLETE"
    endpoint = endpoint_name(lab, name)
    assert lab.stack("delete", name, {})[0] == "DELETE_COMPLETE"
    assert lab.statuses(endpoint) == ["(gone)"]
    targets = lab("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=[target_of(endpoint)["ResourceId"]]
    )
    assert targets["ScalableTargets"] == []


# What is not emulated.


@pytest.mark.parametrize("service", ["sagemaker", "application-autoscaling"])
def test_every_operation_that_is_not_emulated_is_refused(lab: Lab, service: str) -> None:
    listed = coverage()[service]
    client = lab(service)

    def ask(operation: str) -> str:
        return wire_refusal(lab, service, operation, {})

    refused = sorted(set(client.meta.service_model.operation_names) - set(listed["emulated"]))
    with ThreadPoolExecutor(4) as pool:
        for operation, said in zip(refused, pool.map(ask, refused), strict=True):
            if operation in listed["refused"]:
                assert said == f"NotEmulated: {service}:{operation} is not emulated by the local cloud"
            else:  # newer than the botocore of the local cloud
                assert said == f"UnknownOperationException: {service} has no operation {operation}"


def test_what_is_not_emulated_is_listed_by_one_command() -> None:
    listed = coverage()
    assert "CreateFeatureGroup" in listed["sagemaker"]["refused"]
    assert "CreateEndpoint" in listed["sagemaker"]["emulated"]
    assert "GetPredictiveScalingForecast" in listed["application-autoscaling"]["refused"]


@cache
def coverage() -> dict[str, dict[str, list[str]]]:
    """Return what the command lists: for each service the operations that are emulated and those that are refused."""
    result = subprocess.run(
        [LOCAL_PYTHON, "-m", "localcloud.emulator.coverage"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found: dict[str, dict[str, list[str]]] = {}
    service = ""
    for line in result.stdout.splitlines():
        words, _, rest = line.strip().partition(": ")
        if " operations are emulated" in rest:
            service = words
            found[service] = {}
        elif words in {"emulated", "refused"}:
            found[service][words] = rest.strip().split(", ")
    assert "AWS::SageMaker::FeatureGroup" in result.stdout
    return found


@pytest.mark.parametrize(
    ("service", "operation", "sent", "message"),
    [
        ("redshift", "describe_clusters", {}, "Unsupported service: redshift"),
        ("macie2", "enable_macie", {}, "(400)"),
        ("sagemaker-runtime", "invoke_endpoint", {"EndpointName": "e", "Body": b"{}"}, "(NotEmulated)"),
        ("sagemaker-metrics", "batch_put_metrics", {"MetricData": []}, "(NotEmulated)"),
    ],
)
def test_a_service_that_is_not_emulated_is_refused(
    lab: Lab, service: str, operation: str, sent: Json, message: str
) -> None:
    with pytest.raises((ClientError, ResponseParserError)) as refused:
        getattr(lab(service), operation)(**sent)
    assert message in str(refused.value)


# State machines.


def run_machine(lab: Lab, first: Json, sent: Json | None = None) -> Json:
    """Run a machine of one state, followed by a success, and return how the execution ended."""
    states = lab("stepfunctions")
    definition = {"StartAt": "First", "States": {"First": first, "Done": {"Type": "Succeed"}}}
    machine = states.create_state_machine(
        name=lab.name("machine"), definition=json.dumps(definition), roleArn=lab.role_of_lambda
    )
    arn = states.start_execution(stateMachineArn=machine["stateMachineArn"], input=json.dumps(sent or {}))[
        "executionArn"
    ]
    while (execution := states.describe_execution(executionArn=arn))["status"] == "RUNNING":
        time.sleep(0.02)
    found: Json = execution
    return found


CATCH_ALL = [{"ErrorEquals": ["States.ALL"], "Next": "Done"}]
MISSING = {
    "Type": "Choice",
    "Choices": [{"Variable": "$.missing", "StringEquals": "a", "Next": "Done"}],
    "Default": "Done",
}


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(MISSING, id="choice"),
        pytest.param({"Type": "Pass", "Parameters": {"a.$": "$.missing"}, "Next": "Done"}, id="parameters"),
        pytest.param({"Type": "Pass", "OutputPath": "$.missing", "Next": "Done"}, id="output"),
        pytest.param(
            {
                "Type": "Parallel",
                "Branches": [
                    {
                        "StartAt": "In",
                        "States": {"In": {"Type": "Pass", "InputPath": "$.missing", "End": True}},
                    }
                ],
                "Catch": CATCH_ALL,
                "Next": "Done",
            },
            id="not even caught",
        ),
    ],
)
def test_a_path_that_leads_nowhere_fails_the_execution(lab: Lab, state: Json) -> None:
    execution = run_machine(lab, state)
    assert (execution["status"], execution.get("error")) == ("FAILED", "States.Runtime")
    assert run_machine(lab, state, {"missing": "a"})["status"] == "SUCCEEDED"


def test_presence_is_not_a_value(lab: Lab) -> None:
    asks = {"Type": "Choice", "Choices": [{"Variable": "$.a", "IsPresent": True, "Next": "Done"}]}
    assert run_machine(lab, asks, {"a": None})["status"] == "SUCCEEDED"
    assert run_machine(lab, asks, {"b": 1})["error"] == "States.NoChoiceMatched"


def test_a_task_that_timed_out_has_no_cause(lab: Lab, admin: Admin) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "hang")
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::sagemaker:createTrainingJob.sync",
        "Parameters": request,
        "TimeoutSeconds": 60,
        "Catch": CATCH_ALL,
        "Next": "Done",
    }
    assert json.loads(run_machine(lab, task)["output"]) == {"Error": "States.Timeout"}


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        ("sagemaker:createLabelingJob.sync", "is not yet implemented"),
        (
            "aws-sdk:sagemaker:createFeatureGroup",
            "sagemaker:CreateFeatureGroup is not emulated by the local cloud",
        ),
        ("aws-sdk:rekognition:listCollections", "is not supported"),
    ],
)
def test_an_integration_that_is_not_emulated_fails(lab: Lab, resource: str, message: str) -> None:
    task = {"Type": "Task", "Resource": f"arn:aws:states:::{resource}", "Parameters": {}, "Next": "Done"}
    execution = run_machine(lab, task)
    assert execution["status"] == "FAILED"
    assert message in execution["cause"]


# Faults on order.


def test_a_fault_strikes_before_or_after_a_call_takes_effect(lab: Lab, admin: Admin) -> None:
    sagemaker = lab("sagemaker")
    for moment, takes_effect in (("before", False), ("after", True)):
        name = lab.name("model")
        admin.fault("sagemaker", "CreateModel", moment, "error", nth=2)
        lab.model()
        said = refusal(sagemaker.create_model, ModelName=name, PrimaryContainer={"Image": IMAGE})
        assert said == "ValidationException: A fault that a test ordered"
        assert (name in json.dumps(sagemaker.list_models(), default=str)) == takes_effect
        lab.model()


def test_faults_are_used_in_their_order_and_once(lab: Lab, admin: Admin) -> None:
    describe = lab("sagemaker").describe_endpoint_config
    config = lab.config()
    for _ in range(2):
        admin.fault("sagemaker", "DescribeEndpointConfig", "before", "error")
    for _ in range(2):
        assert "A fault that a test ordered" in refusal(describe, EndpointConfigName=config)
    assert describe(EndpointConfigName=config)["EndpointConfigName"] == config


@pytest.mark.parametrize(("moment", "made"), [("before", []), ("after", ["first"])])
def test_a_killed_worker_runs_no_further(lab: Lab, admin: Admin, moment: str, made: list[str]) -> None:
    function = lab.name("function")
    code = (
        "import boto3\n"
        "def handler(event, context):\n"
        "    for name in ('first', 'second'):\n"
        f"        boto3.client('sagemaker').create_model(ModelName=f'{function}-{{name}}', "
        f"PrimaryContainer={{'Image': '{IMAGE}'}})\n"
        "    return 'done'\n"
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("index.py", code)
    lab("lambda").create_function(
        FunctionName=function,
        Runtime="python3.11",
        Role=lab.role_of_lambda,
        Handler="index.handler",
        Code={"ZipFile": archive.getvalue()},
        Timeout=30,
    )
    admin.fault("sagemaker", "CreateModel", moment, "kill")
    answer = lab("lambda").invoke(FunctionName=function, Payload=b"{}")
    assert "FunctionError" in answer
    models = [model["ModelName"] for model in lab("sagemaker").list_models()["Models"]]
    assert [m.removeprefix(f"{function}-") for m in models if m.startswith(function)] == made
    # The next call starts a new worker.
    assert (
        b"first" in lab("lambda").invoke(FunctionName=function, Payload=b"{}")["Payload"].read() or not made
    )
