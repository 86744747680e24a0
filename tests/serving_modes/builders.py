"""Needs and a small catalog for the comparison of modes: a test states only what it is about."""

from dataclasses import replace
from typing import Any

from sizewell.instance_selection import Catalog, Usage
from sizewell.serving_modes import ModeNeeds
from tests.instance_selection.builders import catalog, cpu_instance, endpoint, gpu_instance

EVERY_USE = frozenset({Usage.HOSTING, Usage.TRANSFORM})
CPU_USD, GPU_USD = 0.2, 1.0
#: A CPU and a GPU, both offered for hosting and for transform jobs.
SMALL = catalog(
    cpu_instance(usages=EVERY_USE),
    gpu_instance("ml.g5.xlarge", usages=EVERY_USE),
    usd_per_hour={"ml.c9.xlarge": CPU_USD, "ml.g5.xlarge": GPU_USD},
)
CPU_ONLY = catalog(cpu_instance(usages=EVERY_USE), usd_per_hour={"ml.c9.xlarge": CPU_USD})
MONTH_S = 730 * 3600


def needs(**changes: Any) -> ModeNeeds:
    """Return the needs of a small CNN that is asked now and then, and may take a minute."""
    own = {name: changes.pop(name) for name in list(changes) if name in ModeNeeds.__dataclass_fields__}
    default = endpoint(
        max_p95_latency_ms=60_000, peak_requests_per_second=1, average_requests_per_second=0.01
    )
    return ModeNeeds(endpoint=replace(default, **changes), **own)


def in_region(region: str) -> Catalog:
    """Return the small catalog as seen from another region."""
    prices = {"ml.c9.xlarge": CPU_USD, "ml.g5.xlarge": GPU_USD}
    other = catalog(*SMALL.instance_types, usd_per_hour=prices)
    other.region = region
    return other
