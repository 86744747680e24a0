"""The decisions for one batch transform."""

import math
from dataclasses import replace

from sizewell.config.repeated_runs import runs_per_month
from sizewell.facts.serving_features import Feature, ServedAs
from sizewell.instance_selection import Catalog, TransformEstimate, select_transform_instance
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import Candidate
from sizewell.kinds.batch_transform.config import BatchTransform
from sizewell.kinds.batch_transform.plan_model import (
    BatchTransformPlan,
    TransformAttemptPlan,
    TransformDataPlan,
)
from sizewell.planning.digests import needs_digest
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.features import INSTANCE_TYPE, Asked
from sizewell.planning.instance_pools import MAX_POOLS, same_image_candidates
from sizewell.planning.interface_endpoints import services_of_container
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.locked_selection import locked_pools, select_under_lock
from sizewell.planning.model_containers import (
    Calls,
    container_assumptions,
    plan_model_container,
    plan_pipeline,
)
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.name_limits import JOB_NAME
from sizewell.planning.names import stated_keys
from sizewell.planning.remedies import TRANSFORM_REMEDIES
from sizewell.planning.schedule import plan_schedule, plan_starts_on
from sizewell.planning.training_plan import job_tags
from sizewell.planning.transform_needs import invocation_timeout_s, transform_requirements
from sizewell.planning.volumes import has_local_disks


def plan_batch_transform(stated: Stated) -> BatchTransformPlan:
    """Return the plan of a batch transform, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    transform: BatchTransform = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    if transform.instances.instance_type is not None:
        catalog.get(transform.instances.instance_type)
    needs = transform_requirements(transform, policy, stated.measurements)
    digest = needs_digest(needs, region=policy.region)
    selection, lock = select_under_lock(select_transform_instance, needs, catalog, stated.locked, digest)
    chosen = catalog.get(selection.chosen.instance_type)
    kind = hardware_kind(chosen)
    assert kind is not None
    ladder = same_image_candidates(selection, catalog, locked_pools(stated.locked, lock))[:MAX_POOLS]
    attempts = tuple(_attempt(candidate, transform, catalog) for candidate in ladder)
    # Of the answers nothing is stated: they may be as large as the requests.
    calls = Calls(
        transform.payload_mb, transform.payload_mb, max(attempt.invocation_timeout_s for attempt in attempts)
    )
    data = transform.data
    assumptions = (
        *selection.assumptions,
        *model_assumptions(transform.model),
        *engine_assumptions(transform),
        *container_assumptions(transform.container, kind, calls),
    )
    return BatchTransformPlan(
        **stated_keys(name, transform, names),
        state_machine_name=names.workload(name),
        job_name_prefix=names.workload(name),
        job_tags=job_tags(name, transform.tags, names, stated.environment_tags),
        attempts=attempts,
        **plan_model_container(transform.container, kind, names, calls),
        pipeline=plan_pipeline(transform.pipeline, chosen, names, calls),
        data=TransformDataPlan(
            prefix=data.prefix.rstrip("/"),
            content_type=data.content_type,
            split=data.split,
            compression=data.compression,
        ),
        output_prefix=(transform.output_prefix or f"transform/{name}").rstrip("/"),
        accept=transform.accept or (data.content_type if transform.join == "input" else None),
        strategy=transform.batch_strategy,
        max_payload_mb=transform.payload_mb,
        retries=transform.retries,
        join=transform.join,
        input_filter=transform.input_filter,
        output_filter=transform.output_filter,
        deadline_s=math.ceil(transform.deadline_hours * 3600),
        schedule=plan_schedule(transform.schedule) if transform.schedule else None,
        starts_on=plan_starts_on(transform.starts_on),
        runs_per_month=runs_per_month(transform),
        selection=selection.model_copy(update={"assumptions": assumptions}),
        instance_pools=tuple(candidate.instance_type for candidate in ladder),
        needs_digest=digest,
        lock=lock,
    )


def _attempt(
    candidate: Candidate[TransformEstimate], transform: BatchTransform, catalog: Catalog
) -> TransformAttemptPlan:
    estimate = candidate.estimate
    return TransformAttemptPlan(
        instance_type=candidate.instance_type,
        instance_count=estimate.instance_count,
        max_concurrent_transforms=estimate.concurrent_requests,
        invocation_timeout_s=invocation_timeout_s(transform, estimate),
        usd_per_hour=candidate.cost.usd_per_hour,
        encrypt_volume_with_key=not has_local_disks(catalog.get(candidate.instance_type)),
    )


def _plan(stated: Stated) -> Planned:
    plan = plan_batch_transform(stated)
    return plan, legality_faults(plan, stated.catalog)


FEATURES: tuple[Asked[BatchTransformPlan], ...] = (
    (Feature.NETWORK_ISOLATION, ("container", "network_isolation"), lambda plan: plan.network_isolation),
    (Feature.VOLUME_KEY, INSTANCE_TYPE, lambda plan: plan.attempts[0].encrypt_volume_with_key),
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("container", "artifact", "compression"),
        lambda plan: plan.artifact_compression == "none",
    ),
    (Feature.MODEL_PACKAGE, ("container", "model_package"), lambda plan: plan.model_package is not None),
    (Feature.SERIAL_PIPELINE, ("pipeline",), lambda plan: plan.pipeline is not None),
)


FACET = PlanKind(
    plan=_plan,
    name=replace(JOB_NAME, noun="the transform jobs"),
    remedies=lambda _: TRANSFORM_REMEDIES,
    served_as=lambda _: ServedAs.BATCH,
    features=FEATURES,
    services=services_of_container,
)
