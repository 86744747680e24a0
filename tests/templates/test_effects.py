"""Which change of which property replaces a resource: against the resource schemas themselves, for every type."""

import json
from collections.abc import Iterator

import pytest

from sizewell.templates.differences import effect_of
from sizewell.templates.template import Difference, Effect
from tests.synthesis import PROJECT_ROOT
from tools.benchmarks.resource_schemas import Schema, pointers, schema_files, schema_of

SNAPSHOTS = PROJECT_ROOT / "tests" / "snapshots" / "__snapshots__"
#: Cases that the values decide, with what they decide: conditional_cases.csv.
DECIDED_BY_VALUE = {
    ("AWS::EC2::VPC", "InstanceTenancy"),
    ("AWS::RDS::DBInstance", "AutoMinorVersionUpgrade"),
    ("AWS::RDS::DBInstance", "BackupRetentionPeriod"),
    ("AWS::RDS::DBInstance", "DBParameterGroupName"),
    ("AWS::RDS::DBInstance", "MultiAZ"),
    ("AWS::RDS::DBInstance", "PreferredMaintenanceWindow"),
}


def emitted_types() -> set[str]:
    templates = (json.loads(path.read_text("utf-8")) for path in SNAPSHOTS.rglob("*.json"))
    return {body["Type"] for one in templates for body in one["Resources"].values()}


def test_the_stacks_emit_what_we_think() -> None:
    assert {
        "AWS::SageMaker::EndpointConfig",
        "AWS::KMS::Key",
        "AWS::StepFunctions::StateMachine",
    } <= emitted_types()
    assert len(emitted_types()) >= 31


def expected_effects(schema: Schema) -> Iterator[tuple[str, Effect]]:
    """Yield every top-level property, and every nested create-only one, with what its change does."""
    create_only = set(pointers(schema, "createOnlyProperties"))
    conditional = set(pointers(schema, "conditionalCreateOnlyProperties"))
    for path in sorted({*schema["properties"], *create_only, *conditional}):
        parts = path.split("/")
        above = {"/".join(parts[: n + 1]) for n in range(len(parts))}
        yield path, "replace" if above & create_only else "may replace" if above & conditional else "update"


@pytest.mark.parametrize("resource_type", sorted(emitted_types()))
def test_replacement_is_predicted_for_every_property_that_we_emit(resource_type: str) -> None:
    if resource_type.startswith("Custom::"):
        assert effect_of(resource_type, _difference("Anything")) == "update"
        return
    for path, effect in expected_effects(schema_of(resource_type)):
        if (resource_type, path) not in DECIDED_BY_VALUE:
            assert effect_of(resource_type, _difference(path)) == effect, path


def test_replacement_is_predicted_for_every_type_of_cloudformation() -> None:
    wrong = [
        (resource_type, path)
        for resource_type in schema_files()
        for path, effect in expected_effects(schema_of(resource_type))
        if (resource_type, path) not in DECIDED_BY_VALUE
        and effect_of(resource_type, _difference(path)) != effect
    ]
    assert wrong == []


def _difference(path: str) -> Difference:
    parts = tuple(path.split("/"))
    return Difference(parts, parts, "a", "b")


def test_what_is_inside_a_create_only_property_replaces() -> None:
    inside = Difference(
        ("ProductionVariants", "primary", "InstanceType"),
        ("ProductionVariants", "*", "InstanceType"),
        "a",
        "b",
    )
    assert effect_of("AWS::SageMaker::EndpointConfig", inside) == "replace"


def test_what_is_around_a_nested_create_only_property_replaces_only_when_that_differs() -> None:
    def around(base: object, head: object) -> Difference:
        return Difference(("DnsOptions",), ("DnsOptions",), base, head)

    same = {"PrivateDnsPreference": "all"}
    assert effect_of("AWS::EC2::VPCEndpoint", around(None, {"DnsRecordIpType": "ipv4"})) == "update"
    assert effect_of("AWS::EC2::VPCEndpoint", around(None, same)) == "replace"
    assert effect_of("AWS::EC2::VPCEndpoint", around(same, same | {"DnsRecordIpType": "ipv4"})) == "update"


@pytest.mark.parametrize(
    ("base", "head", "effect"),
    [
        ("dedicated", "default", "update"),
        ("default", "dedicated", "replace"),
        (None, "dedicated", "replace"),
        ("default", "host", "may replace"),
    ],
)
def test_the_values_decide_where_the_documentation_says_how(base: str, head: str, effect: Effect) -> None:
    change = Difference(("InstanceTenancy",), ("InstanceTenancy",), base, head)
    assert effect_of("AWS::EC2::VPC", change) == effect


def test_of_a_type_without_schema_nothing_is_known() -> None:
    assert effect_of("Acme::Cloud::Thing", _difference("Name")) == "may replace"
    assert effect_of("AWS::CloudFormation::CustomResource", _difference("Name")) == "update"
