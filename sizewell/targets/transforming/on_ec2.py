"""What is decided alike for a batch transform on instances of EC2, whatever launches them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sizewell.config.policy import Policy
from sizewell.config.repeated_runs import runs_per_month
from sizewell.instance_selection import (
    Catalog,
    HardwareKind,
    Measurement,
    TransformRequirements,
    select_transform_instance,
)
from sizewell.instance_selection.catalog import InstanceType, Usage
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.planning.digests import needs_digest
from sizewell.planning.endpoint_plan import artifact_size_gib, startup_timeout_s
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.kind import Stated
from sizewell.planning.locked_selection import locked_pools, select_under_lock
from sizewell.planning.model_containers import Calls, container_assumptions, plan_model_container
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.names import stated_keys
from sizewell.planning.schedule import plan_schedule
from sizewell.planning.training_plan import job_tags
from sizewell.planning.transform_needs import invocation_timeout_s, transform_requirements
from sizewell.planning.volumes import endpoint_volume_size_gib
from sizewell.targets.ec2_types import alike, check_pinned, on_ec2
from sizewell.targets.transforming.plan_model import TransformedDataPlan

_STRATEGIES = {"multi-record": "MULTI_RECORD", "single-record": "SINGLE_RECORD"}


@dataclass(frozen=True)
class TransformedOnEc2:
    """The decisions."""

    types: tuple[InstanceType, ...]
    """Of the catalog that they were chosen from, the chosen one first."""
    kind: HardwareKind
    fields: Mapping[str, Any]
    """Of the plan, whatever runs it."""


def ec2_transform_requirements(
    transform: Any, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> TransformRequirements:
    """Return the needs of a batch transform on instances of EC2, whose volumes have the size that is needed."""
    needs = transform_requirements(transform, policy, measurements)
    return replace(needs, usage=Usage.EC2, volume_gb=math.inf, serving=on_ec2(needs.serving))


def transform_on_ec2(stated: Stated, catalog: Catalog, assumptions: Iterable[str] = ()) -> TransformedOnEc2:
    """Return the decisions for a batch transform in ``stated.cluster``, whose instances are those of a catalog.

    Raises ``NoFeasibleInstanceError`` and, of its type and its data, ``PlanError``.
    """
    transform: Any = stated.workload
    names, data = stated.names, transform.data
    needs = ec2_transform_requirements(transform, stated.policy, stated.measurements)
    check_pinned(stated.name, needs.limits.instance_type, catalog)
    digest = needs_digest(needs, region=stated.policy.region, target=stated.cluster.type)
    selection, lock = select_under_lock(select_transform_instance, needs, catalog, stated.locked, digest)
    count = selection.chosen.estimate.instance_count
    candidates = tuple(
        candidate
        for candidate in alike(selection, catalog, locked_pools(stated.locked, lock))
        # A slower type would need more instances to end in time.
        if candidate.estimate.instance_count <= count
    )
    types = tuple(catalog.get(candidate.instance_type) for candidate in candidates)
    kind = hardware_kind(types[0])
    assert kind is not None, "the selection has an image for it"
    timeout_s = max(invocation_timeout_s(transform, candidate.estimate) for candidate in candidates)
    concurrency = min(candidate.estimate.concurrent_requests for candidate in candidates)
    # Of the answers nothing is stated: they may be as large as the requests.
    calls = Calls(transform.payload_mb, transform.payload_mb, timeout_s)
    container = plan_model_container(transform.container, kind, names, calls)
    strategy = transform.batch_strategy or "single-record"
    artifact_gib = artifact_size_gib(transform.container, needs.serving.model)
    told = (
        *selection.assumptions,
        *model_assumptions(transform.model),
        *engine_assumptions(transform),
        *container_assumptions(transform.container, kind, calls),
        *assumptions,
    )
    fields = {
        **stated_keys(stated.name, transform, names),
        "instance_type": types[0].name,
        "instance_count": count,
        "image": container["image"],
        "artifact_key": container["artifact_key"],
        "artifact_compression": container["artifact_compression"],
        "environment": {**_batch_variables(transform, strategy, concurrency), **container["environment"]},
        "network_isolation": container["network_isolation"],
        "gpu_count": types[0].accelerator_count if kind is HardwareKind.CUDA else 0,
        "volume_size_gib": endpoint_volume_size_gib(artifact_gib),
        "job_tags": job_tags(stated.name, transform.tags, names, stated.environment_tags),
        "data": TransformedDataPlan(
            prefix=data.prefix.rstrip("/"),
            content_type=data.content_type,
            accept=transform.accept,
            split=_split(stated.name, transform),
            compression=data.compression,
            strategy=strategy,
            max_payload_mb=transform.payload_mb,
        ),
        "output_prefix": (transform.output_prefix or f"transform/{stated.name}").rstrip("/"),
        "max_concurrent_requests": concurrency,
        "answer_timeout_s": timeout_s,
        "startup_s": startup_timeout_s(artifact_gib),
        "retries": transform.retries,
        "deadline_s": math.ceil(transform.deadline_hours * 3600),
        "schedule": plan_schedule(transform.schedule) if transform.schedule else None,
        "runs_per_month": runs_per_month(transform),
        "selection": selection.model_copy(update={"assumptions": told}),
        "instance_pools": tuple(instance_type.name for instance_type in types),
        "needs_digest": digest,
        "lock": lock,
    }
    return TransformedOnEc2(types, kind, fields)


def _split(name: str, transform: Any) -> str:
    split: str = transform.data.split
    if split not in ("line", "none"):
        raise PlanError(
            (
                PlanFault(
                    ("workloads", name, "data", "split"),
                    f"is {split}, which only SageMaker cuts into rows",
                    "write line or none, or remove target",
                ),
            )
        )
    return split


def _batch_variables(transform: Any, strategy: str, concurrency: int) -> dict[str, str]:
    """Return what SageMaker tells the container of a transform job.

    https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-batch-code.html
    """
    return {
        "SAGEMAKER_BATCH": "true",
        "SAGEMAKER_BATCH_STRATEGY": _STRATEGIES[strategy],
        "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS": str(concurrency),
        "SAGEMAKER_MAX_PAYLOAD_IN_MB": str(transform.payload_mb),
    }
