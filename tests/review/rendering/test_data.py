"""The JSON: everything, readable back, and described by a schema that is up to date."""

import json

import jsonschema
import pytest

from sizewell.review.model import Review
from sizewell.review.rendering import render_json, review_schema_text
from sizewell.review.rendering.data import SCHEMA_FILE
from tests.review.rendering.any_review import HOSTILE, poisoned
from tests.review.rendering.sample_review import sample


def test_json_is_read_back_as_the_same_review() -> None:
    text = render_json(sample())
    assert Review.model_validate_json(text) == sample()
    assert text.endswith("}\n")
    assert list(json.loads(text))[:4] == ["schema_version", "base", "head", "verdict"]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_are_kept_and_hide_nothing_in_a_log(text: str) -> None:
    review = poisoned(sample(), text)
    written = render_json(review)
    assert Review.model_validate_json(written) == review
    assert all(sign == "\n" or " " <= sign <= "~" for sign in written)


def test_published_schema_is_up_to_date() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == review_schema_text(), "run: python -m sizewell.review.rendering"


def test_schema_describes_the_json() -> None:
    schema = json.loads(review_schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    written = json.loads(render_json(sample()))
    validator.validate(written)
    written["verdict"]["level"] = "fine"
    assert [error.json_path for error in validator.iter_errors(written)] == ["$.verdict.level"]
