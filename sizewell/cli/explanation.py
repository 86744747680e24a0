"""What can be told about a choice: the material of the terminal, the page and the JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from sizewell.cli.errors import exit_unknown_workload
from sizewell.cli.formats import outcome, scaled_words, spread
from sizewell.config.batch_transform import BatchTransform
from sizewell.config.inference_component_endpoint import InferenceComponentEndpoint
from sizewell.config.notebook import Notebook
from sizewell.config.processing_job import ProcessingJob
from sizewell.config.served_model import ServedOnInstances
from sizewell.config.training import TrainedModel
from sizewell.config.tuning import TuningJob
from sizewell.instance_selection import (
    EndpointEstimate,
    Engine,
    Objective,
    Rejection,
    TrainingEstimate,
    TransformEstimate,
)
from sizewell.instance_selection.counterfactuals import (
    Counterfactual,
    endpoint_counterfactuals,
    training_counterfactuals,
    transform_counterfactuals,
)
from sizewell.instance_selection.decision import Decision, decide, filter_names_of
from sizewell.instance_selection.latency_bounds import BOUNDS, LatencyBound, decisive_bound
from sizewell.instance_selection.pareto import pareto_front, time_of
from sizewell.instance_selection.results import AnyCandidate, AnyEstimate
from sizewell.planning.component_needs import fleet_requirements
from sizewell.planning.component_plan_model import ComponentEndpointPlan
from sizewell.planning.endpoint_plan_model import VariantPlan
from sizewell.planning.load import PlanInputs, load_inputs
from sizewell.planning.lock_file import read_lock_file
from sizewell.planning.locked_selection import free_pick
from sizewell.planning.measurements import measurements_by_workload
from sizewell.planning.mode_kinds import stated_as_planned
from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.plan import AnyWorkloadPlan, InstanceWorkload
from sizewell.planning.processing_plan_model import ProcessingJobPlan
from sizewell.planning.serialization import rounded
from sizewell.planning.training_plan_model import TrainingJobPlan
from sizewell.planning.transform_needs import transform_requirements
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.translate import serving_requirements, training_requirements
from sizewell.planning.tuning_needs import one_training

#: Raised when the shape of the JSON changes.
SCHEMA_VERSION = 2

AnyCounterfactual = (
    Counterfactual[EndpointEstimate] | Counterfactual[TrainingEstimate] | Counterfactual[TransformEstimate]
)


@dataclass(frozen=True, slots=True)
class AssumedEngine:
    """What was taken to execute the model of an endpoint."""

    name: Engine
    stated: bool
    """Whether the configuration says so."""


@dataclass(frozen=True)
class Explanation:
    """One planned workload, what was asked of it, and what decided."""

    workload: InstanceWorkload
    environment: str
    region: str
    objective: Objective
    bound: float
    """What was asked: the decisive bound of latency of an endpoint in milliseconds, the deadline of a job in hours, the working
    hours of a notebook in a month."""
    decision: Decision
    asked_ms: Mapping[str, float] = field(default_factory=dict)
    """All bounds of latency of an endpoint, by the names of their filters."""
    engine: AssumedEngine | None = None
    """None for a training job, and where no engine makes a difference."""
    counterfactuals: tuple[AnyCounterfactual, ...] = ()
    """What would be picked if one need were otherwise, without the lock."""

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
    def candidates(self) -> tuple[AnyCandidate, ...]:
        """The chosen type and the runners-up, in their order."""
        selection = self.workload.selection
        return (selection.chosen, *selection.runners_up)

    @cached_property
    def front(self) -> tuple[AnyCandidate, ...]:
        """The candidates of which no other is both cheaper and faster, cheapest first."""
        # All branches are the same: the type of the candidates differs.
        if isinstance(self.workload, VariantPlan):
            return pareto_front(
                (self.workload.selection.chosen, *self.workload.selection.runners_up), self.time
            )
        if isinstance(self.workload, ComponentEndpointPlan):
            return pareto_front(
                (self.workload.selection.chosen, *self.workload.selection.runners_up), self.time
            )
        if isinstance(self.workload, ProcessingJobPlan):
            return pareto_front(
                (self.workload.selection.chosen, *self.workload.selection.runners_up), self.time
            )
        if isinstance(self.workload, BatchTransformPlan):
            return pareto_front(
                (self.workload.selection.chosen, *self.workload.selection.runners_up), self.time
            )
        if isinstance(self.workload, NotebookPlan):
            return pareto_front(
                (self.workload.selection.chosen, *self.workload.selection.runners_up), self.time
            )
        return pareto_front((self.workload.selection.chosen, *self.workload.selection.runners_up), self.time)

    def marks(self, candidate: AnyCandidate) -> tuple[str, ...]:
        """Return what is to be said of a candidate in a few words: its place among the others, and how sure it is."""
        marks = (
            ("Pareto front", candidate in self.front),
            ("instance pool", candidate.instance_type in self.workload.instance_pools),
            *((f"near its limit: {limit}", True) for limit in candidate.estimate.near_limits),
            *((f"measured: {what}", True) for what in candidate.estimate.measured),
            *((words, True) for words in scaled_words(candidate.estimate)),
        )
        return tuple(mark for mark, holds in marks if holds)

    @cached_property
    def rejected_by_filter(self) -> tuple[tuple[str, tuple[Rejection, ...]], ...]:
        """The types that were turned down, by the question that they did not pass, and the nearest first.

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
) -> tuple[AnyWorkloadPlan | VariantPlan, PlanInputs]:
    """Return the plan of a workload or of a variant, also where the whole is above its budget: that is what one wants explained.

    Raises ``ConfigError`` with every fault; ends the command when there is no such workload.
    """
    inputs = load_inputs(directory, environment_name)
    file = read_lock_file(directory)
    locked = file.lock.environments.get(environment_name) if file else None
    plan = inputs.plan(locked, within_budget=False)
    workloads = {one.name: one for one in (*plan.workloads, *plan.on_instances)}
    if workload_name not in workloads:
        exit_unknown_workload(workload_name, environment_name, workloads)
    return workloads[workload_name], inputs


def explain_workload(workload: InstanceWorkload, inputs: PlanInputs) -> Explanation:
    """Return the explanation of a workload of the plan that follows from these inputs."""
    inputs = inputs.of_place(workload.name)
    environment = inputs.loaded.environment
    stated = stated_as_planned(environment.apart().workloads[workload.name], workload)
    measured = measurements_by_workload(inputs.loaded.measurements, environment).get(workload.name, ())
    objective, engine = Objective.LEAST_COST, None
    asked: dict[str, float] = {}
    counterfactuals: tuple[AnyCounterfactual, ...]
    if isinstance(workload, VariantPlan):
        assert isinstance(stated, ServedOnInstances)
        needs = serving_requirements(stated, environment.policy, measured)
        asked = {one.filter: ms for one in BOUNDS if (ms := one.asked_ms(needs)) is not None}
        objective, bound = needs.objective, asked[workload.selection.chosen.estimate.decisive_bound]
        if not needs.model.architecture.tabular:
            engine = AssumedEngine(needs.engine, stated="engine" in stated.model_fields_set)
        counterfactuals = endpoint_counterfactuals(
            needs, inputs.catalog, free_pick(workload.selection, workload.lock)
        )
    elif isinstance(workload, ComponentEndpointPlan):
        assert isinstance(stated, InferenceComponentEndpoint)
        fleet = workload.selection.chosen.estimate
        objective = Objective(stated.objective)
        tightest = next(
            one.serving
            for one in fleet_requirements(stated, environment.policy).components
            if one.name == fleet.tightest
        )
        asked = {one.filter: ms for one in BOUNDS if (ms := one.asked_ms(tightest)) is not None}
        bound, counterfactuals = asked[fleet.decisive_bound], ()
    elif isinstance(workload, BatchTransformPlan):
        assert isinstance(stated, BatchTransform)
        transform = transform_requirements(stated, environment.policy, measured)
        objective, bound = transform.serving.objective, stated.deadline_hours
        if not transform.serving.model.architecture.tabular:
            engine = AssumedEngine(transform.serving.engine, stated="engine" in stated.model_fields_set)
        counterfactuals = transform_counterfactuals(
            transform, inputs.catalog, free_pick(workload.selection, workload.lock)
        )
    elif isinstance(workload, ProcessingJobPlan):
        assert isinstance(stated, ProcessingJob)
        bound, counterfactuals = stated.deadline_hours, ()
    elif isinstance(workload, NotebookPlan):
        assert isinstance(stated, Notebook)
        bound, counterfactuals = stated.working_hours.hours_per_month, ()
    else:
        assert isinstance(stated, TrainedModel)
        stated = one_training(stated) if isinstance(stated, TuningJob) else stated
        bound, savings_plan = stated.deadline_hours, environment.policy.savings_plan
        counterfactuals = training_counterfactuals(
            training_requirements(stated, environment.policy, workload.method, (), measured),
            inputs.catalog,
            free_pick(workload.selection, workload.lock),
            checkpoint_interval_hours=stated.checkpoint.interval_minutes / 60 if stated.checkpoint else None,
            savings_plan_discount_pct=savings_plan.discount_percent if savings_plan else 0.0,
        )
    return Explanation(
        workload=workload,
        environment=environment.name,
        region=environment.policy.region,
        objective=objective,
        bound=bound,
        decision=decide(workload.selection, inputs.catalog, objective),
        asked_ms=asked,
        engine=engine,
        counterfactuals=counterfactuals,
    )


def explanation_to_json(explanation: Explanation) -> str:
    """Return everything as JSON with sorted keys; lists keep their order, the best candidate first."""
    import json

    workload = explanation.workload
    endpoint = isinstance(workload, VariantPlan | ComponentEndpointPlan)
    document: dict[str, Any] = {
        **workload.selection.model_dump(mode="json"),
        "schema_version": SCHEMA_VERSION,
        "workload": workload.name,
        "kind": workload.kind,
        "environment": explanation.environment,
        "region": explanation.region,
        "objective": explanation.objective.value,
        "bound": {
            one.need: explanation.asked_ms[one.filter] for one in BOUNDS if one.filter in explanation.asked_ms
        }
        if endpoint
        else {
            "working_hours_per_month"
            if isinstance(workload, NotebookPlan)
            else "deadline_hours": explanation.bound
        },
        "decision": explanation.decision.model_dump(mode="json"),
        "engine": asdict(explanation.engine) if explanation.engine else None,
        "counterfactuals": [_counterfactual_to_json(one) for one in explanation.counterfactuals],
        "pareto_front": [candidate.instance_type for candidate in explanation.front],
        "instance_pools": list(workload.instance_pools),
        "attempts": [
            {"instance_type": one.instance_type, "spot": one.spot, "ends_after_s": one.ends_after_s}
            for one in workload.attempts
        ]
        if isinstance(workload, TrainingJobPlan)
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
