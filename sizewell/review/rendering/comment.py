"""The review as a comment in a pull or merge request: Markdown that stays below the size that a forge accepts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sizewell.review.model import CostComponent, Review
from sizewell.review.rendering import words
from sizewell.review.rendering.cost_lines import budget_lines, coverage_lines
from sizewell.review.rendering.filters import is_hurting, template_environment
from sizewell.review.rendering.fitting import Block, fit
from sizewell.review.rendering.groups import (
    PolicyChange,
    across_environments,
    changed_workloads,
    failures,
    policy_changes,
    remarks,
    security_changes,
    security_counts,
    shown_costs,
)
from sizewell.review.rendering.hazard_blocks import hazard_blocks, hazard_counts
from sizewell.review.rendering.lines import approval_line, picks_line, waived_line
from sizewell.review.rendering.markdown_text import code, fence, sentence
from sizewell.review.rendering.permission_words import Said, said
from sizewell.review.rendering.summary import (
    MOST_STEPS,
    MOST_WORKLOADS,
    security_lines,
    steps,
    workload_rows,
)
from sizewell.review.rendering.visible import visible
from sizewell.review.words import counted, shorten

#: Hidden in the comment, so that the next run finds it and updates it.
MARKER = "<!-- sizewell-review -->"
#: GitHub refuses a comment of more than 65,536 characters; some room is left for a line before or after it.
LIMIT = 65_000
#: The verdict, headings and omissions alone may need as much.
SMALLEST_LIMIT = 20_000

_PERMISSIONS = "| Environment | Policy | What | On |\n|---|---|---|---|\n"
_ENVIRONMENTS = (
    "\n| USD per month | Base | Head | Difference | % | Base, least – most | Head, least – most | Budget |\n"  # noqa: RUF001
    "|---|--:|--:|--:|--:|--:|--:|--:|\n"
)
_WORKLOADS = (
    "\n| Environment | Workload | Base | Head | Difference | Base, least – most | Head, least – most "  # noqa: RUF001
    "| Per 1,000 requests | Why |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|---|\n"
)
_RESOURCES = "| Action | Resource | Type | Where | Decided by | What differs |\n|---|---|---|---|---|---|\n"
#: Longest value in the table of resources, in characters; the lines of the template below it hold more.
_SHORT_VALUE = 60


@dataclass(frozen=True, slots=True)
class _PermissionChange:
    change: Any
    said: Said


@dataclass(frozen=True, slots=True)
class _PaidOnce:
    environment: str
    workload: str
    component: CostComponent


def render_markdown(review: Review, *, limit: int = LIMIT) -> str:
    """Return the comment: at most ``limit`` characters, shortened visibly where there is more to say."""
    if limit < SMALLEST_LIMIT:
        raise ValueError(f"limit is {limit:,} characters; the least that makes sense is {SMALLEST_LIMIT:,}")
    macros: Any = template_environment(_as_text, _filters()).get_template("comment.md.jinja2").module
    parts: list[str | Block] = [f"{MARKER}\n", str(macros.opening(review))]
    for section in (_gate, _failures, _workloads, _steps, _security_lines):
        parts += section(review, macros)
    for section in (_notes, _hazards, _security, _cost, _selection, _config, _resources):
        parts += section(review, macros)
    return fit(parts, limit)


def _filters() -> dict[str, Callable[..., Any]]:
    return {
        "code": code,
        "short_code": lambda value: code(shorten(visible(str(value)), _SHORT_VALUE)),
        "lines": lambda text: fence("\n".join(f"  {line}" for line in text.split("\n"))),
        "diff": lambda text: fence("\n".join(map(_diff_line, text.split("\n"))), "diff"),
    }


def _as_text(value: Any) -> Any:
    return value if hasattr(value, "__html__") else sentence(value)


def _diff_line(line: str) -> str:
    """Return a line that begins as lines of a diff do, so that no line begins with a command to a forge."""
    return line if line[:1] in {"+", "-", " "} or line.startswith("@@") else f" {line}"


def _items(macro: Callable[[Any], Markup], values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(macro(value)) for value in values)


def _block(items: tuple[str, ...], noun: str, rank: int, head: str = "\n", foot: str = "") -> list[Block]:
    return [Block(items, noun, rank, head, foot)] if items else []


def _folded(title: str, blocks: list[Block]) -> list[str | Block]:
    return [f"\n<details><summary>{title}</summary>\n", *blocks, "\n</details>\n"] if blocks else []


def _gate(review: Review, macros: Any) -> list[str | Block]:
    gate = review.gate
    failures = _items(macros.gate_failure, gate.failures) if gate else ()
    waived = _items(macros.line, map(waived_line, gate.waived)) if gate else ()
    return [
        str(macros.gate(gate)) if gate else "",
        *_block(failures, "conditions", 95, head=""),
        *_block(_items(macros.line, map(approval_line, review.approvals)), "approvals", 94),
        *_block(waived, "waived findings", 93),
    ]


def _failures(review: Review, macros: Any) -> list[str | Block]:
    blocks = _block(_items(macros.failure, failures(review)), "sides", 97)
    return ["\n**Does not synthesize**\n", *blocks] if blocks else []


def _workloads(review: Review, macros: Any) -> list[str | Block]:
    environments, rows = workload_rows(review)
    if not rows:
        return []
    shown = rows[:MOST_WORKLOADS]
    more = len(rows) - len(shown)
    omitted = f"\n{counted(more, 'more workload')} in Cost.\n" if more else ""
    return [
        *_block(_items(macros.workload_row, shown), "workloads", 92, str(macros.workload_head(environments))),
        omitted,
    ]


def _steps(review: Review, macros: Any) -> list[str | Block]:
    found = steps(review)
    more = len(found) - MOST_STEPS
    return [
        *_block(_items(macros.step, found[:MOST_STEPS]), "steps", 91, "\n**Before deploying**\n\n"),
        f"\n{counted(more, 'more step')} in Hazards.\n" if more > 0 else "",
    ]


def _security_lines(review: Review, macros: Any) -> list[str | Block]:
    found = tuple(security_lines(review))
    return [
        *_block(_items(macros.line, found[:MOST_STEPS]), "changes", 89, "\n**Security**\n\n"),
        f"\n{len(found) - MOST_STEPS:,} more in Security.\n" if len(found) > MOST_STEPS else "",
    ]


def _notes(review: Review, macros: Any) -> list[str | Block]:
    return _folded("About this review", _block(_items(macros.note, remarks(review)), "notes", 60))


def _hazards(review: Review, macros: Any) -> list[str | Block]:
    blocks = hazard_blocks(review.hazards)
    serious = [block for block in blocks if block.hazard.severity != "notice"]
    notices = [block for block in blocks if block.hazard.severity == "notice"]
    return _folded(
        f"Hazards: {hazard_counts(review)}",
        [
            *_block(_items(macros.hazard, serious), "hazards", 90),
            *_block(_items(macros.hazard, notices), "notices", 20),
        ],
    )


def _security(review: Review, macros: Any) -> list[str | Block]:
    broadened, narrowed = (_permissions(policy_changes(review, way)) for way in ("broadened", "narrowed"))
    return _folded(
        f"Security: {security_counts(review)}",
        [
            *_block(_items(macros.security_change, security_changes(review, "weaker")), "changes", 85),
            *_block(
                _items(macros.permission, broadened),
                "broadened permissions",
                80,
                f"\n**Broadened**\n\n{_PERMISSIONS}",
            ),
            *_block(
                _items(macros.security_change, security_changes(review, "neutral", "stronger")), "changes", 35
            ),
            *_block(
                _items(macros.permission, narrowed),
                "narrowed permissions",
                30,
                f"\n**Narrowed**\n\n{_PERMISSIONS}",
            ),
        ],
    )


def _permissions(changes: list[PolicyChange]) -> list[_PermissionChange]:
    return [_PermissionChange(change.change, words) for change in changes for words in said(change)]


def _cost(review: Review, macros: Any) -> list[str | Block]:
    costs = shown_costs(review)
    workloads = [workload for cost in costs for workload in changed_workloads(cost)]
    once = [
        _PaidOnce(workload.environment, workload.workload, component)
        for workload in workloads
        for component in workload.once
    ]
    return _folded(
        "Cost",
        [
            *_block(_items(macros.environment_cost, costs), "environments", 75, _ENVIRONMENTS),
            *_block(_items(macros.workload_cost, workloads), "workloads", 55, _WORKLOADS),
            *_block(
                _items(macros.line, budget_lines(costs))
                + _items(macros.paid_once, once)
                + _items(macros.line, coverage_lines(costs)),
                "remarks",
                45,
            ),
        ],
    )


def _selection(review: Review, macros: Any) -> list[str | Block]:
    return _folded(
        f"Instance types: {picks_line(review.selection)}",
        _block(_items(macros.selection, across_environments(review.selection)), "choices", 50),
    )


def _config(review: Review, macros: Any) -> list[str | Block]:
    return _folded("Configuration", _block(_items(macros.config, review.config), "keys", 48))


def _resources(review: Review, macros: Any) -> list[str | Block]:
    changes = review.resources.changes
    hurting = _items(macros.resource, filter(is_hurting, changes))
    others = _items(macros.resource, (change for change in changes if not is_hurting(change)))
    diffs = _items(macros.template_diff, (change for change in changes if change.diff))
    return _folded(
        f"Resources: {words.action_counts(review)}",
        [
            *_block(hurting, "resources", 65, f"\n{_RESOURCES}"),
            *_block(_items(macros.stack, review.resources.stacks), "stacks", 25),
            *_block(others, "resources", 15, f"\n{_RESOURCES}"),
            *_block(diffs, "templates", 10),
        ],
    )
