"""Translate the configuration of a batch transform into the requirements of the selection."""

import math
from typing import Any

from sizewell.config.policy import Policy
from sizewell.config.repeated_runs import runs_per_month
from sizewell.facts.transform_jobs import DEFAULT_INVOCATION_TIMEOUT_S, INVOCATION_TIMEOUT_BOUNDS_S
from sizewell.instance_selection import (
    Batching,
    EndpointRequirements,
    Measurement,
    Objective,
    TransformEstimate,
    TransformRequirements,
)
from sizewell.instance_selection.requirements import one_after_the_other
from sizewell.planning.engines import engine_of
from sizewell.planning.model_spec import model_spec
from sizewell.planning.translate import (
    discount_percent,
    instance_limits,
    pipeline_needs,
    request_units,
    room_gib,
)

#: A request that takes ten times its estimate does not come back: the range of estimates is far narrower.
TIMEOUT_OVER_ESTIMATE = 10


def transform_requirements(
    transform: Any, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> TransformRequirements:
    """Return the needs of a batch transform under the policy of its environment, with what was measured of it.

    ``request`` describes one row. Rows of tables, images and the like share a pass; texts are computed one after the other.
    """
    model, request, batching = model_spec(transform.model), transform.request, transform.batching
    items = request.images or request.clips or request.series or request.rows or 0
    rows = transform.rows_per_request
    timeout_s = transform.invocation_timeout_s or INVOCATION_TIMEOUT_BOUNDS_S[1]
    serving = EndpointRequirements(
        model=model,
        engine=engine_of(transform),
        limits=instance_limits(transform.instances, transform.container, policy, transform.pipeline),
        **pipeline_needs(transform.pipeline),
        max_p95_latency_ms=timeout_s * 1000.0,
        **{**request_units(request, model), "images_per_request": items * rows},
        batching=Batching(max_batch_size=batching.max_batch_size, max_delay_ms=batching.max_delay_ms)
        if batching
        else None,
        margin=policy.margin if transform.margin is None else transform.margin,
        objective=Objective(transform.objective),
        max_usd_per_month=transform.max_usd_per_month,
        savings_plan_discount_pct=discount_percent(policy),
        measurements=measurements,
        artifact_gib=room_gib(transform.container.artifact),
    )
    return TransformRequirements(
        serving=one_after_the_other(serving),
        rows=float(transform.data.rows_per_run),
        objects=transform.data.object_count,
        rows_per_request=rows,
        rows_in_turn=1 if items else rows,
        row_mb=transform.data.row_mb,
        payload_mb=transform.payload_mb,
        deadline_hours=transform.deadline_hours,
        max_concurrent_transforms=transform.max_concurrent_transforms,
        max_instances=transform.max_instances,
        runs_per_month=runs_per_month(transform),
        max_usd_per_run=transform.max_usd_per_run,
    )


def invocation_timeout_s(transform: Any, estimate: TransformEstimate) -> int:
    """Return after what a request is given up, stated or not."""
    derived_s = math.ceil(TIMEOUT_OVER_ESTIMATE * estimate.request_time_ms / 1000)
    longest_s = min(INVOCATION_TIMEOUT_BOUNDS_S[1], max(DEFAULT_INVOCATION_TIMEOUT_S, derived_s))
    timeout_s: int = transform.invocation_timeout_s or longest_s
    return timeout_s
