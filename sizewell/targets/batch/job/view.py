"""What people see of a training that AWS Batch runs."""

from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import Asked, Row, Subject, ViewKind, row_of_choice
from sizewell.cli.training_words import explain_training, training_facts
from sizewell.targets.batch.job.plan_model import BatchJobPlan
from sizewell.targets.batch.jobs_plan_model import BatchAttemptPlan
from sizewell.targets.batch.jobs_view import notes_of_jobs, room_words
from sizewell.targets.training.on_ec2 import ec2_training_requirements
from sizewell.targets.view import WHY_NOT_MIGRATED


def _row(plan: BatchJobPlan) -> Row:
    return row_of_choice(plan, f"1{' Spot' if plan.spot else ''}")


def _explain(subject: Subject) -> Asked:
    plan: BatchJobPlan = subject.plan
    when = ", then ".join(_words(attempt) for attempt in plan.attempts)
    return explain_training(
        subject,
        subject.stated,
        ec2_training_requirements,
        attempts=plan.attempts,
        without_capacity=f"AWS Batch launches any of {', '.join(plan.instance_pools)}: {when}",
    )


def _words(attempt: BatchAttemptPlan) -> str:
    return f"on Spot until {attempt.ends_after_s / 3600:,.1f} h" if attempt.spot else "on demand"


def _facts(explanation: Explanation) -> list[str]:
    plan: Any = explanation.workload
    return [*training_facts(explanation), room_words(plan)]


FACET = ViewKind(
    row=_row,
    notes=notes_of_jobs,
    explain=_explain,
    facts=_facts,
    why_not_migrated=WHY_NOT_MIGRATED,
)
