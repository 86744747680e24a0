"""What can be told about a choice: the material of the terminal, the page and the JSON."""

from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from sizewell.cli.errors import exit_unknown_workload
from sizewell.cli.formats import outcome, scaled_words, spread, sureness_words
from sizewell.cli.kind import Asked, Subject, ViewKind
from sizewell.cli.options import DEFAULT_DIRECTORY
from sizewell.instance_selection import (
    EndpointEstimate,
    Rejection,
)
from sizewell.instance_selection.counterfactuals import Counterfactual
from sizewell.instance_selection.decision import Decision, decide, filter_names_of
from sizewell.instance_selection.latency_bounds import BOUNDS, LatencyBound, decisive_bound
from sizewell.instance_selection.pareto import pareto_front, time_of
from sizewell.instance_selection.results import AnyCandidate, AnyEstimate, Candidate
from sizewell.kinds.registry import facet
from sizewell.planning.kind import PlanKind
from sizewell.planning.load import PlanInputs, load_inputs
from sizewell.planning.lock_file import read_lock_file
from sizewell.planning.measurements import measurements_by_workload
from sizewell.planning.mode_kinds import stated_as_planned
from sizewell.planning.serialization import rounded
from sizewell.planning.workload_plan import InstanceWorkloadPlan, WorkloadPlan

#: Raised when the shape of the JSON changes.
SCHEMA_VERSION = 2

AnyCounterfactual = Counterfactual[Any]


@dataclass(frozen=True)
class Explanation:
    """One planned workload, what was asked of it, and what decided."""

    workload: InstanceWorkloadPlan
    environment: str
    region: str
    asked: Asked
    decision: Decision
    directory: Path = DEFAULT_DIRECTORY
    """Of the configuration, as the caller named it."""

    @cached_property
    def latency_bound(self) -> LatencyBound | None:
        """The bound of latency with the least room on the pick, by which candidates are shown; None of a training job."""
        estimate = self.workload.selection.chosen.estimate
        return decisive_bound(estimate) if isinstance(estimate, EndpointEstimate) else None

    def time(self, estimate: AnyEstimate) -> float:
        """Return what is bounded: milliseconds of an endpoint, hours of a job."""
        reached = (
            self.latency_bound.reached_ms(estimate)
            if self.latency_bound and isinstance(estimate, EndpointEstimate)
            else None
        )
        return time_of(estimate) if reached is None else reached

    def outcome(self, candidate: AnyCandidate) -> str:
        """Return what is predicted of a candidate, of the bound that decides on the pick."""
        return outcome(candidate.estimate, self.latency_bound)

    def spread(self, candidate: AnyCandidate) -> str:
        """Return the nominal 90 % range of the outcome; empty where it was measured."""
        return spread(candidate.estimate, self.latency_bound)

    @cached_property
    def candidates(self) -> tuple[Candidate[Any], ...]:
        """The chosen type and the runners-up, in their order."""
        selection = self.workload.selection
        return (selection.chosen, *selection.runners_up)

    @cached_property
    def front(self) -> tuple[Candidate[Any], ...]:
        """The candidates of which no other is both cheaper and faster, cheapest first."""
        return pareto_front(self.candidates, self.time)

    def marks(self, candidate: AnyCandidate) -> tuple[str, ...]:
        """Return what is to be said of a candidate in a few words: its place among the others, and how sure it is."""
        marks = (
            ("Pareto front", candidate in self.front),
            ("instance pool", candidate.instance_type in self.workload.instance_pools),
            *((words, True) for words in sureness_words(candidate.estimate)),
            *((f"measured: {what}", True) for what in candidate.estimate.measured),
            *((words, True) for words in scaled_words(candidate.estimate)),
        )
        return tuple(mark for mark, holds in marks if holds)

    @cached_property
    def rejected_by_filter(self) -> tuple[tuple[str, tuple[Rejection, ...]], ...]:
        """The types that were rejected, by the question that they did not pass, and the nearest first.

        The last question comes first: its types passed all others. What the needs have nothing to do with comes last.
        """
        names = filter_names_of(self.workload.selection)
        rejected = sorted(
            self.workload.selection.rejected, key=lambda r: (r.shortfall or inf, r.instance_type)
        )
        groups = ((name, tuple(r for r in rejected if r.filter == name)) for name in reversed(names))
        return tuple((name, group) for name, group in groups if group)


def load_planned(
    directory: Path, environment_name: str, workload_name: str
) -> tuple[WorkloadPlan, PlanInputs]:
    """Return the plan of a workload or of a variant, also where the whole is above its budget: that is what one wants explained.

    Raises ``ConfigError`` with every fault; ends the command when there is no such workload.
    """
    inputs = load_inputs(directory, environment_name)
    file = read_lock_file(directory)
    locked = file.lock.environments.get(environment_name) if file else None
    plan = inputs.plan(locked, within_budget=False)
    workloads = {part.name: part for workload in plan.workloads for part in workload.variants}
    if workload_name not in workloads:
        exit_unknown_workload(workload_name, environment_name, workloads)
    return workloads[workload_name], inputs


def explain_workload(
    workload: InstanceWorkloadPlan, inputs: PlanInputs, directory: Path = DEFAULT_DIRECTORY
) -> Explanation:
    """Return the explanation of a workload of the plan that follows from these inputs of a configuration directory."""
    subject = subject_of(workload, inputs)
    explain = facet(workload.kind, ViewKind).explain
    assert explain is not None, f"the instance type of a {workload.kind} is chosen"
    asked = explain(subject)
    return Explanation(
        workload=workload,
        environment=inputs.loaded.environment.name,
        region=subject.policy.region,
        asked=asked,
        decision=decide(workload.selection, subject.catalog, asked.objective),
        directory=directory,
    )


def subject_of(workload: WorkloadPlan, inputs: PlanInputs) -> Subject:
    """Return a workload of the plan that follows from these inputs, with what it was decided with."""
    inputs = inputs.of_place(workload.name)
    environment = inputs.loaded.environment
    return Subject(
        stated=stated_as_planned(environment.apart().workloads[workload.name], workload),
        plan=workload,
        policy=environment.policy,
        catalog=facet(workload.kind, PlanKind).catalog(workload, inputs.catalog),
        measured=measurements_by_workload(inputs.loaded.measurements, environment).get(workload.name, ()),
    )


def explanation_to_json(explanation: Explanation) -> str:
    """Return everything as JSON with sorted keys; lists keep their order, the best candidate first."""
    import json

    workload, asked = explanation.workload, explanation.asked
    document: dict[str, Any] = {
        **workload.selection.model_dump(mode="json"),
        "schema_version": SCHEMA_VERSION,
        "workload": workload.name,
        "kind": workload.kind,
        "environment": explanation.environment,
        "region": explanation.region,
        "objective": asked.objective.value,
        "bound": {
            bound.need: asked.asked_ms[bound.filter] for bound in BOUNDS if bound.filter in asked.asked_ms
        }
        or {asked.bound_key: asked.bound},
        "decision": explanation.decision.model_dump(mode="json"),
        "engine": asdict(asked.engine) if asked.engine else None,
        "counterfactuals": [_counterfactual_to_json(one) for one in asked.counterfactuals],
        "pareto_front": [candidate.instance_type for candidate in explanation.front],
        "instance_pools": list(workload.instance_pools),
        "attempts": [
            {"instance_type": rung.instance_type, "spot": rung.spot, "ends_after_s": rung.ends_after_s}
            for rung in asked.attempts
        ]
        if asked.attempts is not None
        else None,
        "lock": workload.lock.model_dump(mode="json") if workload.lock else None,
    }
    return json.dumps(rounded(document), indent=2, sort_keys=True) + "\n"


def _counterfactual_to_json(one: AnyCounterfactual) -> dict[str, Any]:
    return {
        "change": asdict(one.change),
        "pick": one.pick.model_dump(mode="json") if one.pick else None,
        "nearest": one.nearest.model_dump(mode="json") if one.nearest else None,
        "saving_usd_per_month": one.saving_usd_per_month,
        "changes_pick": one.changes_pick,
    }
