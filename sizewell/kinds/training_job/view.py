"""What is said of a training job."""

from sizewell.cli.kind import Asked, Row, Subject, ViewKind, row_of_choice
from sizewell.cli.training_words import explain_training, training_facts
from sizewell.instance_selection import TrainingEstimate
from sizewell.instance_selection.migration import MigrationAssessment, assess_training_migration
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.training_plan_model import TrainingAttemptPlan
from sizewell.planning.translate import training_requirements


def _row(job: TrainingJobPlan) -> Row:
    return row_of_choice(job, f"{job.attempts[0].instance_count}{' Spot' if job.spot else ''}")


def _explain(subject: Subject) -> Asked:
    job: TrainingJobPlan = subject.plan
    where = f"tried in turn: {_ladder(job.attempts)}"
    if job.training_plan_arn is not None:
        where = f"runs in {job.training_plan_arn.rpartition(':')[2]}, and nowhere else"
    return explain_training(subject, subject.stated, attempts=job.attempts, without_capacity=where)


def _ladder(attempts: tuple[TrainingAttemptPlan, ...]) -> str:
    on_spot = ", ".join(
        f"{rung.instance_type} until {rung.ends_after_s / 3600:,.1f} h" for rung in attempts if rung.spot
    )
    on_demand = ", ".join(rung.instance_type for rung in attempts if not rung.spot)
    return "; ".join(
        f"{how}: {types}" for how, types in (("on Spot", on_spot), ("on demand", on_demand)) if types
    )


def _migrate(subject: Subject) -> MigrationAssessment[TrainingEstimate]:
    job: TrainingJobPlan = subject.plan
    needs = training_requirements(subject.stated, subject.policy, job.method, measurements=subject.measured)
    return assess_training_migration(needs, subject.catalog, job.selection.chosen)


FACET = ViewKind(row=_row, explain=_explain, facts=training_facts, migrate=_migrate)
