"""The table against the schemas that it was made from."""

import csv

import pytest

from sizewell.templates.resource_schemas import (
    _ADDITIONS,
    _CORRECTIONS,
    name_properties,
    resource_schema,
    unordered_lists,
)
from tools.benchmarks.resource_schemas import TABLE, pointers, schema_files, schema_of, table_text


def test_the_table_is_that_of_the_installed_schemas() -> None:
    assert TABLE.read_text("utf-8") == table_text(), "run: python -m tools.benchmarks.resource_schemas"


def test_every_type_is_known_and_custom_ones_are_not() -> None:
    assert len(schema_files()) > 1500
    assert all(resource_schema(name) for name in schema_files())
    assert resource_schema("Custom::VpcRestrictDefaultSG") is None


@pytest.mark.parametrize(
    ("resource_type", "path"),
    [("AWS::SageMaker::Model", ("Containers",)), ("AWS::SageMaker::EndpointConfig", ("ProductionVariants",))],
)
def test_the_order_of_containers_and_variants_counts(resource_type: str, path: tuple[str, ...]) -> None:
    assert path not in unordered_lists(resource_type)


def test_a_training_job_is_known_before_cfn_lint_knows_it_and_any_change_replaces_it() -> None:
    with _ADDITIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    added = {row["resource_type"] for row in rows}
    assert not added & schema_files().keys(), (
        "cfn-lint knows it now: remove it from resource_schema_additions.csv"
    )
    assert all(row["source"].startswith("https://docs.aws.amazon.com/") for row in rows)
    assert {("ResourceConfig",), ("RetryStrategy",), ("Tags",)} <= set(
        _schema("AWS::SageMaker::TrainingJob").create_only
    )
    assert name_properties("AWS::SageMaker::TrainingJob") == (("TrainingJobName",),)


def test_corrections_correct_something_and_say_why() -> None:
    with _CORRECTIONS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert row["path"] in table_row(row["resource_type"])["unordered"].split(" ")
            assert len(row["reason"]) > 20


def table_row(resource_type: str) -> dict[str, str]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return next(row for row in rows if row["resource_type"] == resource_type)


def test_paths_are_property_names_only() -> None:
    for name in schema_files():
        schema = resource_schema(name)
        assert schema is not None
        for path in (*schema.create_only, *schema.conditional):
            assert not {"properties", "items", ""} & set(path), (name, path)


def test_a_nested_create_only_property_keeps_its_path() -> None:
    assert ("DnsOptions", "PrivateDnsPreference") in _schema("AWS::EC2::VPCEndpoint").create_only
    assert "DnsOptions/PrivateDnsPreference" in pointers(
        schema_of("AWS::EC2::VPCEndpoint"), "createOnlyProperties"
    )


def _schema(name: str):  # type: ignore[no-untyped-def]
    schema = resource_schema(name)
    assert schema is not None
    return schema
