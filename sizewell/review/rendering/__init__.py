"""The formats of a review: one view model in, text out."""

from sizewell.review.rendering.comment import MARKER, render_markdown
from sizewell.review.rendering.data import render_json, review_schema_text
from sizewell.review.rendering.page import render_html

__all__ = ["MARKER", "render_html", "render_json", "render_markdown", "review_schema_text"]
