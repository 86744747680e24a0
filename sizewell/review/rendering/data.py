"""The review as JSON, and the schema of that JSON."""

import json
from pathlib import Path

from sizewell.review.model import Review

SCHEMA_FILE = Path(__file__).parents[1] / "review.schema.json"


def render_json(review: Review) -> str:
    """Return the whole review; all but the printable signs of ASCII are escaped, so that no value hides in a log."""
    text = json.dumps(review.model_dump(mode="json"), indent=2).replace("\x7f", "\\u007f")
    return f"{text}\n"


def review_schema_text() -> str:
    """Return the JSON Schema of a review as the text of its file."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Review.model_json_schema(mode="serialization"),
        "title": "Sizewell review",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
