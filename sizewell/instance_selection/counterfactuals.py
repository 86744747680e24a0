"""What would be picked if one need were different: another engine or number format, looser bounds, another way to pay."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic

from sizewell.facts.asynchronous import MAX_PROCESSING_S, MAX_TIME_IN_QUEUE_S
from sizewell.facts.serving_modes import Mode, limit
from sizewell.facts.training_jobs import RUNTIME_BOUNDS_S
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.endpoint_selection import select_endpoint_instance
from sizewell.instance_selection.latency_bounds import BOUNDS
from sizewell.instance_selection.requirements import (
    EndpointRequirements,
    Engine,
    HardwareKind,
    Precision,
    SpotRequirements,
    TrainingRequirements,
    TransformRequirements,
)
from sizewell.instance_selection.results import (
    Candidate,
    E,
    EndpointEstimate,
    NoFeasibleInstanceError,
    Rejection,
    Selection,
    TrainingEstimate,
    TransformEstimate,
)
from sizewell.instance_selection.training_selection import select_training_instance
from sizewell.instance_selection.transform_selection import select_transform_instance

_GPU = frozenset({HardwareKind.CUDA})
_CPU = frozenset({HardwareKind.CPU_X86_64, HardwareKind.CPU_ARM64})
#: On which hardware the images of an engine compute with quantized weights, and need nothing beside the engine. vLLM guide,
#: "Quantization": int4 (AWQ, GPTQ), int8 and fp8. TensorRT guide, "Working with Quantized Types": int8 and fp8; ONNX Runtime
#: guide, "Quantize ONNX models": int8 on CPUs. A framework that is eager or compiled needs a library for it (bitsandbytes,
#: torchao), and nothing tells whether an image has one.
QUANTIZED = {
    Engine.LLM_ENGINE: {Precision.FP8: _GPU, Precision.INT8: _GPU, Precision.INT4: _GPU},
    Engine.OPTIMIZED_RUNTIME: {Precision.FP8: _GPU, Precision.INT8: _GPU | _CPU},
}
#: The discount that is assumed of a Savings Plan, in percent. AWS publishes a rate for each type and term, and "up to 64 %"
#: for all (https://aws.amazon.com/savingsplans/ml-pricing/); buyers see 20 to 65 % (awsnegotiations.com, "SageMaker Savings
#: Plans", May 2026). The lower end promises least.
SAVINGS_PLAN_PCT = 20.0
#: The checkpoint interval of a job that states none.
CHECKPOINT_INTERVAL_HOURS = 0.5
CENT = 0.01


@dataclass(frozen=True, slots=True)
class Change:
    """One need that differs from the stated one."""

    name: str
    key: str
    """The key of the configuration that states it."""
    value: str | float | bool
    assumption: str = ""


_SAVINGS_PLAN = Change(
    f"a Savings Plan of {SAVINGS_PLAN_PCT:g} %",
    "policy.savings_plan.discount_percent",
    SAVINGS_PLAN_PCT,
    "assumed; AWS gives at most 64 %",
)


@dataclass(frozen=True, slots=True)
class Counterfactual(Generic[E]):
    """What a change makes of a pick."""

    change: Change
    pick: Candidate[E] | None
    """None where no type meets the changed needs."""
    nearest: Rejection | None
    """What the nearest type misses, where there is no pick."""
    saving_usd_per_month: float | None
    """Below zero where the changed needs cost more; None where there is no pick, or a price is unknown."""
    changes_pick: bool
    """Whether the type, the number of instances or the cost is different."""


def endpoint_counterfactuals(
    needs: EndpointRequirements, catalog: Catalog, chosen: Candidate[EndpointEstimate]
) -> tuple[Counterfactual[EndpointEstimate], ...]:
    """Return what each change makes of ``chosen``, which is the pick under ``needs``."""
    return _counterfactuals(_endpoint_changes(needs), select_endpoint_instance, catalog, chosen)


def training_counterfactuals(
    needs: TrainingRequirements,
    catalog: Catalog,
    chosen: Candidate[TrainingEstimate],
    *,
    checkpoint_interval_hours: float | None = None,
    savings_plan_discount_pct: float = 0.0,
) -> tuple[Counterfactual[TrainingEstimate], ...]:
    """Return what each change makes of ``chosen``, which is the pick under ``needs``.

    The checkpoint interval applies when a job moves to Spot, the discount when it leaves Spot.
    """
    changes = _training_changes(needs, checkpoint_interval_hours, savings_plan_discount_pct)
    return _counterfactuals(changes, select_training_instance, catalog, chosen)


def transform_counterfactuals(
    needs: TransformRequirements, catalog: Catalog, chosen: Candidate[TransformEstimate]
) -> tuple[Counterfactual[TransformEstimate], ...]:
    """Return what each change makes of ``chosen``, which is the pick under ``needs``."""
    return _counterfactuals(_transform_changes(needs), select_transform_instance, catalog, chosen)


def _counterfactuals(
    changes: Iterable[tuple[Change, Any]],
    select: Callable[[Any, Catalog], Selection[E]],
    catalog: Catalog,
    chosen: Candidate[E],
) -> tuple[Counterfactual[E], ...]:
    found: list[Counterfactual[E]] = []
    for change, needs in changes:
        try:
            pick = select(needs, catalog).chosen
        except NoFeasibleInstanceError as error:
            found.append(Counterfactual(change, None, error.nearest[0], None, changes_pick=True))
            continue
        ours, theirs = chosen.cost.usd_per_month, pick.cost.usd_per_month
        saving = None if ours is None or theirs is None else ours - theirs
        another_cost = (ours is None) != (theirs is None) if saving is None else abs(saving) >= CENT
        another = (pick.instance_type, _count(pick)) != (chosen.instance_type, _count(chosen))
        found.append(Counterfactual(change, pick, None, saving, changes_pick=another or another_cost))
    return tuple(found)


def _count(candidate: Candidate[Any]) -> float:
    """Return how many instances are paid for."""
    estimate = candidate.estimate
    return estimate.instances_paid if isinstance(estimate, EndpointEstimate) else estimate.instance_count


def _endpoint_changes(needs: EndpointRequirements) -> Iterator[tuple[Change, EndpointRequirements]]:
    yield from _model_changes(needs)
    more = needs.max_instances + 1
    yield (
        Change("one more instance", "scaling.max_instances", more),
        replace(
            needs,
            max_instances=more,
            bounds_of_week=tuple(
                replace(bounds, max_instances=bounds.max_instances + 1) for bounds in needs.bounds_of_week
            ),
        ),
    )
    yield from _looser_bounds(needs)
    if not needs.savings_plan_discount_pct:
        yield _SAVINGS_PLAN, replace(needs, savings_plan_discount_pct=SAVINGS_PLAN_PCT)


def _looser_bounds(needs: EndpointRequirements) -> Iterator[tuple[Change, EndpointRequirements]]:
    if needs.queue is not None:
        wait_s = 2 * needs.queue.max_wait_s
        if wait_s <= MAX_TIME_IN_QUEUE_S + MAX_PROCESSING_S:
            yield (
                Change("twice the wait", "latency.max_wait_minutes", wait_s / 60),
                replace(
                    needs.with_only_latency_bound(min(wait_s, MAX_PROCESSING_S) * 1000),
                    queue=replace(needs.queue, max_wait_s=wait_s),
                ),
            )
        return
    longest_ms = limit(Mode.REAL_TIME, "max_processing_s") * 1000
    bounds: dict[str, Any] = {
        bound.need: asked for bound in BOUNDS if (asked := bound.asked_ms(needs)) is not None
    }
    if 2 * needs.max_p95_latency_ms <= longest_ms:
        yield (
            Change(
                "twice the latency",
                "latency.max_p95_ms",
                2 * needs.max_p95_latency_ms,
                "of every stated bound" if len(bounds) > 1 else "",
            ),
            replace(needs, **{need: min(2 * asked, longest_ms) for need, asked in bounds.items()}),
        )


def _model_changes(needs: EndpointRequirements) -> Iterator[tuple[Change, EndpointRequirements]]:
    """Yield other ways to execute the model; none for rows of a table, to which they make no difference."""
    model = needs.model
    if model.architecture.tabular:
        return
    # What was measured is of the engine and of the number format that ran.
    predicted = replace(needs, measurements=())
    generates = model.architecture.generates and needs.output_tokens > 0
    for engine in Engine:
        if engine is not needs.engine and (generates or engine is not Engine.LLM_ENGINE):
            # An LLM engine batches by itself.
            batching = None if engine is Engine.LLM_ENGINE else needs.batching
            changed = replace(predicted, engine=engine, batching=batching)
            yield Change(f"engine {engine}", "engine", engine.value), changed
    # Number formats of at most as many bytes, on the images that compute with them.
    for precision, hardware in QUANTIZED.get(needs.engine, {}).items():
        images = needs.limits.images & hardware
        if images and precision is not model.precision and precision.bytes <= model.precision.bytes:
            yield (
                Change(f"{precision} weights", "model.precision", precision.value),
                replace(
                    predicted,
                    model=replace(model, precision=precision),
                    limits=replace(needs.limits, images=images),
                ),
            )


def _transform_changes(needs: TransformRequirements) -> Iterator[tuple[Change, TransformRequirements]]:
    for change, serving in _model_changes(needs.serving):
        yield change, replace(needs, serving=serving)
    more = needs.max_instances + 1
    if more <= needs.objects:
        yield Change("one more instance", "max_instances", more), replace(needs, max_instances=more)
    hours = 2 * needs.deadline_hours
    yield Change("twice the deadline", "deadline_hours", hours), replace(needs, deadline_hours=hours)
    if not needs.serving.savings_plan_discount_pct:
        serving = replace(needs.serving, savings_plan_discount_pct=SAVINGS_PLAN_PCT)
        yield _SAVINGS_PLAN, replace(needs, serving=serving)


def _training_changes(
    needs: TrainingRequirements, checkpoint_interval_hours: float | None, savings_plan_discount_pct: float
) -> Iterator[tuple[Change, TrainingRequirements]]:
    more = needs.max_instances + 1
    yield Change("one more instance", "max_instances", more), replace(needs, max_instances=more)
    hours = 2 * needs.deadline_hours
    if hours * 3600 <= RUNTIME_BOUNDS_S[1]:
        yield Change("twice the deadline", "deadline_hours", hours), replace(needs, deadline_hours=hours)
    if needs.spot is not None:
        on_demand = replace(needs, spot=None, savings_plan_discount_pct=savings_plan_discount_pct)
        yield Change("without Spot", "spot.enabled", value=False), on_demand
        return
    interval = checkpoint_interval_hours or CHECKPOINT_INTERVAL_HOURS
    assumption = f"with a checkpoint every {interval * 60:g} minutes"
    spot = SpotRequirements(checkpoint_interval_hours=interval)
    yield (
        Change("Spot", "spot.enabled", value=True, assumption=assumption),
        replace(needs, spot=spot, savings_plan_discount_pct=0.0),
    )
