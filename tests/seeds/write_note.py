"""Write the table of contradictions into the note that people read: ``python -m tests.seeds.write_note``."""

from tests.seeds.statements import contradictions
from tests.seeds.test_coverage import NOTE

MARK = "| key | seed | it says | we answer | because |\n"


def table() -> str:
    """Return the table of all contradictions in Markdown."""
    lines = [MARK, "|---|---|---|---|---|\n"]
    for key, found in contradictions().items():
        seeds = ", ".join(seed.replace("-", " ") for seed in found.seeds)
        lines.append(f"| `{key}` | {seeds} | {found.statement} | {found.answer} | {found.reason} |\n")
    return "".join(lines)


if __name__ == "__main__":
    NOTE.write_text(NOTE.read_text("utf-8").split(MARK)[0] + table(), "utf-8")
