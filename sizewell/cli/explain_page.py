"""``sizewell explain --html``: how a choice was made, as one file that needs nothing else to be read."""

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256

from sizewell.cli.candidates import instance_count
from sizewell.cli.explain_chart import draw_chart
from sizewell.cli.explain_words import (
    WHAT_IF,
    cheaper_line,
    counterfactual_notes,
    counterfactual_rows,
    decision_line,
    facts,
    front_line,
    list_title,
    lock_line,
    savings_plan_line,
    warnings,
)
from sizewell.cli.explanation import Explanation
from sizewell.cli.formats import hours, known_by, scaled_words, sureness_words, usd
from sizewell.cli.modes_view import mode_line
from sizewell.cli.page import page_asset, page_templates
from sizewell.instance_selection import EndpointEstimate
from sizewell.instance_selection.results import AnyCandidate
from sizewell.instance_selection.wording import milliseconds

#: Candidates whose memory is drawn: the pick and the first runners-up.
MEMORY_BARS = 6
MEMORY_PARTS = (
    ("weights", "weights_gib"),
    ("KV cache", "kv_cache_gib"),
    ("activations", "activations_gib"),
    ("gradients", "gradients_gib"),
    ("optimizer", "optimizer_gib"),
    ("reserve", "reserve_gib"),
)


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """A piece of a memory bar."""

    name: str
    gib: float
    percent: float
    """Of the usable memory."""


@dataclass(frozen=True, slots=True)
class MemoryBar:
    """What fills the memory of one candidate."""

    instance_type: str
    needed_gib: float
    usable_gib: float
    parts: tuple[MemoryPart, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate as the table shows it."""

    rank: int
    candidate: AnyCandidate
    instance_count: int
    outcome: str
    spread: str
    memory: str
    usd_per_hour: str
    usd_per_month: str
    more: str
    """What it costs more or less than the pick."""
    marks: tuple[str, ...]


def render_page(explanation: Explanation) -> str:
    """Return the page: the same bytes for the same explanation, every value escaped, nothing loaded from elsewhere."""
    script = page_asset("explain.js")
    templates = page_templates()
    templates.filters |= {"usd": usd, "outcome": explanation.outcome}
    workload = explanation.workload
    chosen = workload.selection.chosen
    about = explanation.latency_bound
    modes = workload.modes
    lines = (
        decision_line(explanation),
        cheaper_line(explanation),
        front_line(explanation),
        explanation.asked.without_capacity,
        f"mode: {mode_line(workload.name, modes)}" if modes else None,
        lock_line(explanation),
    )
    return templates.get_template("explain.html.jinja2").render(
        name=workload.name,
        description=workload.description,
        kind=" ".join(workload.kind.rsplit("-", 1)),
        place=f"{explanation.environment}, {explanation.region}",
        script=script,
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
        style=page_asset("page.css") + page_asset("explain.css"),
        chosen=chosen,
        spread=explanation.spread(chosen),
        sureness=sureness_words(chosen.estimate),
        scaled=scaled_words(chosen.estimate),
        bound=milliseconds(explanation.asked.bound) if about else hours(explanation.asked.bound),
        time=f"{about.name} at peak load" if about else "duration of a run",
        short_time=about.short_name if about else "duration",
        lock=workload.lock,
        warnings=warnings(explanation),
        why=[line for line in lines if line],
        facts=[line for line in (*facts(explanation), savings_plan_line(explanation)) if line],
        chart=draw_chart(explanation),
        bars=[_memory_bar(candidate) for candidate in explanation.candidates[:MEMORY_BARS]],
        list_title=list_title(explanation),
        rows=_rows(explanation),
        what_if=WHAT_IF,
        counterfactuals=counterfactual_rows(explanation),
        counterfactual_notes=counterfactual_notes(explanation),
        rejected=explanation.rejected_by_filter,
        rejected_count=len(workload.selection.rejected),
        assumptions=workload.selection.assumptions,
        prices=_prices(explanation),
    )


def _memory_bar(candidate: AnyCandidate) -> MemoryBar:
    memory = candidate.estimate.memory
    parts = ((name, getattr(memory, field)) for name, field in MEMORY_PARTS)
    return MemoryBar(
        candidate.instance_type,
        memory.needed_gib,
        memory.usable_gib,
        tuple(
            MemoryPart(name, gib, round(100 * gib / memory.usable_gib, 2)) for name, gib in parts if gib > 0
        ),
    )


def _rows(explanation: Explanation) -> list[Row]:
    chosen = explanation.workload.selection.chosen
    return [_row(rank, c, chosen, explanation) for rank, c in enumerate(explanation.candidates, 1)]


def _row(rank: int, c: AnyCandidate, chosen: AnyCandidate, explanation: Explanation) -> Row:
    e = c.estimate
    ours, theirs = chosen.cost.usd_per_month, c.cost.usd_per_month
    more = "" if ours is None or theirs is None or c is chosen else _signed(theirs - ours)
    return Row(
        rank=rank,
        candidate=c,
        instance_count=instance_count(c),
        outcome=milliseconds(explanation.time(e))
        if isinstance(e, EndpointEstimate)
        else hours(e.duration_hours),
        spread=explanation.spread(c) or known_by(e),
        memory=f"{e.memory.needed_gib / e.memory.usable_gib:.0%}",
        usd_per_hour="unknown" if c.cost.usd_per_hour is None else f"{c.cost.usd_per_hour:.4g}",
        usd_per_month=usd(theirs),
        more=more,
        marks=explanation.marks(c),
    )


def _signed(difference: float) -> str:
    if round(difference, 2) == 0:
        return "the same"
    return f"{'+' if difference > 0 else '−'}{usd(abs(difference))}"  # noqa: RUF001


def _prices(explanation: Explanation) -> list[tuple[str, str, int]]:
    """Return basis, date and number of candidates with such a price, sorted."""
    keys = [(c.cost.basis.value, c.cost.price_date or "undated") for c in explanation.candidates]
    return [(*key, keys.count(key)) for key in sorted(set(keys))]
