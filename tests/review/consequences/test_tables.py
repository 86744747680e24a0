"""The tables can be read, and know every property that Sizewell writes."""

import csv
from pathlib import Path

import pytest

from sizewell.review.consequences import table
from sizewell.review.consequences.table import TableError, all_rows, read_table
from sizewell.templates.resource_schemas import resource_schema
from tests.review.builders import pair, resource, template


def write(path: Path, *rows: dict[str, str]) -> Path:
    good = {"types": "AWS::S3::Bucket", "property": "BucketName", "worse": "none"}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table._COLUMNS, restval="")
        writer.writeheader()
        writer.writerows({**good, **row} for row in rows)
    return path


TELLS = {"effect": "durability", "level": "danger", "consequence": "Data are lost.", "source": "a page"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"worse": "lesser"}, "worse is 'lesser'"),
        ({"worse": "to"}, "worse is 'to'"),
        ({"worse": "any"}, "effect is ''"),
        ({"worse": "any", **TELLS, "level": "bad"}, "level is 'bad'"),
        ({"worse": "any", **TELLS, "consequence": "Data are lost"}, "the consequence is a sentence"),
        ({"worse": "any", **TELLS, "source": ""}, "the source is missing"),
        ({"worse": "none", **TELLS}, "a row without a worse direction has no effect"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(row: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=rf"^a\.csv:3: BucketName: {words}"):
        tuple(read_table(write(tmp_path / "a.csv", {}, row)))


def test_every_type_of_the_tables_is_one_of_cloudformation() -> None:
    named = {name for row in all_rows() for name in row.types} - {"*"}
    unknown = {
        name
        for name in named
        if resource_schema(name) is None and not name.startswith(("Custom::", "AWS::CDK::", "Kubernetes::"))
    }
    assert unknown == set()


def test_a_direction_of_a_property_has_one_row_for_each_effect() -> None:
    said = [(name, row.path, row.worse, row.values, row.effect) for row in all_rows() for name in row.types]
    assert len(said) == len(set(said))


def test_nobody_knows_what_another_template_of_a_nested_stack_means() -> None:
    """The template is compared where it is in the output; then its address does not differ."""
    base, head = (
        template(Nested=resource("AWS::CloudFormation::Stack", {"TemplateURL": f"https://b/{name}.json"}))
        for name in "ab"
    )
    assert pair(base, head).consequences.unknown == {("app-stack", "Nested"): ("TemplateURL",)}
