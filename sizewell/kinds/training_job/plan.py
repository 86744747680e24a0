"""The decisions for one training job."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from sizewell.config.request_members import TRAINING_ENVIRONMENT
from sizewell.instance_selection import TrainingEstimate
from sizewell.instance_selection.results import Candidate
from sizewell.instance_selection.spot import shortest_attempt_hours
from sizewell.kinds.training_job.config import TrainingJob
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.interface_endpoints import services_of_job
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import JOB_NAME
from sizewell.planning.proxy import bypass_faults
from sizewell.planning.remedies import training_remedies
from sizewell.planning.training_plan import plan_trained
from sizewell.planning.training_plan_model import TrainedModelPlan

#: A definition has at most 1,048,576 characters (Step Functions guide, "Service quotas"), a template 1 MB
#: (CloudFormation guide, "Quotas"); a tenth is for everything else in them.
MAX_DEFINITION_MEMBERS = 900_000


def plan_training_job(stated: Stated) -> TrainingJobPlan:
    """Return the plan of a job, on its locked type and with its locked method while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    job: TrainingJob = stated.workload
    trained = plan_trained(stated)
    selection = trained.selection
    *others, streaming = selection.assumptions
    assumptions = (*others, *_kept_alive(job, selection.chosen), streaming)
    members = {key: getattr(trained, key) for key in TrainedModelPlan.model_fields}
    return TrainingJobPlan(
        **members | {"selection": selection.model_copy(update={"assumptions": assumptions})},
        keep_alive_minutes=job.keep_alive_minutes,
        tensorboard=job.tensorboard,
        training_plan_arn=job.training_plan_arn,
    )


def definition_faults(job: TrainingJobPlan) -> Iterator[PlanFault]:
    """Yield a fault when the state machine would be larger than Step Functions and CloudFormation take it.

    Every attempt repeats the variables, hyperparameters and tags of the job, as JSON inside the JSON of the template.
    """
    members = json.dumps(json.dumps([job.environment, job.hyperparameters, job.job_tags]))
    size = len(job.attempts) * len(members)
    if size > MAX_DEFINITION_MEMBERS:
        yield PlanFault(
            ("workloads", job.name, "container"),
            f"{len(job.attempts)} attempts, each with the variables and hyperparameters, make a state machine of "
            f"{size:,} characters; AWS takes {MAX_DEFINITION_MEMBERS:,} of them",
            "shorten container.environment and container.hyperparameters: a long text belongs into a file of the code",
        )


def spot_faults(job: TrainingJobPlan) -> Iterator[PlanFault]:
    """Yield a fault when the deadline leaves no time for Spot."""
    estimate = job.selection.chosen.estimate
    if job.spot and not estimate.spot_hours and job.checkpoint is not None:
        interval_hours = job.checkpoint.interval_minutes / 60
        yield PlanFault(
            ("workloads", job.name, "spot", "enabled"),
            f"the deadline of {job.deadline_s / 3600:g} h leaves no time for Spot: a run on demand takes "
            f"{estimate.on_demand_hours:,.1f} h on {job.selection.chosen.instance_type}, and Spot "
            f"{shortest_attempt_hours(interval_hours):,.1f} h for its start and a first checkpoint",
            "raise deadline_hours, or write spot: {enabled: false}",
        )


def _kept_alive(job: TrainingJob, chosen: Candidate[TrainingEstimate]) -> tuple[str, ...]:
    if job.keep_alive_minutes is None:
        return ()
    price = chosen.cost.usd_per_hour
    usd = "" if price is None else f", {price * chosen.estimate.instance_count:,.2f} USD per hour"
    return (
        f"instances wait {job.keep_alive_minutes} minutes for the next run and are paid for{usd}: not in the cost of a run",
    )


def _plan(stated: Stated) -> Planned:
    plan = plan_training_job(stated)
    return plan, (*definition_faults(plan), *spot_faults(plan))


FACET = PlanKind(
    plan=_plan,
    name=replace(JOB_NAME, noun="the training jobs"),
    remedies=training_remedies,
    services=services_of_job,
    foundation_faults=partial(bypass_faults, max_characters=TRAINING_ENVIRONMENT[1]),
)
