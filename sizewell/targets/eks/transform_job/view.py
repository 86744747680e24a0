"""What people see of a batch transform in a cluster."""

from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import Asked, Row, Subject, ViewKind, row_of_choice
from sizewell.cli.transform_words import explain_transform, transform_facts
from sizewell.targets.eks.pods_view import room_words
from sizewell.targets.eks.runs_view import notes_of_runs
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan
from sizewell.targets.transforming.on_ec2 import ec2_transform_requirements
from sizewell.targets.view import WHY_NOT_MIGRATED


def _row(plan: EksTransformJobPlan) -> Row:
    return row_of_choice(plan, str(plan.instance_count))


def _explain(subject: Subject) -> Asked:
    types = ", ".join(subject.plan.instance_pools)
    return explain_transform(subject, ec2_transform_requirements, f"the pool launches any of: {types}")


def _facts(explanation: Explanation) -> list[str]:
    plan: Any = explanation.workload
    return [*transform_facts(explanation), room_words(plan.pod)]


FACET = ViewKind(
    row=_row,
    used="For a batch transform, of the deadline. ",
    notes=notes_of_runs,
    explain=_explain,
    facts=_facts,
    why_not_migrated=WHY_NOT_MIGRATED,
)
