"""What is said of the choice of an endpoint on instances, whoever waits for its answers."""

from collections.abc import Callable, Iterator
from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.formats import spread
from sizewell.cli.kind import Asked, AssumedEngine, Row, Subject, row_of_choice, same_image_words
from sizewell.facts.scaling import INVOCATIONS_PER_INSTANCE
from sizewell.instance_selection import EndpointEstimate, EndpointRequirements
from sizewell.instance_selection.counterfactuals import endpoint_counterfactuals
from sizewell.instance_selection.latency_bounds import BOUNDS, P95, P99, decisive_bound
from sizewell.instance_selection.migration import MigrationAssessment, assess_endpoint_migration
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.endpoint_plan_model import EndpointPlan, VariantPlan
from sizewell.planning.kind import needs_of
from sizewell.planning.locked_selection import free_pick
from sizewell.planning.scaling_policies import TargetTrackingPlan


def endpoint_row(variant: VariantPlan) -> Row:
    """Return the row of a variant."""
    scaling = variant.scaling
    if scaling is None:
        return row_of_choice(variant, str(variant.initial_instance_count))
    return row_of_choice(variant, f"{scaling.min_instance_count}-{scaling.max_instance_count}")


def endpoint_notes(variant: VariantPlan) -> Iterator[str]:
    """Yield by what the instances scale, where that is more than requests by the instance."""
    policies = variant.scaling.policies if variant.scaling else ()
    if any(policy.metric != INVOCATIONS_PER_INSTANCE for policy in policies):
        yield from scaling_lines(variant)


def scaling_lines(variant: VariantPlan) -> list[str]:
    """Return by what the instances of a variant scale, and where the target comes from; nothing where they do not."""
    return [
        f"scaling: {policy.name}"
        f"{f' at {policy.target_value:g}' if isinstance(policy, TargetTrackingPlan) else ''}: {policy.derivation}"
        for policy in (variant.scaling.policies if variant.scaling else ())
    ]


def explain_endpoint(subject: Subject) -> Asked:
    """Return what was asked of an endpoint, and what would be picked if a need changed."""
    plan: VariantPlan = subject.plan
    pools = plan.provisioned_pools
    return asked_of(
        subject,
        needs_of(subject.stated, subject.policy, subject.measured),
        without_capacity=f"without capacity, SageMaker takes: {', '.join(pools.instance_types[1:])}"
        if pools
        else same_image_words(plan),
    )


def asked_of(subject: Subject, needs: EndpointRequirements, *, without_capacity: str | None) -> Asked:
    """Return what was asked of a model that answers at once, wherever its instances run."""
    plan = subject.plan
    asked = {bound.filter: ms for bound in BOUNDS if (ms := bound.asked_ms(needs)) is not None}
    engine = AssumedEngine(needs.engine, stated="engine" in subject.stated.model_fields_set)
    return Asked(
        objective=needs.objective,
        bound=asked[plan.selection.chosen.estimate.decisive_bound],
        asked_ms=asked,
        engine=None if needs.model.architecture.tabular else engine,
        counterfactuals=endpoint_counterfactuals(
            needs, subject.catalog, free_pick(plan.selection, plan.lock)
        ),
        without_capacity=without_capacity,
    )


def migrate_endpoint(subject: Subject) -> MigrationAssessment[EndpointEstimate]:
    """Return what an endpoint would be on Inferentia."""
    plan: EndpointPlan = subject.plan
    needs = needs_of(subject.stated, subject.policy, subject.measured)
    return assess_endpoint_migration(needs, subject.catalog, plan.selection.chosen)


def endpoint_facts(
    explanation: Explanation,
    more: Callable[[Any], list[str]] = scaling_lines,
    *,
    answers_later: bool = False,
    holds_one_model: bool = True,
) -> list[str]:
    """Return what the chosen type does; ``more`` returns what the kind adds, how it scales among that."""
    plan: Any = explanation.workload
    e: EndpointEstimate = plan.selection.chosen.estimate
    memory = f"memory: {e.memory.needed_gib:.1f} of {e.memory.usable_gib:.1f} GiB usable"
    split = f", tensor parallel over {e.tensor_parallel_degree}" if e.tensor_parallel_degree > 1 else ""
    sure, asked_ms = spread(e, P95), explanation.asked.asked_ms
    paid = ""
    if e.instances_by_schedule is not None:
        words = "awake on average" if answers_later else "by schedule"
        paid = f"; {e.instances_by_schedule:.3g} are paid for, {words}"
    return [
        *engine_line(explanation),
        *([f"{memory}{split}"] if holds_one_model else []),
        f"one request alone: {milliseconds(e.service_time_ms)}; p95 at peak: {milliseconds(e.p95_latency_ms)}"
        f"{f' ({sure})' if sure else ''}, {milliseconds(asked_ms.get(P95.filter, explanation.asked.bound))} asked",
        *_further_latencies(explanation, e, is_streamed=not answers_later),
        f"capacity of one instance: {e.capacity_requests_per_second:.3g} requests/s",
        f"instances: {e.instances_at_average} at average load, {e.instances_at_peak} at peak{paid}",
        *more(plan),
    ]


def _further_latencies(explanation: Explanation, e: EndpointEstimate, *, is_streamed: bool) -> list[str]:
    """Return the latencies beside the 95th percentile that are asked for or that a generating model has, and what decides."""
    asked = explanation.asked.asked_ms
    latencies = [
        f"{bound.name} at peak: {milliseconds(ms)}"
        + (f", {milliseconds(asked[bound.filter])} asked" if bound.filter in asked else "")
        for bound in BOUNDS
        if bound is not P95
        and (ms := bound.reached_ms(e)) is not None
        and (bound.filter in asked or (bound is not P99 and is_streamed))
    ]
    decides = f"the {decisive_bound(e).name} decides: it leaves the least room" if len(asked) > 1 else None
    return [line for line in ("; ".join(latencies), decides) if line]


def engine_line(explanation: Explanation) -> list[str]:
    """Return what executes the model, and whether anybody said so; nothing where it makes no difference."""
    engine = explanation.asked.engine
    if engine is None:
        return []
    return [f"engine: {engine.name}{'' if engine.stated else ', which is assumed: none is stated'}"]
