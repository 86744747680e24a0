"""Plans, endpoints and training jobs with plain numbers, and the bill of a template."""

from collections.abc import Mapping
from typing import Any

from sizewell.planning.saved_plan import SavedPlan
from sizewell.planning.saved_workload import SavedEndpoint, SavedTraining, SavedWorkload
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.cost import compare_costs
from sizewell.review.model import CostComponent, CostSide, EnvironmentCost, WorkloadCost
from sizewell.review.saved.output import Assembly
from tests.review.builders import assembly, pair, resource, stack, template

Template = Mapping[str, Any]

_COST = {"usd_per_hour": 1.0, "usd_per_month": 1460.0, "basis": "published", "price_date": "2026-09-01"}


def saved_endpoint(**given: Any) -> SavedEndpoint:
    cost = {**_COST, **given.pop("cost", {})}
    estimate = {
        "memory": {"usable_gib": 1.0},
        "instances_at_average": given.pop("average", None),
        **given.pop("estimate", {}),
    }
    instance_type = given.get("instance_type", "ml.g5.xlarge")
    return SavedEndpoint.model_validate(
        {
            "name": "chat",
            "stack_name": "shop-dev-chat",
            "endpoint_name": "shop-dev-chat",
            "variant_name": "primary",
            "instance_type": instance_type,
            "initial_instance_count": 2,
            "scaling": None,
            "selection": {"chosen": {"instance_type": instance_type, "estimate": estimate, "cost": cost}},
            "needs_digest": "0",
            **given,
        }
    )


def saved_training_job(**given: Any) -> SavedTraining:
    """4 runs a month of 2 hours on 1 instance at 10 USD per hour, of which Spot saves 60 %."""
    estimate = {
        "memory": {"usable_gib": 1.0},
        "duration_hours": 2.0,
        "spot_savings_pct": 60.0,
        "usd_per_run": 8.0,
        **given.pop("estimate", {}),
    }
    cost = {**_COST, "usd_per_hour": 10.0, "usd_per_month": 32.0, **given.pop("cost", {})}
    rung = {"instance_type": "ml.p4d.24xlarge", "instance_count": 1, "volume_size_gib": 365}
    return SavedTraining.model_validate(
        {
            "kind": "training-job",
            "name": "tune",
            "stack_name": "shop-dev-tune",
            "attempts": [{**rung, "spot": True}, {**rung, "spot": False}],
            "max_runtime_s": 3600,
            "checkpoint": None,
            "selection": {"chosen": {"instance_type": "ml.p4d.24xlarge", "estimate": estimate, "cost": cost}},
            "needs_digest": "0",
            "runs_per_month": 4.0,
            **given,
        }
    )


def saved_plan(*workloads: SavedWorkload, **given: Any) -> SavedPlan:
    return SavedPlan.model_validate(
        {
            "schema_version": 4,
            "platform": "shop",
            "environment": "dev",
            "account": "111122223333",
            "region": "us-east-1",
            "production": False,
            "catalog_version": "0",
            "foundation": {
                "stack_name": "shop-dev-foundation",
                "network": {"mode": "new", "availability_zones": 3},
                "retain_state": True,
            },
            "workloads": workloads,
            "bill": {"budget_usd_per_month": 500.0},
            **given,
        }
    )


def scalable_target(minimum: int, maximum: int, endpoint: Any = "shop-dev-chat") -> dict[str, Any]:
    """The registration of the variant of ``endpoint_template``."""
    return resource(
        "AWS::ApplicationAutoScaling::ScalableTarget",
        {
            "ResourceId": {"Fn::Join": ["", ["endpoint/", endpoint, "/variant/primary"]]},
            "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
            "MinCapacity": minimum,
            "MaxCapacity": maximum,
        },
    )


def endpoint_template(
    instance_type: str = "ml.g5.xlarge",
    count: Any = 2,
    *,
    variant: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    endpoint: Mapping[str, Any] | None = None,
    **more: Mapping[str, Any],
) -> dict[str, Any]:
    """An endpoint with one variant; ``variant``, ``config`` and ``endpoint`` are further properties."""
    written = {
        "VariantName": "primary",
        "InstanceType": instance_type,
        "InitialInstanceCount": count,
        "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
        **(variant or {}),
    }
    return template(
        Model=resource("AWS::SageMaker::Model", {"PrimaryContainer": {"Image": "image:1"}}),
        Config=resource(
            "AWS::SageMaker::EndpointConfig", {"ProductionVariants": [written], **(config or {})}
        ),
        Endpoint=resource(
            "AWS::SageMaker::Endpoint",
            {
                "EndpointName": "shop-dev-chat",
                "EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]},
                **(endpoint or {}),
            },
        ),
        **more,
    )


def planned(template_: Template, plan: SavedPlan, **given: Any) -> Assembly:
    """One output with one stack for the only workload of a plan."""
    return assembly(stack(template_, plan.workloads[0].stack_name), plan=plan, **given)


def costs(base: Template | None, head: Template | None) -> EnvironmentCost:
    """Of a stack without a plan."""
    return compare_costs(pair(base, head))


def compared(base: Assembly | None, head: Assembly | None) -> EnvironmentCost:
    return compare_costs(EnvironmentPair("dev", base, head))


def only(cost: EnvironmentCost) -> WorkloadCost:
    (workload,) = cost.workloads
    return workload


def head_of(cost: EnvironmentCost) -> CostSide:
    side = only(cost).head
    assert side is not None
    return side


def line(template_: Template, name: str) -> CostComponent:
    """The component of that name that a template has on its bill."""
    (found,) = (one for one in head_of(costs(template_, template_)).components if one.name == name)
    return found


def amounts(one: CostComponent | CostSide) -> tuple[float | None, float | None, float | None]:
    usd = one.usd_per_month
    return usd.minimum, usd.expected, usd.maximum
