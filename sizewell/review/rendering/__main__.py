"""``python -m sizewell.review.rendering`` writes the JSON Schema of a review to sizewell/review/review.schema.json."""

from sizewell.review.rendering.data import SCHEMA_FILE, review_schema_text

if __name__ == "__main__":
    SCHEMA_FILE.write_text(review_schema_text(), "utf-8")
