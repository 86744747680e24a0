"""Explanations of hand-made selections: a workload of this project, with what a test is about put in its place."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sizewell.cli.explanation import AnyCounterfactual, Explanation
from sizewell.cli.kind import Asked, AssumedEngine
from sizewell.instance_selection import Objective, Selection
from sizewell.instance_selection.decision import decide
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.load import PlanInputs, load_inputs
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import LockPlan
from tests.synthesis import PROJECT_ROOT


@cache
def prod() -> tuple[PlanInputs, DeploymentPlan]:
    """Return the plan of prod, and what it follows from."""
    inputs = load_inputs(PROJECT_ROOT / "config", "prod")
    return inputs, inputs.plan(None)


def explained(
    selection: Selection[Any],
    *,
    bound: float = 100.0,
    objective: Objective = Objective.LEAST_COST,
    asked_ms: Mapping[str, float] | None = None,
    engine: AssumedEngine | None = None,
    counterfactuals: tuple[AnyCounterfactual, ...] = (),
    **workload: Any,
) -> Explanation:
    """Return the explanation of a selection; ``workload`` changes what else the plan says."""
    inputs, plan = prod()
    endpoint = hasattr(selection.chosen.estimate, "p95_latency_ms")
    planned = plan.endpoints[0] if endpoint else plan.of(TrainingJobPlan)[0]
    changes = {"instance_pools": (selection.chosen.instance_type,), "modes": None, **workload}
    return Explanation(
        workload=planned.model_copy(update={**changes, "selection": selection}),
        environment="prod",
        region="us-east-1",
        asked=Asked(
            objective=objective,
            bound=bound,
            asked_ms=asked_ms or {},
            engine=engine,
            counterfactuals=counterfactuals,
        ),
        decision=decide(selection, inputs.catalog, objective),
    )


def lock(state: str, instance_type: str, best: str, saving: float | None = 0.0) -> LockPlan:
    """Return what a lock says."""
    return LockPlan.model_validate(
        {
            "state": state,
            "instance_type": instance_type,
            "reason": "memory: too small" if state == "infeasible" else "",
            "best_instance_type": best,
            "saving_usd_per_month": saving,
        }
    )
