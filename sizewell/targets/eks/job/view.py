"""What people see of a training in a cluster."""

from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import Asked, Row, Subject, ViewKind, row_of_choice
from sizewell.cli.training_words import explain_training, training_facts
from sizewell.targets.eks.job.plan import eks_training_requirements
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.pods_view import room_words
from sizewell.targets.eks.runs_view import notes_of_runs
from sizewell.targets.view import WHY_NOT_MIGRATED

_CAPACITY = {"spot": "on Spot where there is capacity", "on-demand": "on demand"}


def _row(plan: EksJobPlan) -> Row:
    return row_of_choice(plan, f"{plan.instance_count}{' Spot' if plan.spot else ''}")


def _explain(subject: Subject) -> Asked:
    plan: Any = subject.plan
    when = ", else ".join(_CAPACITY[capacity_type] for capacity_type in plan.node_pool.capacity_types)
    return explain_training(
        subject,
        subject.stated,
        eks_training_requirements,
        without_capacity=f"the pool launches any of {', '.join(plan.instance_pools)}: {when}",
    )


def _facts(explanation: Explanation) -> list[str]:
    plan: Any = explanation.workload
    volume = f"the volume of its node has {plan.node_pool.volume_size_gib} GiB"
    return [*training_facts(explanation), f"{room_words(plan.pod)}; {volume}"]


FACET = ViewKind(
    row=_row, notes=notes_of_runs, explain=_explain, facts=_facts, why_not_migrated=WHY_NOT_MIGRATED
)
