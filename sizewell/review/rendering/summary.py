"""What is read before anything is unfolded: the workloads in one table, what to do, and security in a sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sizewell.review.model import Hazard, IamChange, PickSide, Review, SelectionChange, WorkloadCost
from sizewell.review.rendering.cost_lines import is_partly_unknown
from sizewell.review.rendering.groups import changed_workloads, shown_costs
from sizewell.review.rendering.words import expected, usd_difference
from sizewell.review.words import WORST_EFFECTS, Severity, counted, listed

#: Workloads in the table, steps, and policies in the sentence on security: what is more is counted, and unfolded below.
MOST_WORKLOADS = 8
MOST_STEPS = 6
_MOST_POLICIES = 2
_NOTHING = "—"


@dataclass(frozen=True, slots=True)
class WorkloadRow:
    """What becomes of a workload, a text for each environment."""

    workload: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do before the change is deployed, and all hazards that ask for it."""

    hazard: Hazard
    """The worst of them."""
    environments: tuple[str, ...]
    subjects: tuple[str, ...]
    causes: tuple[str, ...]

    @property
    def place(self) -> str:
        """Where, and at what."""
        return f"{listed(self.environments)}, {listed(self.subjects, 2)}"

    @property
    def cause(self) -> str:
        """The first of its causes, and how many more there are."""
        more = len(self.causes) - 1
        first = self.causes[0].rstrip(".")
        return f"{first} (and {counted(more, 'more change')})" if more else first


def workload_rows(review: Review) -> tuple[tuple[str, ...], tuple[WorkloadRow, ...]]:
    """Return the environments in which a workload changes, and a row for each workload, the largest difference first."""
    costs = {
        (cost.environment, workload.workload): workload
        for cost in shown_costs(review)
        for workload in changed_workloads(cost)
    }
    picks = {(change.environment, change.workload): change for change in review.selection}
    places = {*costs, *picks}
    environments = tuple(
        cost.environment for cost in review.cost if any(place[0] == cost.environment for place in places)
    )
    names = sorted({name for _, name in places}, key=lambda name: (-_moved(name, costs), name))
    rows = (
        WorkloadRow(
            name, tuple(_cell(picks.get((where, name)), costs.get((where, name))) for where in environments)
        )
        for name in names
    )
    return environments, tuple(rows)


def _moved(name: str, costs: dict[tuple[str, str], WorkloadCost]) -> float:
    return max(
        (
            abs(cost.difference.expected) if cost.difference.expected is not None else float("inf")
            for (_, workload), cost in costs.items()
            if workload == name
        ),
        default=0.0,
    )


def _cell(pick: SelectionChange | None, cost: WorkloadCost | None) -> str:
    return "; ".join(filter(None, (_types(pick), _cost(cost)))) or _NOTHING


def _types(change: SelectionChange | None) -> str:
    if change is None:
        return ""
    base, head = (_counted_type(side) for side in (change.base, change.head))
    return f"{head} as before" if base == head else f"{base or 'nothing'} → {head or 'nothing'}"


def _counted_type(side: PickSide | None) -> str:
    return f"{side.instance_count} × {side.instance_type}" if side else ""  # noqa: RUF001


def _cost(cost: WorkloadCost | None) -> str:
    if cost is None:
        return ""
    base, head = (
        expected(side.usd_per_month, is_partly_unknown(side)) if side else "nothing"
        for side in (cost.base, cost.head)
    )
    if base == head:
        return f"{head} USD"
    return f"{base} → {head} USD ({usd_difference(cost.difference.expected)})"


def steps(review: Review) -> tuple[Step, ...]:
    """Return what to do, each once whatever the stack is: dangers and warnings, the worst first."""
    found: dict[tuple[str, str], list[Hazard]] = {}
    for hazard in review.hazards:
        if hazard.severity != "notice":
            of_any_stack = hazard.what_to_do.replace(hazard.stack, "")
            found.setdefault((hazard.rule, of_any_stack), []).append(hazard)
    by_subjects: dict[tuple[Severity, tuple[str, ...]], list[Step]] = {}
    for step in map(_step, found.values()):
        by_subjects.setdefault((step.hazard.severity, step.subjects), []).append(step)
    return tuple(_worst_of(same) for same in by_subjects.values())


def _worst_of(same: Sequence[Step]) -> Step:
    """Return what to do first about something of which several things are told, and how many more there are."""
    first, *_ = sorted(same, key=lambda step: WORST_EFFECTS.index(step.hazard.effect))
    others = tuple(cause for step in same if step is not first for cause in step.causes)
    return replace(first, causes=(*first.causes, *others))


def _step(hazards: Sequence[Hazard]) -> Step:
    return Step(
        hazard=hazards[0],
        environments=tuple(dict.fromkeys(hazard.environment for hazard in hazards)),
        subjects=tuple(dict.fromkeys(hazard.subject for hazard in hazards)),
        causes=tuple(dict.fromkeys(hazard.cause for hazard in hazards)),
    )


def security_lines(review: Review) -> Iterator[str]:
    """Yield what protects less, a sentence for each kind of change."""
    new_stacks = {
        (change.environment, change.stack) for change in review.resources.stacks if change.action == "added"
    }
    broadened = [change for change in review.security.iam if change.direction == "broadened"]
    of_new = [change for change in broadened if (change.environment, change.stack) in new_stacks]
    if others := [change for change in broadened if change not in of_new]:
        yield f"{_policies(others)}."
    if of_new:
        names = listed(dict.fromkeys(change.stack for change in of_new), 3)
        yield f"New stacks bring roles and acknowledgements of their own: {names}."
    narrowed = [change for change in review.security.iam if change.direction == "narrowed"]
    if narrowed:
        yield f"{_policies(narrowed, 'may no longer')}. A call that needs it fails."
    weaker = [
        change
        for change in review.security.others
        if change.direction == "weaker"
        and not (change.rule == "acknowledgement-added" and (change.environment, change.stack) in new_stacks)
    ]
    for why in dict.fromkeys(change.why for change in weaker):
        first, *more = (change for change in weaker if change.why == why)
        similar = f" (and {len(more)} more)" if more else ""
        yield f"{first.environment}, {first.subject}{similar}: {first.base} → {first.head}. {why}"


def _policies(changes: Sequence[IamChange], may: str = "may now") -> str:
    """Return who may do what: a policy of a role speaks for the role, one of a resource for whom it names."""
    by_policy: dict[str, list[IamChange]] = {}
    for change in changes:
        by_policy.setdefault(change.policy, []).append(change)
    sentences = []
    for policy, same in list(by_policy.items())[:_MOST_POLICIES]:
        grants = [grant for change in same for grant in change.grants]
        actions = listed(dict.fromkeys(grant.action for grant in grants), 3)
        environments = listed(dict.fromkeys(change.environment for change in same))
        who = dict.fromkeys(grant.principal for grant in grants)
        place = "" if policy in who else f" on {policy}"
        sentences.append(
            f"{policy if policy in who else listed(who, 2)} {may} {actions}{place} ({environments})"
        )
    if (more := len(by_policy) - _MOST_POLICIES) > 0:
        sentences.append(counted(more, "other policy", "other policies"))
    return "; ".join(sentences)
