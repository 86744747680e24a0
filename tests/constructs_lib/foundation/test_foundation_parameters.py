from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from aws_cdk import App, Environment, Fn, Stack
from aws_cdk import aws_ssm as ssm
from aws_cdk.assertions import Template

from constructs_lib.foundation.foundation_parameters import (
    FoundationParameters,
    FoundationParametersProps,
    read_foundation_references,
)
from constructs_lib.foundation.references import FoundationReferences

pytestmark = pytest.mark.cdk

PREFIX = "/demo/dev/foundation"
FIELDS = [field.name for field in fields(FoundationReferences) if field.name != "name_prefix"]


@pytest.fixture
def published(
    stack: Stack, resources: Callable[[str], dict[str, Any]], foundation: FoundationReferences
) -> dict[str, dict[str, Any]]:
    props = FoundationParametersProps(parameter_prefix=PREFIX, references=foundation)
    FoundationParameters(stack, "Parameters", props=props)
    return {parameter["Name"]: parameter for parameter in resources("AWS::SSM::Parameter").values()}


@pytest.fixture
def workload(cdk_context: dict[str, Any]) -> Stack:
    app = App(context=cdk_context, analytics_reporting=False)
    return Stack(app, "Workload", env=Environment(account="111122223333", region="us-east-1"))


def _use(scope: Stack, references: FoundationReferences, field: str) -> None:
    value = getattr(references, field)
    text = Fn.select(0, value) if field == "subnet_ids" else value
    ssm.CfnParameter(scope, f"Use-{field}", type="String", value=text)


def _read(stack: Stack) -> dict[str, dict[str, Any]]:
    parameters: dict[str, dict[str, Any]] = Template.from_stack(stack).to_json().get("Parameters", {})
    return {name: parameter for name, parameter in parameters.items() if name.startswith("Foundation")}


def test_every_field_is_published_and_read_by_the_same_name(
    published: dict[str, Any], workload: Stack
) -> None:
    references = read_foundation_references(workload, PREFIX)
    for field in FIELDS:
        _use(workload, references, field)

    read = {parameter["Default"]: parameter["Type"] for parameter in _read(workload).values()}

    assert len(published) == len(FIELDS)
    assert sorted(read) == sorted(published)
    network = "endpoint-security-group-id", "subnet-ids", "training-security-group-id", "vpc-id"
    checked = {name for name, value_type in read.items() if "AWS::EC2::" in value_type}
    assert checked == {f"{PREFIX}/{name}" for name in network}, "CloudFormation sees whether they exist"


def test_values_are_published_under_the_field_they_belong_to(
    published: dict[str, Any], foundation: FoundationReferences
) -> None:
    for field in FIELDS:
        value = getattr(foundation, field)
        expected = ",".join(value) if isinstance(value, list) else value
        assert published[f"{PREFIX}/{field.replace('_', '-')}"]["Value"] == expected


def test_a_stack_declares_only_the_parameters_that_it_uses(workload: Stack) -> None:
    references = read_foundation_references(workload, PREFIX)
    _use(workload, references, "data_key_arn")
    assert references.data_key_arn == references.data_key_arn

    assert list(_read(workload)) == ["FoundationDataKeyArn"]


def test_a_field_that_does_not_exist_is_an_attribute_error(workload: Stack) -> None:
    references = read_foundation_references(workload, PREFIX)

    with pytest.raises(AttributeError, match="FoundationReferences has no field 'vpc_arn'"):
        references.vpc_arn  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("prefix", ["demo/dev/foundation", "/demo/dev/foundation/", "/", ""])
def test_a_prefix_of_another_form_is_refused(
    workload: Stack, foundation: FoundationReferences, prefix: str
) -> None:
    with pytest.raises(ValueError, match="a parameter prefix begins with a slash"):
        FoundationParametersProps(parameter_prefix=prefix, references=foundation)
    with pytest.raises(ValueError, match="a parameter prefix begins with a slash"):
        read_foundation_references(workload, prefix)
