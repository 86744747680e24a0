"""Write what the guides say of rules and of AWS's limits from the code: ``python -m tools.rule_pages``, or ``make docs``."""

import inspect
from itertools import groupby
from pathlib import Path

from sizewell.checks.registry import RULES as CHECKS
from sizewell.review.hazards.registry import RULES as HAZARDS
from sizewell.review.hazards.rule import HazardRule
from tools.legality_page import legality_page

GUIDES = Path(__file__).resolve().parents[1] / "docs" / "guides"
_HAZARDS = """# Hazard rules

What a [review](review.md) looks for when a change is deployed. A gate names a rule as `hazard:RULE`; `make docs` writes this
page from the rules.
"""
_CHECKS = """# Rules of the template checks

What [the checks](template-checks.md) find; `Sizewell::RULE` acknowledges a finding. `make docs` writes this page from the
rules.

| rule | what is found | why |
|---|---|---|
"""


def pages() -> dict[Path, str]:
    """Return the text of each page by its path."""
    return {
        GUIDES / "hazard-rules.md": hazard_page(),
        GUIDES / "template-check-rules.md": check_page(),
        GUIDES / "legality.md": legality_page(),
    }


def hazard_page() -> str:
    """Return for each theme what it is about, and a row for each of its rules."""
    themes = groupby(HAZARDS, key=lambda rule: rule.theme)
    return "\n".join([_HAZARDS, *(_theme(theme, list(rules)) for theme, rules in themes)])


def _theme(theme: str, rules: list[HazardRule]) -> str:
    about = (inspect.getdoc(inspect.getmodule(rules[0].find)) or "").partition("\n")[0]
    rows = "".join(f"| `{rule.name}` | {rule.description} |\n" for rule in rules)
    return f"## {theme.replace('_', ' ').capitalize()}\n\n{about}\n\n| hazard | what it finds |\n|---|---|\n{rows}"


def check_page() -> str:
    """Return a row for each rule of the checks."""
    return _CHECKS + "".join(f"| `{rule.id}` | {rule.finds} | {rule.why} |\n" for rule in CHECKS)


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
