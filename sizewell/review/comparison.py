"""The pairs that the sections look at: the same environment, the same stack, on both sides."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sizewell.config.cluster_targets import stated_kinds
from sizewell.planning.saved_plan import SavedPlan
from sizewell.planning.saved_workload import SavedWorkload
from sizewell.review.cluster_objects import cluster_of, holds_objects, in_cluster
from sizewell.review.consequences.find import Consequences, consequences_in
from sizewell.review.saved.configuration import cluster_names, is_production, saved_environment
from sizewell.review.saved.output import UNNAMED, Assembly, SavedOutput
from sizewell.templates.deployment import DeploymentDiff
from sizewell.templates.propagation import diff_stacks
from sizewell.templates.template import Stack, StackPair


@dataclass(frozen=True)
class EnvironmentPair:
    """One environment; None on the side that does not have it, never on both."""

    name: str
    base: Assembly | None
    head: Assembly | None
    named_production: bool | None = None
    """What the reviewer says of it; None is nothing."""

    @cached_property
    def stacks(self) -> tuple[StackPair, ...]:
        """Every stack of either side, by name."""
        base, head = self._stacks_by_cluster()
        return tuple(
            StackPair(self.name, name, *_spelled_alike(base.get(name), head.get(name)))
            for name in sorted({*base, *head})
        )

    def _stacks_by_cluster(self) -> tuple[Mapping[str, Stack], Mapping[str, Stack]]:
        """Return the stacks of both sides; manifests are not the same stack where their key means another cluster."""
        base, head = cluster_names(self.base), cluster_names(self.head)
        other = {key for key in base.keys() & head.keys() if base[key] != head[key]}
        return _with_clusters(self.base, base, other), _with_clusters(self.head, head, other)

    @cached_property
    def diff(self) -> DeploymentDiff:
        """What a deployment of head over base does."""
        return diff_stacks(self.stacks)

    @cached_property
    def consequences(self) -> Consequences:
        """What the tables say of the resources that change."""
        return consequences_in(self.diff, self.moved_workloads)

    @cached_property
    def moved_workloads(self) -> Mapping[str, tuple[str, str]]:
        """Return the stacks whose workload moves into another service, with the kinds of its plan on both sides."""
        kinds = [
            {workload.stack_name: workload.kind for workload in side.plan.workloads}
            if side and side.plan
            else {}
            for side in (self.base, self.head)
        ]
        base, head = kinds
        return {
            stack: (base[stack], head[stack])
            for stack in base.keys() & head.keys()
            if base[stack] != head[stack] and stated_kinds(base[stack]) & stated_kinds(head[stack])
        }

    @property
    def production(self) -> bool:
        """Whether the plan or the configuration of either side says that it serves users; else what the reviewer says.

        Where nobody says it, it does: a name proves nothing, and what is lost there may be what users need.
        """
        sides = [plan.production for plan in self.plans] or [
            is_production(environment)
            for side in (self.base, self.head)
            if (environment := saved_environment(side)) is not None
        ]
        return any(sides) if sides else self.named_production is not False

    @property
    def is_removed(self) -> bool:
        """Whether head no longer has it."""
        return self.base is not None and self.head is None

    @property
    def plans(self) -> tuple[SavedPlan, ...]:
        """The plans that there are, base first."""
        return tuple(side.plan for side in (self.base, self.head) if side and side.plan)

    def workload_of_stack(self, stack_name: str) -> SavedWorkload | None:
        """Return the workload that a stack is for, as head knows it, else as base does; None for other stacks."""
        found = (plan.workload_of_stack(stack_name) for plan in reversed(self.plans))
        return next((workload for workload in found if workload), None)

    def name_of_stack(self, stack_name: str) -> str:
        """Return what people call what a stack is for, in the same way; stacks of other apps keep the name of the outermost."""
        found = (plan.name_of_stack(stack_name) for plan in reversed(self.plans))
        return next((name for name in found if name), stack_name.partition("/")[0])


def pair_environments(
    base: SavedOutput, head: SavedOutput, production: Collection[str] | None = None
) -> tuple[EnvironmentPair, ...]:
    """Return every environment of either side, production first, then by name; ``production`` is what the reviewer says.

    An environment that did not synthesize on one side is left out: what is missing there is not removed. Two single
    outputs belong together when only one of them says of which environment it is.
    """
    ours, theirs = dict(base.assemblies), dict(head.assemblies)
    if len(ours) == len(theirs) == 1 and UNNAMED in {*ours, *theirs}:
        (name,) = {*ours, *theirs} - {UNNAMED} or {UNNAMED}
        ours, theirs = {name: next(iter(ours.values()))}, {name: next(iter(theirs.values()))}
    names = {*ours, *theirs} - {*base.errors, *head.errors}
    pairs = [
        EnvironmentPair(name, ours.get(name), theirs.get(name), _named(name, production))
        for name in sorted(names)
    ]
    return tuple(sorted(pairs, key=lambda pair: not pair.production))


def environments_without_base(
    base: SavedOutput | None, head: SavedOutput, production: Collection[str] | None = None
) -> tuple[EnvironmentPair, ...]:
    """Return the environments of head that base should have and does not, because it did not synthesize."""
    failed = set(head.assemblies) if base is None else set(base.errors)
    pairs = [
        EnvironmentPair(name, None, assembly, _named(name, production))
        for name, assembly in head.assemblies.items()
        if name in failed
    ]
    return tuple(sorted(pairs, key=lambda pair: (not pair.production, pair.name)))


def _named(name: str, production: Collection[str] | None) -> bool | None:
    return None if production is None else name in production


def have_nothing_in_common(base: SavedOutput, head: SavedOutput) -> bool:
    """Tell whether no stack and no platform is on both sides: then they are hardly two states of one project.

    A platform whose stacks have got other names is still one.
    """
    pairs = pair_environments(base, head)
    return not any(
        _is_one_platform(pair) or any(stacks.base and stacks.head for stacks in pair.stacks) for pair in pairs
    )


def _is_one_platform(pair: EnvironmentPair) -> bool:
    platforms = [side.plan.platform for side in (pair.base, pair.head) if side and side.plan]
    return len(platforms) == 2 and platforms[0] == platforms[1]


def _spelled_alike(base: Stack | None, head: Stack | None) -> tuple[Stack | None, Stack | None]:
    """Return both so that what only one app says of its account or region is not a difference in every resource."""
    if base is None or head is None:
        return base, head
    places = ((base.account, head.account), (base.region, head.region))
    if all((ours is None) == (theirs is None) for ours, theirs in places):
        return base, head
    known = [ours is not None and theirs is not None for ours, theirs in places]
    return (
        replace(base, spelled_for=(base.account if known[0] else None, base.region if known[1] else None)),
        replace(head, spelled_for=(head.account if known[0] else None, head.region if known[1] else None)),
    )


def _with_clusters(
    assembly: Assembly | None, names: Mapping[str, str], other: Collection[str]
) -> Mapping[str, Stack]:
    stacks = _stacks(assembly)
    if not other:
        return stacks
    named = (
        in_cluster(stack, names[key])
        if (key := cluster_of(stack.name)) in other and holds_objects(stack)
        else stack
        for stack in stacks.values()
    )
    return {stack.name: stack for stack in named}


def _stacks(assembly: Assembly | None) -> Mapping[str, Stack]:
    return assembly.stacks if assembly else {}
