"""The whole review of two outputs: every section, in one pass over the environments."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sizewell.review.comparison import environments_without_base, pair_environments
from sizewell.review.configuration import compare_configurations
from sizewell.review.cost import compare_costs
from sizewell.review.garbage_collection import without_garbage_collection
from sizewell.review.gate import (
    apply_gate,
    check_rules,
    needed_approvals,
    parse_conditions,
    policy_conditions,
    waivers_of_base,
    with_no_base,
)
from sizewell.review.hazards import find_hazards
from sizewell.review.model import (
    EnvironmentCost,
    Hazard,
    Place,
    Resources,
    Review,
    Security,
    SelectionChange,
    Side,
    Verdict,
)
from sizewell.review.notes import comparison_notes
from sizewell.review.resources import compare_resources
from sizewell.review.saved.configuration import place_of
from sizewell.review.saved.output import SavedOutput
from sizewell.review.security import compare_security
from sizewell.review.selection import compare_selections
from sizewell.review.verdict import verdict_of
from sizewell.review.words import SEVERITIES


@without_garbage_collection()
def compare_outputs(
    base: SavedOutput | None,
    head: SavedOutput,
    *,
    environments: Sequence[str] | None = None,
    production: Collection[str] | None = None,
) -> Review:
    """Return what head does to what base is; ``environments`` are all of either side when none is named.

    ``production`` names those that serve users, where an output does not say it itself; None: nobody knows.

    Where base did not synthesize, head is reviewed alone: what it costs, what it picks, what is dangerous in itself.
    """
    if environments is not None:
        base, head = base and _only(base, environments), _only(head, environments)
    pairs = pair_environments(base, head, production) if base else ()
    alone = environments_without_base(base, head, production)
    hazards: list[Hazard] = []
    security: list[Security] = []
    cost: list[EnvironmentCost] = []
    selection: list[SelectionChange] = []
    resources: list[Resources] = []
    for pair in (*pairs, *alone):
        of_pair = compare_resources(pair) if pair in pairs else Resources()
        resources.append(of_pair)
        hazards += find_hazards(pair)
        cost.append(compare_costs(pair))
        selection += compare_selections(pair)
        if pair in pairs:
            security.append(compare_security(pair))
    review = Review(
        base=_side(base) if base else None,
        head=_side(head),
        verdict=Verdict(level="no change", sentence=""),
        notes=comparison_notes(base, head, pairs),
        hazards=tuple(sorted(hazards, key=lambda hazard: SEVERITIES.index(hazard.severity))),
        security=_joined_security(security),
        cost=tuple(cost),
        selection=tuple(selection),
        config=compare_configurations(pairs),
        resources=_joined_resources(resources),
    )
    return review.model_copy(update={"verdict": verdict_of(review)})


def with_gate(
    review: Review,
    conditions: Sequence[str],
    base: SavedOutput | None,
    head: SavedOutput,
    *,
    date: str | None = None,
) -> Review:
    """Return the review with what stops it and who must approve it.

    The conditions given count, and those of the configurations of both sides. Base alone says what is waived, until a
    day that ``date`` (YYYY-MM-DD) may not be after, and who approves. Raises ``GateSyntaxError`` with every condition that
    cannot be read.
    """
    pairs = pair_environments(base, head) if base else environments_without_base(base, head)
    texts = (*conditions, *policy_conditions(pairs))
    check_rules(pairs)
    review = review.model_copy(update={"approvals": tuple(needed_approvals(review, pairs))})
    if not texts:
        return review
    sides = [side for side in (base, head) if side]
    names = {name for side in sides for name in (*side.assemblies, *side.errors)}
    names |= {pair.name for pair in pairs}
    parsed = parse_conditions(texts, environments=names)
    alone = (pair.name for pair in environments_without_base(base, head))
    gate = apply_gate(review, with_no_base(parsed, alone), waivers_of_base(pairs), date)
    return review.model_copy(update={"gate": gate})


def _only(output: SavedOutput, environments: Sequence[str]) -> SavedOutput:
    return replace(
        output,
        assemblies={name: assembly for name, assembly in output.assemblies.items() if name in environments},
        errors={name: error for name, error in output.errors.items() if name in environments},
    )


def _side(output: SavedOutput) -> Side:
    plans = (assembly.plan for assembly in output.assemblies.values())
    return Side(
        label=output.label,
        environments=tuple(sorted({*output.assemblies, *output.errors})),
        stack_count=sum(len(assembly.stacks) for assembly in output.assemblies.values()),
        files=tuple(
            Place(environment=name, file=place[0], line=place[1])
            for name, assembly in sorted(output.assemblies.items())
            if (place := place_of(assembly, ("name",)))
        ),
        catalog_versions=tuple(sorted({plan.catalog_version for plan in plans if plan})),
    )


def _joined_security(sections: Sequence[Security]) -> Security:
    return Security(
        iam=tuple(change for section in sections for change in section.iam),
        others=tuple(change for section in sections for change in section.others),
        unchanged_grant_count=sum(section.unchanged_grant_count for section in sections),
    )


def _joined_resources(sections: Sequence[Resources]) -> Resources:
    return Resources(
        changes=tuple(change for section in sections for change in section.changes),
        stacks=tuple(change for section in sections for change in section.stacks),
        unchanged_count=sum(section.unchanged_count for section in sections),
    )
