from typing import Any

import pytest
from aws_cdk import App, CfnParameter, Stack
from aws_cdk import aws_iam as iam
from cdk_nag import AwsSolutionsChecks

from constructs_lib.policies.wildcards import acknowledge_wildcards

pytestmark = pytest.mark.cdk

REASON = "The names of these objects belong to the producer of the data."


def policy_on(scope: Stack, *resources: Any) -> iam.CfnManagedPolicy:
    return iam.CfnManagedPolicy(
        scope,
        "Policy",
        policy_document={
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": resource}
                for resource in resources
            ],
        },
    )


def findings(stack: Stack) -> list[str]:
    return [violation.rule_name for violation in AwsSolutionsChecks(stack).validate_scope(stack).violations]


def resources_of(stack: Stack) -> dict[str, Any]:
    """Return a wildcard in every form that a statement may have."""
    bucket = CfnParameter(stack, "Bucket", default="data").value_as_string
    role = iam.CfnRole(stack, "Role", assume_role_policy_document={"Version": "2012-10-17", "Statement": []})
    return {
        "text": "*",
        "text with tokens": f"arn:{stack.partition}:s3:::{bucket}/data/*",
        "attribute": f"{role.attr_arn}/*",
        "Fn::Sub": {"Fn::Sub": "arn:${AWS::Partition}:s3:::data/*"},
        "Fn::Join": {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, f":s3:::{bucket}/models/*"]]},
    }


@pytest.mark.parametrize("form", ["text", "text with tokens", "attribute", "Fn::Sub", "Fn::Join"])
def test_an_acknowledged_wildcard_is_silent_in_every_form(app: App, stack: Stack, form: str) -> None:
    resource = resources_of(stack)[form]
    policy = policy_on(stack, resource, "arn:aws:s3:::other/*")
    assert len(findings(stack)) == 2
    acknowledge_wildcards(policy, (resource, REASON))
    assert findings(stack) == ["AwsSolutions-IAM5[Resource::arn:aws:s3:::other/*]"]


def test_another_intrinsic_function_is_refused(stack: Stack) -> None:
    with pytest.raises(TypeError, match="Fn::Join"):
        acknowledge_wildcards(policy_on(stack, "*"), ({"Fn::Select": [0, ["*"]]}, REASON))
