"""Which value of a signal an instance carries, as the plan predicts it: the target of scaling where none is stated."""

from typing import TYPE_CHECKING

from sizewell.facts.models import Engine
from sizewell.facts.scaling import Signal
from sizewell.instance_selection import HardwareKind
from sizewell.instance_selection.estimation.hardware import hardware_kind

if TYPE_CHECKING:
    from sizewell.planning.endpoint_plan import Hosted


def derived_target(signal: Signal, hosted: "Hosted") -> tuple[float, str] | str:
    """Return the target of a signal in the unit of the configuration, and its derivation; or why nothing gives it."""
    needs, headroom = hosted.needs, f"less {hosted.needs.headroom:.0%} that stay free"
    rate, free = hosted.capacity_requests_per_second, 1 - needs.headroom
    if signal is Signal.INVOCATIONS:
        return rate * free * 60, f"{rate:.3g} requests/s of one instance {headroom}, x 60 s"
    if signal is Signal.LATENCY:
        return needs.max_p95_latency_ms * free, f"max_p95_ms of {needs.max_p95_latency_ms:g} {headroom}"
    if signal is Signal.GPU_MEMORY:
        return "a model takes its memory when it is loaded, and how much more requests take is not predicted"
    if needs.batching is not None:
        return "batches fill before they take longer, so that it does not grow with the load"
    if signal is Signal.CONCURRENCY:
        return _derived_concurrency(hosted, headroom)
    share = _busy_share(signal, hosted)
    if isinstance(share, str):
        return share
    what = "vCPUs" if signal is Signal.CPU else "GPUs"
    return (
        100 * share * free,
        f"{share:.0%} of the {what} busy at the capacity of one instance {headroom}",
    )


def default_signal(hosted: "Hosted") -> Signal:
    """Return what the number of instances follows best: requests in progress where an engine works on many at a time."""
    if hosted.needs.engine is not Engine.LLM_ENGINE:
        return Signal.INVOCATIONS
    # Where latency leaves room for one request at a time, there is no number of them to follow.
    has_target = not isinstance(derived_target(Signal.CONCURRENCY, hosted), str)
    return Signal.CONCURRENCY if has_target else Signal.INVOCATIONS


def _derived_concurrency(hosted: "Hosted", headroom: str) -> tuple[float, str] | str:
    needs, rate = hosted.needs, hosted.capacity_requests_per_second
    # Little's law: no more requests are in progress than arrive within the time that each may take. That is less than
    # what is predicted only where a load test has shown a lower rate.
    most = min(
        *(estimate.capacity_concurrency for estimate in hosted.fleet), rate * needs.max_p95_latency_ms / 1000
    )
    target = most * (1 - needs.headroom)
    if target < 1:
        return f"it would be {target:.2g} requests in progress, and one that is there counts as 1"
    return target, f"{most:,.0f} requests in progress on one instance at its capacity {headroom}"


def _busy_share(signal: Signal, hosted: "Hosted") -> float | str:
    """Return the share of time and processors that work on requests while an instance carries its capacity."""
    if hosted.needs.models:
        return "models are loaded beside the requests, and how much a load computes is not predicted"
    on_cpu = hardware_kind(hosted.instance_type) in (HardwareKind.CPU_X86_64, HardwareKind.CPU_ARM64)
    if hosted.needs.engine is Engine.LLM_ENGINE:
        return "an llm-engine computes whenever there is a request, however many there are"
    if signal is Signal.CPU and not on_cpu:
        return f"the accelerators of {hosted.instance_type.name} compute, and the work of its vCPUs is not predicted"
    found = []
    for estimate in hosted.fleet:
        replicas = estimate.replicas_per_instance
        busy = min(1.0, estimate.capacity_requests_per_second * estimate.service_time_ms / 1000 / replicas)
        if signal is Signal.GPU:
            busy *= replicas * estimate.tensor_parallel_degree / hosted.gpu_count
        elif hosted.needs.model.architecture.tabular:
            # A row is scored on one core.
            busy *= min(1.0, replicas / hosted.vcpu_count)
        found.append(busy)
    return min(found)
