"""A training job: a training, and what only a job of its own can have."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.arn_rules import elsewhere
from sizewell.config.base import (
    fault,
    without,
)
from sizewell.config.cluster import ON_TARGET, TargetName
from sizewell.config.effects import OnChange, OnNumber, OnToggle, SelectionNeed
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation
from sizewell.config.training import TrainedModel
from sizewell.config.training_rules import training_violations
from sizewell.facts.training_jobs import (
    MAX_KEEP_ALIVE_MINUTES,
    TRAINING_PLAN_ARN_PATTERN,
)


class TrainingJob(TrainedModel):
    """A job that trains a model, as a Step Functions state machine with a ladder of instance types."""

    kind: Literal["training-job"]
    """The workload is a training job: of SageMaker, or in a cluster."""
    target: Annotated[TargetName | None, *ON_TARGET] = None
    """Which of the clusters it runs in, or cheapest: the cheapest of SageMaker and the clusters that meet the needs. By default
    SageMaker."""
    keep_alive_minutes: Annotated[
        Annotated[int, Field(ge=1, le=MAX_KEEP_ALIVE_MINUTES)] | None,
        OnNumber("instances wait for the next run for less time", "instances wait longer, and are paid for"),
    ] = None
    """Minutes that the instances of a run wait for the next one, which then starts sooner (a warm pool); they are paid for as
    long, and need a quota for warm pools.
    Unproven on Step Functions: see the guide Deploying, Members that nobody has proven."""

    tensorboard: Annotated[
        bool,
        OnToggle(on="what the script writes for TensorBoard comes to S3", off="nothing comes to TensorBoard"),
    ] = False
    """Whether what the script writes to /opt/ml/output/tensorboard comes to output/NAME/tensorboard/ of the artifact bucket
    while it runs.
    Unproven on Step Functions: see the guide Deploying, Members that nobody has proven."""
    training_plan_arn: Annotated[
        Annotated[
            str,
            Field(
                pattern=TRAINING_PLAN_ARN_PATTERN,
                max_length=200,
                examples=["arn:aws:sagemaker:us-east-1:111122223333:training-plan/june"],
            ),
        ]
        | None,
        OnChange(
            changed="runs in another training plan",
            added="runs in the training plan or not at all",
            removed="runs in the capacity that everybody shares",
        ),
        SelectionNeed.INSTANCES,
    ] = None
    """The ARN of a SageMaker training plan of the account: capacity that is reserved for a time, and paid for already. Name its
    type in instances.instance_type.
    Unproven on Step Functions: see the guide Deploying, Members that nobody has proven."""

    @property
    def is_prepaid(self) -> bool:
        """Whether its instances are those of a training plan."""
        return self.training_plan_arn is not None

    @model_validator(mode="after")
    def _plan_has_its_own_instances(self) -> Self:
        if self.training_plan_arn is None:
            return self
        if self.spot.enabled:
            raise fault(
                "spot.enabled",
                "a training plan has instances of its own, and none on Spot; write enabled: false",
            )
        if self.keep_alive_minutes is not None:
            raise fault(
                "keep_alive_minutes",
                f"is for instances that everybody shares; {without('keep_alive_minutes')}: a training plan keeps its own",
            )
        if self.instances.instance_type is None:
            raise fault(
                "instances.instance_type",
                "is missing: name the instance type that the training plan reserves",
            )
        return self

    @model_validator(mode="after")
    def _warm_pools_are_on_demand(self) -> Self:
        if self.keep_alive_minutes is not None and self.spot.enabled:
            raise fault(
                "keep_alive_minutes", f"SageMaker keeps no Spot instances; {without('keep_alive_minutes')}"
            )
        if reason := self.waits_in_vain(self.idle_hours(self.deadline_hours)):
            raise fault("keep_alive_minutes", reason)
        return self

    def waits_in_vain(self, idle_hours: float | None) -> str | None:
        """Return what is wrong where the next run starts so many hours after the end of one, and later than instances wait."""
        if (
            self.keep_alive_minutes is None
            or idle_hours is None
            or idle_hours * 60 <= self.keep_alive_minutes
        ):
            return None
        return (
            f"has no effect, and is paid for: the schedule starts the next run {idle_hours:g} hours after the latest end of one; "
            f"{without('keep_alive_minutes')}"
        )

    @model_validator(mode="after")
    def _spot_gives_way_before_the_deadline(self) -> Self:
        wait = self.spot.max_wait_hours
        if wait is not None and wait >= self.deadline_hours:
            raise fault(
                "spot.max_wait_hours",
                f"is {wait:g}, but the run ends at deadline_hours ({self.deadline_hours:g}), and needs time on demand "
                "before it; lower it, or leave it out: Spot is then tried as long as the deadline allows",
            )
        return self


def _rules(environment: Environment, name: str, job: TrainingJob) -> Iterator[Violation]:
    yield from training_violations(environment, name, job)
    if (arn := job.training_plan_arn) is not None:
        for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
            yield ("workloads", name, "training_plan_arn"), f"the training plan {reason}"


FACET = ConfigKind(rank=9, model=TrainingJob, rules=_rules)
