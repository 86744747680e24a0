"""The review as one page that needs nothing else to be read: no script, no network, the same bytes every time."""

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sizewell.review.model import Review, SecurityChange
from sizewell.review.rendering import groups, words
from sizewell.review.rendering.cost_lines import budget_lines, coverage_lines
from sizewell.review.rendering.filters import TEMPLATES, template_environment
from sizewell.review.rendering.groups import PolicyChange, Shared
from sizewell.review.rendering.hazard_blocks import hazard_blocks, hazard_counts
from sizewell.review.rendering.lines import picks_line
from sizewell.review.rendering.moved_point import draw_move
from sizewell.review.rendering.resource_tree import grow
from sizewell.review.rendering.visible import visible


@dataclass(frozen=True, slots=True)
class Entry:
    """A section as the navigation shows it."""

    anchor: str
    title: str
    count: str


def render_html(review: Review) -> str:
    """Return the page."""
    environment = template_environment(_shown, {"slug": lambda text: text.replace(" ", "-")})
    style = (TEMPLATES / "review.css").read_text("utf-8")
    costs = groups.shown_costs(review)
    return environment.get_template("review.html.jinja2").render(
        review=review,
        style=style,
        style_digest=b64encode(sha256(style.encode()).digest()).decode(),
        entries=_entries(review),
        failures=groups.failures(review),
        remarks=groups.remarks(review),
        hazards=hazard_blocks(review.hazards),
        hazard_counts=hazard_counts(review),
        security_counts=groups.security_counts(review),
        security=_security(review),
        costs=costs,
        changed_workloads=[workload for cost in costs for workload in groups.changed_workloads(cost)],
        cost_lines=[*budget_lines(costs), *coverage_lines(costs)],
        choices=[
            (shared, draw_move(shared.finding)) for shared in groups.across_environments(review.selection)
        ],
        picks=picks_line(review.selection),
        tree=grow(review.resources),
        action_counts=words.action_counts(review),
    )


def _shown(value: Any) -> Any:
    """Make signs that hide visible, in every value that a template prints; escaping follows."""
    return visible(value) if type(value) is str else value


def _security(review: Review) -> list[tuple[list[Shared[SecurityChange]], list[PolicyChange]]]:
    """Return what makes something weaker before all that does not; nothing where there is no change."""
    found = [
        (groups.security_changes(review, "weaker"), groups.policy_changes(review, "broadened")),
        (groups.security_changes(review, "neutral", "stronger"), groups.policy_changes(review, "narrowed")),
    ]
    return found if any(changes or policies for changes, policies in found) else []


def _entries(review: Review) -> list[Entry]:
    """Return the sections that hold something, in reading order, with as many as their headings count."""
    resources, security = review.resources, review.security
    found = (
        ("failures", "Does not synthesize", len(groups.failures(review))),
        ("cost", "Cost", len(groups.shown_costs(review))),
        ("selection", "Instance types", len(review.selection)),
        ("hazards", "Hazards", len(review.hazards)),
        ("security", "Security", len(security.iam) + len(security.others)),
        ("notes", "About this review", len(groups.remarks(review))),
        ("config", "Configuration", len(review.config)),
        ("resources", "Resources", len(resources.changes) or len(resources.stacks)),
    )
    return [Entry(anchor, title, f"{count:,}") for anchor, title, count in found if count]
