"""Take the pictures of pages for their guides: why production's assistant runs where it does, its dashboard, and a review of what
a stricter latency and shorter logs do to production.

Needs Chromium on PATH, and half a minute for the synthesis of both sides.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

from sizewell.cli.main import app
from sizewell.review.compare import compare_outputs, with_gate
from sizewell.review.rendering import render_html
from sizewell.review.saved.reading import OutputReader
from tests.review.rendering.browser import find_chromium, start_chromium
from tools.benchmarks.review_cases.case import ConfigCase
from tools.benchmarks.reviews import synthesize_cases

IMAGES = Path(__file__).parent
EXAMPLE = ConfigCase(
    "example",
    (
        ("base.yaml", "latency: {max_p95_ms: 100}", "latency: {max_p95_ms: 5}"),
        (
            "base.yaml",
            "deadline_hours: 24\n    spot: {enabled: true}",
            "deadline_hours: 24\n    spot: {enabled: false}",
        ),
        ("prod.yaml", "log_retention_days: 365", "log_retention_days: 180"),
    ),
)
#: File, page, width and height in pixels, colour scheme.
PICTURES = (
    ("explain.png", "explain.html", 1200, 1050, "light"),
    ("dashboard.png", "dashboard.html", 1200, 760, "light"),
    ("review-light.png", "review.html", 1400, 1700, "light"),
)


def main() -> None:
    """Explain, synthesize, review, and take every picture."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("there is no chromium on PATH to take the pictures with")
    with TemporaryDirectory() as directory:
        outputs = synthesize_cases([EXAMPLE], Path(directory))
        reader = OutputReader()
        base, head = (
            reader.read(outputs[name].parent, label)
            for name, label in (("", "main"), ("example", "worktree"))
        )
        review = with_gate(compare_outputs(base, head), ["replace-stateful", "cost-increase>10%"], base, head)
        Path(directory, "review.html").write_text(render_html(review), encoding="utf-8")
        for command in (["explain", "assistant"], ["dashboard"]):
            page = str(Path(directory, f"{command[0]}.html"))
            told = CliRunner().invoke(app, [*command, "--env", "prod", "--html", page])
            if told.exit_code:
                sys.exit(told.output)
        with start_chromium(chromium, Path(directory, "profile")) as browser:
            for name, page, width, height, scheme in PICTURES:
                browser.look(width, scheme, height)
                browser.open(Path(directory, page))
                browser.screenshot(IMAGES / name)


if __name__ == "__main__":
    main()
