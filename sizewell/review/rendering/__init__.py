"""The formats of a review: one view model in, text out."""

from sizewell.review.rendering.comment import MARKER, render_markdown
from sizewell.review.rendering.data import render_json, review_schema_text
from sizewell.review.rendering.page import render_html
from sizewell.review.rendering.sarif import render_sarif

__all__ = ["MARKER", "render_html", "render_json", "render_markdown", "render_sarif", "review_schema_text"]
