"""The method of a training job, all weights or low-rank adapters, and the selection for it."""

from collections.abc import Callable
from typing import Literal

from sizewell.config.policy import Policy
from sizewell.config.training import TrainedModel
from sizewell.instance_selection import (
    Catalog,
    Measurement,
    NoFeasibleInstanceError,
    Selection,
    TrainingEstimate,
    TrainingRequirements,
    select_training_instance,
)
from sizewell.instance_selection.training_selection import with_batch_size
from sizewell.planning.digests import needs_digest
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.locked_selection import infeasible_lock, select_under_lock
from sizewell.planning.translate import training_requirements
from sizewell.planning.workload_plan import LockPlan

Method = Literal["full", "lora"]
Choice = tuple[Method, Selection[TrainingEstimate], LockPlan | None]
#: Returns the needs of a job, as ``training_requirements`` does for SageMaker.
Requirements = Callable[..., TrainingRequirements]


def job_needs_digest(
    job: TrainedModel, policy: Policy, requirements: Requirements = training_requirements, **also: str
) -> str:
    """Return the digest of what the configuration says, whichever method ``auto`` comes to."""
    needs = requirements(job, policy, "full" if job.method == "auto" else job.method)
    return needs_digest(needs, method=job.method, region=policy.region, **also)


def select_with_method(
    job: TrainedModel,
    policy: Policy,
    catalog: Catalog,
    locked: LockedWorkload | None,
    digest: str,
    measurements: tuple[Measurement, ...] = (),
    requirements: Requirements = training_requirements,
) -> Choice:
    """Train all weights where that is possible; adapters where it is not and the configuration leaves it open.

    A locked method is kept as long as its locked type is feasible: a larger type in the catalog does not turn adapters
    into the training of all weights. Raises ``NoFeasibleInstanceError``.
    """

    def choose(method: Method, under: LockedWorkload | None, *assumptions: str) -> Choice:
        needs = with_batch_size(requirements(job, policy, method, assumptions, measurements), catalog)
        return method, *select_under_lock(select_training_instance, needs, catalog, under, digest)

    if job.method != "auto":
        return choose(job.method, locked)
    if locked is not None and locked.method == "lora":
        try:
            choice = choose("lora", locked, "method: adapters, as the lock says")
        except NoFeasibleInstanceError:
            pass
        else:
            if choice[2] is not None and choice[2].state != "infeasible":
                return choice
    try:
        return choose(
            "full", locked, "method: all weights are trained, because a type holds and finishes them in time"
        )
    except NoFeasibleInstanceError as error:
        nearest = error.nearest[0]
        reason = (
            f"no type trains all weights; the nearest, {nearest.instance_type}: "
            f"{nearest.filter}: {nearest.reason}"
        )
    method, selection, _ = choose("lora", None, f"method: adapters, because {reason}")
    # A locked type that trained all weights is not followed into adapters, even where it could train them.
    return method, selection, infeasible_lock(locked, selection, reason) if locked else None
