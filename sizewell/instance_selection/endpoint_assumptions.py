"""What an estimate of an endpoint takes for granted, in sentences."""

from collections.abc import Iterator

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.endpoint_evaluation.times import BURSTABLE_BASELINE
from sizewell.instance_selection.estimation.hardware import USABLE_ACCELERATOR_SHARE, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.queueing import MAX_UTILIZATION, SERVICE_TAIL
from sizewell.instance_selection.requirements import EndpointRequirements, ModelSet, Queue
from sizewell.instance_selection.results import (
    Candidate,
    EndpointEstimate,
)


def endpoint_assumptions(needs: EndpointRequirements, chosen: Candidate[EndpointEstimate]) -> Iterator[str]:
    """Yield what is taken for granted of the chosen type."""
    yield f"{HOURS_PER_MONTH} hours per month; on-demand prices of {chosen.cost.price_date or 'unknown date'}"
    yield (
        f"{USABLE_ACCELERATOR_SHARE:.0%} of accelerator memory and {USABLE_HOST_SHARE:.0%} of host memory are usable"
    )
    yield f"the 95th percentile of one request alone is {SERVICE_TAIL:g} times its mean"
    yield f"{needs.headroom:.0%} of the capacity stays free"
    yield from pipeline_assumptions(needs)
    if needs.windows_per_request > 1:
        yield (
            f"a request has {needs.windows_per_request:,} windows, read one after the other and answered with "
            f"{needs.output_tokens} tokens each"
        )
    if needs.batching is not None:
        yield (
            f"the server computes up to {needs.batching.max_batch_size} requests in one pass; the first waits "
            f"{needs.batching.max_delay_ms} ms for others, which the 95th percentile includes"
        )
    if needs.queue is not None:
        yield _queue_assumption(needs.queue, chosen.estimate)
    elif needs.bounds_of_week:
        yield (
            f"{chosen.estimate.instances_paid:.3g} instances on the average of a week: the average load at every hour, within "
            "the bounds of that hour"
        )
    if needs.models is not None:
        yield from _model_assumptions(needs.models)
    if needs.savings_plan_discount_pct:
        yield f"a Savings Plan takes {needs.savings_plan_discount_pct:g} % off every hour"
    if needs.peak_requests_per_second is not None:
        yield f"requests arrive at random; no queue is planned above {MAX_UTILIZATION:.0%} utilization"
    if needs.limits.allow_burstable:
        yield f"a burstable vCPU sustains {BURSTABLE_BASELINE:.1%} of its speed"


def pipeline_assumptions(needs: EndpointRequirements) -> tuple[str, ...]:
    """Return what is taken as stated of the containers beside that of the model."""
    if not needs.pipeline_ms:
        return ()
    return (
        f"the containers of the pipeline take {needs.pipeline_ms:g} ms of a request and {needs.pipeline_memory_gib:g} GiB of the "
        "host, as stated: the time is part of each latency here, and nothing of it is predicted",
        "those containers keep up with the model, and leave it the processors that it needs",
    )


def _model_assumptions(models: ModelSet) -> Iterator[str]:
    yield (
        "the least recently used models are unloaded; a request goes to an instance that has its model, and "
        "instances share fewer models than there are instances"
        if models.cached
        else "a model is unloaded as soon as it has answered: every request loads its model"
    )
    yield (
        f"a load takes {limit(Mode.MULTI_MODEL, 'load_s'):g} s and {limit(Mode.MULTI_MODEL, 'load_s_per_gib'):g} s for each GiB, "
        "and keeps its worker from other work; a model that is still on the disk loads sooner"
    )
    yield (
        f"on a CPU {models.workers_per_model} worker process(es) hold a copy of each model, and an instance answers no more "
        "requests of one model at a time; on a GPU there is one copy"
    )


def _queue_assumption(queue: Queue, estimate: EndpointEstimate) -> str:
    paid = f"{estimate.instances_paid:.3g} instances are awake on the average of a month"
    if not queue.leaves_time_to_wake(estimate.service_time_ms / 1000):
        return (
            f"{paid}; one instance stays on without work, because {queue.max_wait_s / 60:g} minutes leave no time for a start of "
            f"{queue.wake_s / 60:g} minutes and an answer"
        )
    return (
        f"{paid}: each request finds them or wakes them, in {queue.wake_s / 60:g} minutes, and they sleep again after "
        f"{queue.idle_s / 60:g} idle ones; both are paid for"
    )
