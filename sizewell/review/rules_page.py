"""``python -m sizewell.review.rules_page`` prints the guide's page of all hazard rules: ``docs/guides/hazard-rules.md``."""

import inspect
from itertools import groupby

from sizewell.review.hazards.registry import RULES
from sizewell.review.hazards.rule import HazardRule

_OPENING = """# Hazard rules

What a [review](review.md) looks for when a change is deployed. A gate names a rule as `hazard:RULE`; `make docs` writes this
page from the rules.
"""


def rules_page() -> str:
    """Return the page: for each theme what it is about, and a row for each of its rules."""
    themes = groupby(RULES, key=lambda rule: rule.theme)
    return "\n".join([_OPENING, *(_section(theme, list(rules)) for theme, rules in themes)])


def _section(theme: str, rules: list[HazardRule]) -> str:
    about = (inspect.getdoc(inspect.getmodule(rules[0].find)) or "").partition("\n")[0]
    rows = "".join(f"| `{rule.name}` | {rule.description} |\n" for rule in rules)
    return f"## {theme.replace('_', ' ').capitalize()}\n\n{about}\n\n| hazard | what it finds |\n|---|---|\n{rows}"


if __name__ == "__main__":
    print(rules_page(), end="")
