"""The decisions for a batch transform that AWS Batch runs: its instances, all on demand, and its container."""

from functools import partial

from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import STATE_MACHINE_NAME
from sizewell.planning.remedies import TRANSFORM_REMEDIES
from sizewell.targets.batch.instance_types import batch_catalog
from sizewell.targets.batch.jobs_plan import (
    ASSUMPTIONS,
    SERVICES,
    batch_fields,
    definition_faults,
    is_reserved,
)
from sizewell.targets.batch.jobs_plan_model import BatchAttemptPlan
from sizewell.targets.batch.transform_job.plan_model import PROGRAM, BatchTransformJobPlan
from sizewell.targets.contract import packed
from sizewell.targets.set_variables import set_variable_faults
from sizewell.targets.transforming.on_ec2 import transform_on_ec2

#: What the program has of the memory of the container. With requests of 1 to 100 MB, 100 MB of them at a time, it had up to
#: 670 MiB (objects of 100 to 350 MB, a small S3 and a small server on loopback).
_PROGRAM_MIB = 768
_SET_VARIABLES = frozenset({"AWS_DEFAULT_REGION", "AWS_REGION", "RUN_NAME", "SIZEWELL_TRANSFORM"})
_catalog = partial(batch_catalog, beside_mib=_PROGRAM_MIB)


def _plan(stated: Stated) -> Planned:
    transformed = transform_on_ec2(
        stated, _catalog(stated.policy.region, stated.catalog.refreshed), _ASSUMPTIONS
    )
    fields = batch_fields(stated, transformed.fields)
    attempt = BatchAttemptPlan(
        spot=False,
        ends_after_s=fields["deadline_s"],
        instance_type=fields["instance_type"],
        instance_count=fields["instance_count"],
        volume_size_gib=fields["volume_size_gib"],
        usd_per_hour=fields["selection"].chosen.cost.usd_per_hour,
    )
    plan = BatchTransformJobPlan(**fields, attempts=(attempt,))
    return plan, (
        *set_variable_faults(
            plan, "a transform by AWS Batch", lambda name: name in _SET_VARIABLES or is_reserved(name)
        ),
        *definition_faults(plan, packed(PROGRAM), plan.data.model_dump()),
    )


_ASSUMPTIONS = (
    *ASSUMPTIONS,
    "an instance is there, and has its image and the model, as soon as one of SageMaker: nobody measured it",
    "the program beside the model calls S3, so the model can call HTTPS, too, whatever container.network_isolation says",
)

FACET = PlanKind(
    plan=_plan,
    name=STATE_MACHINE_NAME,
    remedies=lambda _: TRANSFORM_REMEDIES,
    services=lambda _: iter(SERVICES),
    foundation_faults=lambda *_: iter(()),
    catalog=lambda _, catalog: _catalog(catalog.region, catalog.refreshed),
)
