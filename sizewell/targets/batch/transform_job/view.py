"""What people see of a batch transform that AWS Batch runs."""

from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import Asked, Row, Subject, ViewKind, row_of_choice
from sizewell.cli.transform_words import explain_transform, transform_facts
from sizewell.targets.batch.jobs_view import notes_of_jobs, room_words
from sizewell.targets.batch.transform_job.plan_model import BatchTransformJobPlan
from sizewell.targets.transforming.on_ec2 import ec2_transform_requirements
from sizewell.targets.view import WHY_NOT_MIGRATED


def _row(plan: BatchTransformJobPlan) -> Row:
    return row_of_choice(plan, str(plan.instance_count))


def _explain(subject: Subject) -> Asked:
    types = ", ".join(subject.plan.instance_pools)
    return explain_transform(subject, ec2_transform_requirements, f"AWS Batch launches any of {types}")


def _facts(explanation: Explanation) -> list[str]:
    plan: Any = explanation.workload
    return [*transform_facts(explanation), room_words(plan)]


FACET = ViewKind(
    row=_row,
    used="For a batch transform, of the deadline. ",
    notes=notes_of_jobs,
    explain=_explain,
    facts=_facts,
    why_not_migrated=WHY_NOT_MIGRATED,
)
