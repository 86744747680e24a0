"""The plan of a model that tasks of a service of Amazon ECS serve, one on each instance."""

from sizewell.planning.workload_plan import AlarmPlan, PlanModelKind
from sizewell.targets.ecs.tasks_plan_model import EcsTasksPlan


class EcsServicePlan(EcsTasksPlan):
    """One model that tasks serve to those who wait."""

    kind: str = "ecs-service"
    rollback_alarms: dict[str, AlarmPlan]
    """Those that bring the old tasks back during a deployment, by name."""


FACET = PlanModelKind(model=EcsServicePlan)
