"""The selection lock: what each workload was last decided to run on, so that no refresh of prices changes it unseen.

The lock records the pick, what it rests on (two digests and the version of the catalog) and what it cost. Only the pick
binds a plan, and only while it is feasible.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from sizewell.facts.instance_types import ANY_NAME_PATTERN
from sizewell.instance_selection import PriceBasis
from sizewell.planning.digests import reasons_digest
from sizewell.planning.instance_pools import MAX_POOLS
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.serialization import rounded
from sizewell.planning.workload_plan import InstanceWorkloadPlan

Count = Annotated[int, Field(ge=1)]
Usd = Annotated[float, Field(ge=0)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
InstanceTypeName = Annotated[str, Field(pattern=ANY_NAME_PATTERN)]


class LockModel(BaseModel):
    """Frozen, and strict about keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LockedWorkload(LockModel):
    """The pick of one workload; prices are in USD, and None (never zero) where unknown."""

    instance_type: InstanceTypeName
    instance_count: Count
    """Of an endpoint at average load; of a job, the instances of one run."""
    peak_instance_count: Count | None = None
    """Of an endpoint at peak load."""
    kind: Literal["asynchronous-endpoint"] | None = None
    """What an endpoint became whose mode is left to the plan; None where it answers at once, and of a training job."""
    target: str | None = None
    """The cluster that it runs in; None is SageMaker."""
    method: Literal["full", "lora"] | None = None
    """Of a training job: all weights, or adapters."""
    instance_pools: Annotated[tuple[InstanceTypeName, ...], Field(max_length=MAX_POOLS)]
    """Types that run the same image, in the order in which they are tried; the first is ``instance_type``."""
    usd_per_hour: Usd | None
    """One instance, on demand."""
    usd_per_month: Usd | None
    price_basis: PriceBasis
    price_date: str | None
    needs_digest: Digest
    reasons_digest: Digest

    @model_validator(mode="after")
    def _pools_begin_with_the_pick(self) -> Self:
        if self.instance_pools[:1] != (self.instance_type,):
            raise PydanticCustomError(
                "pools", "instance_pools must begin with {type}", {"type": self.instance_type}
            )
        return self


class LockedEnvironment(LockModel):
    """The picks of one environment, and the version of the catalog whose prices and offers they were checked against."""

    catalog_version: str
    workloads: Mapping[str, LockedWorkload]

    def only(self, names: frozenset[str]) -> "LockedEnvironment":
        """Return the lock of these workloads."""
        kept = {name: locked for name, locked in self.workloads.items() if name in names}
        return LockedEnvironment(catalog_version=self.catalog_version, workloads=kept)


class SelectionLock(LockModel):
    """The whole lock file."""

    schema_version: Literal[1] = 1
    """Raised when the meaning of the file changes."""
    environments: Mapping[str, LockedEnvironment]


def lock_of(plan: DeploymentPlan) -> LockedEnvironment:
    """Return the lock that a plan would be locked by."""
    return LockedEnvironment(
        catalog_version=plan.catalog_version,
        workloads={workload.name: locked_workload(workload) for workload in plan.on_instances},
    )


def locked_workload(workload: InstanceWorkloadPlan) -> LockedWorkload:
    """Return the lock of one planned workload; prices have six significant digits."""
    chosen = workload.selection.chosen
    return LockedWorkload.model_validate(
        {
            **workload.locked_facts,
            "instance_type": chosen.instance_type,
            "instance_pools": workload.instance_pools,
            "usd_per_hour": rounded(chosen.cost.usd_per_hour),
            "usd_per_month": rounded(chosen.cost.usd_per_month),
            "price_basis": chosen.cost.basis,
            "price_date": chosen.cost.price_date,
            "needs_digest": workload.needs_digest,
            "reasons_digest": reasons_digest(workload.selection),
        }
    )
