"""How numbers, unknowns and levels are said, in every format."""

from collections.abc import Iterable

from sizewell.instance_selection.wording import milliseconds
from sizewell.review import words
from sizewell.review.model import Level, Range, Review, Side
from sizewell.review.rendering.visible import visible
from sizewell.review.words import Severity, counted, shorten
from sizewell.templates.deployment import ACTIONS

UNKNOWN = "unknown"
LEVELS: dict[Level, str] = {
    "no change": "No change",
    "safe": "Safe",
    "nothing found": "Nothing found",
    "not known": "Not known",
    "look": "Look",
    "danger": "Danger",
}
SEVERITIES: dict[Severity, str] = {"danger": "Danger", "warning": "Warning", "notice": "Notice"}
#: The order in which directions of security changes are read.
DIRECTIONS = {"weaker": "Weaker", "neutral": "Neutral", "stronger": "Stronger"}
#: What the time of a choice measures.
TIMES = {"latency": "p95 at peak", "duration": "duration"}
EFFECTS = {
    "none": "leaves it as it is",
    "update": "updates in place",
    "replace": "replaces",
    "may replace": "may replace",
}
BASES = {"published": "published", "estimated": "estimated", "usage": "by usage", "unknown": UNKNOWN}
#: From here on an amount is a slip rather than a bill, and is written short.
_HUGE = 1e12
_CENT = 0.005
#: Longest name in a list of names, in characters.
NAME_LIMIT = 80


def usd(value: float | None) -> str:
    """Return dollars without cents from ten dollars on; unknown is a word, not a zero."""
    if value is None:
        return UNKNOWN
    if abs(value) >= _HUGE:
        return f"{value:.3g}"
    if abs(value) < _CENT:
        return "0"
    return (f"{value:,.0f}" if abs(value) >= 10 else f"{value:,.2f}").replace("-", "−")  # noqa: RUF001


def usd_difference(value: float | None) -> str:
    """Return dollars with their sign."""
    if value is None:
        return UNKNOWN
    return f"+{usd(value)}" if value >= _CENT else usd(value)


def percent(value: float | None) -> str:
    """Return a share with its sign; empty where there is none."""
    if value is None:
        return ""
    if abs(value) >= 1e6:
        return f"{value:+.3g}%"
    return (f"{value:+,.0f}%" if abs(value) >= 10 else f"{value:+.1f}%").replace("-", "−")  # noqa: RUF001


def bounds(amounts: Range | None, is_partly_unknown: bool = False) -> str:
    """Return the least and the most of an amount; one of them where they are the same; a dash without any."""
    if amounts is None:
        return "—"
    low, high = usd(amounts.minimum), usd(amounts.maximum)
    return _with_unknown(low if low == high else f"{low} – {high}", is_partly_unknown)  # noqa: RUF001


def expected(amounts: Range | None, is_partly_unknown: bool = False) -> str:
    """Return the expected amount; a dash where the thing does not exist."""
    return "—" if amounts is None else _with_unknown(usd(amounts.expected), is_partly_unknown)


def _with_unknown(known: str, is_partly_unknown: bool) -> str:
    return f"{known} + {UNKNOWN}" if is_partly_unknown and known != UNKNOWN else known


def listed(names: Iterable[str], most: int = words.MAX_NAMES) -> str:
    """Return names as all sections list them, none longer than a line can bear."""
    return words.listed((shorten(visible(name), NAME_LIMIT) for name in names), most)


def pick_time(time_of: str, time: float | None) -> str:
    """Return the latency of an endpoint or the duration of a job."""
    if time is None:
        return "unknown"
    return f"{time:,.1f} h" if time_of == "duration" else milliseconds(time)


def side_line(side: Side | None) -> str:
    """Return what a side holds; why there is none where it is missing."""
    if side is None:
        return "does not synthesize"
    return f"{listed(side.environments) or 'no environment'}; {counted(side.stack_count, 'stack')}"


def action_counts(review: Review) -> str:
    """Return how many resources meet which fate, and how many stacks: ``1 replaced, 3 changed; 1 stack``."""
    found = [change.action for change in review.resources.changes]
    resources = ", ".join(f"{found.count(action):,} {action}" for action in ACTIONS if action in found)
    stacks = counted(len(review.resources.stacks), "stack") if review.resources.stacks else ""
    return "; ".join(filter(None, (resources, stacks)))
