"""An account of its own in the local cloud, and short ways to ask there for what is refused."""

import itertools
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from sizewell_localcloud.cloud import LocalCloud
from sizewell_localcloud.emulator.access import TOKEN_NAME
from sizewell_localcloud.variables import SECRET_ACCESS_KEY
from tests.integration.harness import Admin
from tests.localcloud.processes import PATIENCE_S, until

ACCOUNT = "444455556666"
REGION = "us-east-1"
ROLE_OF_NOBODY = f"arn:aws:iam::{ACCOUNT}:role/nobody"
KEY_OF_NOBODY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/00000000-0000-4000-8000-000000000000"
IMAGE = "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-inference:2.6.0-cpu-py312-ubuntu22.04-sagemaker"
SMALL, LARGE = "ml.m5.large", "ml.m5.xlarge"
INSTANCE_COUNT = "sagemaker:variant:DesiredInstanceCount"
Json = dict[str, Any]


class Lab:
    """An account with a role, a key, a bucket and a network, and short ways to make what a test is not about."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.cloud = cloud
        self._clients: dict[tuple[str, str], Any] = {}
        self._known: dict[str, int] = {}
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
                endpoint_url=self.cloud.endpoint_url,
                aws_access_key_id=ACCOUNT,
                aws_secret_access_key=SECRET_ACCESS_KEY,
                aws_session_token=self.cloud.secret,
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
        assert self.passed(name) == ["Creating", "InService"]
        return name

    def describe(self, endpoint: str) -> Json:
        found: Json = self("sagemaker").describe_endpoint(EndpointName=endpoint)
        return found

    def _status(self, endpoint: str) -> str:
        try:
            return str(self.describe(endpoint)["EndpointStatus"])
        except ClientError as error:
            if "Could not find endpoint" not in str(error):
                raise
            return "(gone)"

    def until_rest(self, endpoint: str) -> str:
        """Wait until an endpoint rests, or is gone, and return that status."""
        return until(
            lambda: self._status(endpoint), lambda status: status in {"InService", "Failed", "(gone)"}
        )

    def passed(self, endpoint: str) -> list[str]:
        """Wait until an endpoint rests, or is gone, and return every status it went through since the last question."""
        end, passed = self.until_rest(endpoint), Admin(self.cloud).statuses()[f"endpoint/{endpoint}"]
        fresh = passed[self._known.get(endpoint, 0) :]
        self._known[endpoint] = len(passed)
        return [*fresh, end] if end == "(gone)" else fresh

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
        (stack,) = until(
            lambda: cloudformation.describe_stacks(StackName=stack_id)["Stacks"],
            lambda stacks: not stacks[0]["StackStatus"].endswith("IN_PROGRESS"),
        )
        events = self._events(stack_id)
        fresh = events[: len(events) - before]
        return stack["StackStatus"], "\n".join(e.get("ResourceStatusReason", "") for e in reversed(fresh))

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

    def close(self) -> None:
        for client in self._clients.values():
            client.close()


def target_of(endpoint: str, variant: str = "main") -> Json:
    return {
        "ServiceNamespace": "sagemaker",
        "ResourceId": f"endpoint/{endpoint}/variant/{variant}",
        "ScalableDimension": INSTANCE_COUNT,
    }


def tracking(metric: str = "SageMakerVariantInvocationsPerInstance") -> Json:
    return {"TargetValue": 100.0, "PredefinedMetricSpecification": {"PredefinedMetricType": metric}}


def blue_green(
    kind: str, *, wait_s: int = 0, last_wait_s: int = 0, alarm: str | None = None, **sizes: int
) -> Json:
    routing: Json = {"Type": kind, "WaitIntervalInSeconds": wait_s}
    routing |= {key: {"Type": "CAPACITY_PERCENT", "Value": value} for key, value in sizes.items()}
    config: Json = {
        "BlueGreenUpdatePolicy": {
            "TrafficRoutingConfiguration": routing,
            "TerminationWaitInSeconds": last_wait_s,
        }
    }
    return config | ({"AutoRollbackConfiguration": {"Alarms": [{"AlarmName": alarm}]}} if alarm else {})


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


def wire_refusal(lab: Lab, service: str, operation: str, request: Json) -> str:
    """Return how a request is refused that no client would send: botocore's serializer knows no unknown members."""
    model = lab(service).meta.service_model
    credential = f"{ACCOUNT}/20260101/{REGION}/{service}/aws4_request"
    headers = {
        "X-Amz-Target": f"{model.metadata['targetPrefix']}.{operation}",
        "Content-Type": "application/x-amz-json-1.1",
        "Authorization": f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=0",
        TOKEN_NAME: lab.cloud.secret,
    }
    sent = urllib.request.Request(lab.cloud.endpoint_url, data=json.dumps(request).encode(), headers=headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(sent, timeout=PATIENCE_S)
    with refused.value as answer:
        body = json.load(answer)
    return f"{body['__type']}: {body['message']}"


def refusal(call: Callable[..., Any], **request: Any) -> str:
    """Return the code and the message with which a call is refused."""
    with pytest.raises(ClientError) as refused:
        call(**request)
    error = refused.value.response["Error"]
    return f"{error['Code']}: {error['Message']}"
