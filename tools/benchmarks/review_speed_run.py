"""One review in a process of its own: ``python -m tools.benchmarks.review_speed_run BASE HEAD`` prints what it took."""

import json
import sys
from pathlib import Path
from time import perf_counter

from tools.benchmarks.review_speed import peak_megabytes


def main(base: str, head: str) -> None:
    """Read, compare and render two outputs."""
    start = perf_counter()
    from sizewell.review.compare import compare_outputs
    from sizewell.review.rendering import render_json, render_markdown
    from sizewell.review.saved.reading import OutputReader

    reader = OutputReader()
    review = compare_outputs(reader.read(Path(base), "base"), reader.read(Path(head), "head"))
    lengths = len(render_markdown(review)), len(render_json(review))
    seconds = perf_counter() - start
    print(json.dumps({"seconds": seconds, "megabytes": peak_megabytes(), "characters": lengths}))


if __name__ == "__main__":
    main(*sys.argv[1:])
