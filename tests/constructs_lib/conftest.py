"""A stack to build constructs in, with the feature flags of cdk.json, stand-ins for the foundation, and what comes out."""

from typing import Any

import pytest

from constructs_lib.jsii_runtime import use_bundled_node

use_bundled_node()

from aws_cdk import App, Environment, Stack  # noqa: E402  (the kernel must find its Node first)
from aws_cdk.assertions import Template  # noqa: E402

from constructs_lib.foundation.references import FoundationReferences  # noqa: E402
from tests.constructs_lib.resources import Only, Resources  # noqa: E402


@pytest.fixture
def app(cdk_context: dict[str, Any]) -> App:
    # What CDK validates is validated in the shipped environments; here it takes most of the time.
    return App(context=cdk_context, analytics_reporting=False, builtin_cloud_formation_validation=False)


@pytest.fixture
def stack(app: App) -> Stack:
    return Stack(app, "Stack", env=Environment(account="111122223333", region="us-east-1"))


@pytest.fixture
def foundation() -> FoundationReferences:
    return FoundationReferences(
        vpc_id="vpc-0123456789abcdef0",
        subnet_ids=["subnet-0000000000000000a", "subnet-0000000000000000b"],
        endpoint_security_group_id="sg-0000000000000000e",
        training_security_group_id="sg-0000000000000000f",
        data_key_arn="arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000d",
        operations_key_arn="arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000e",
        artifact_bucket_name="demo-dev-artifacts-111122223333-us-east-1",
        checkpoint_bucket_name="demo-dev-checkpoints-111122223333-us-east-1",
        alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:demo-dev-alarms",
        mlflow_arn="arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company",
    )


@pytest.fixture
def resources(stack: Stack) -> Resources:
    """Return a function that gives the properties of all resources of a type in the stack, by logical id."""

    def of_type(resource_type: str) -> dict[str, dict[str, Any]]:
        found = Template.from_stack(stack).find_resources(resource_type).items()
        return {logical_id: resource.get("Properties", {}) for logical_id, resource in found}

    return of_type


@pytest.fixture
def only(resources: Resources) -> Only:
    """Return a function that gives the properties of the one resource of a type."""

    def properties(resource_type: str) -> dict[str, Any]:
        [found] = resources(resource_type).values()
        return found

    return properties
