"""Write the tables of rules in the guides from the rules themselves: ``python -m tools.rule_pages``."""

from pathlib import Path

from sizewell.checks.registry import RULES

GUIDES = Path(__file__).resolve().parents[1] / "docs" / "guides"
_BEGIN, _END = "<!-- written by python -m tools.rule_pages -->\n", "<!-- end -->\n"


def pages() -> dict[Path, str]:
    """Return the text of each guide that has such a table, by path."""
    return {GUIDES / "template-checks.md": _with_table("template-checks.md", check_table())}


def check_table() -> str:
    """Return the rules of the template checks as Markdown."""
    rows = (f"| `{rule.id}` | {rule.finds} | {rule.why} |\n" for rule in RULES)
    return "| rule | what is found | why |\n|---|---|---|\n" + "".join(rows)


def _with_table(name: str, table: str) -> str:
    before, _, rest = (GUIDES / name).read_text("utf-8").partition(_BEGIN)
    return f"{before}{_BEGIN}\n{table}\n{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
