"""The cases of a file of measurements, grouped by the physics that predicts them."""

from collections.abc import Callable, Sequence

from sizewell.instance_selection.requirements import Architecture
from tools.benchmarks.boosting_cases import BoostingCases
from tools.benchmarks.calibration import PhysicsCases
from tools.benchmarks.forward_cases import ForwardCases
from tools.benchmarks.generation_cases import GenerationCases
from tools.benchmarks.measurements import Case
from tools.benchmarks.training_cases import TrainingCases

MEMORY_METRICS = ("fits_memory", "peak_mem_mb")
#: Metrics that only generation has.
GENERATION_METRICS = (
    "ttft_ms", "itl_ms", "tokens_s_total", "tokens_s_per_gpu", "tokens_s_inout", "ms_per_token_all", "prefill_tokens_s",
)  # fmt: skip


def physics_of(case: Case) -> str:
    """Return what predicts a case: ``memory``, ``boosting``, ``training``, ``generation`` or ``forward``."""
    if case.metric in MEMORY_METRICS:
        return "memory"
    if case.model.architecture.tabular:
        return "boosting"
    if case.training:
        return "training"
    writes = case.model.architecture.generates and (case.output_tokens or 0) > 1
    if case.model.architecture is Architecture.DECODER or writes or case.metric in GENERATION_METRICS:
        return "generation"
    return "forward"


GROUPS: dict[str, Callable[[Sequence[Case]], PhysicsCases]] = {
    "forward": ForwardCases,
    "generation": GenerationCases,
    "training": TrainingCases,
    "boosting": BoostingCases,
}


def grouped(cases: Sequence[Case]) -> list[PhysicsCases]:
    """Return one group for each physics that has rows."""
    groups: list[PhysicsCases] = []
    for physics, kind in GROUPS.items():
        members = [c for c in cases if physics_of(c) == physics]
        if members:
            groups.append(kind(members))
    return groups
