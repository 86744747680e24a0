"""What somebody may ask of an endpoint that AWS does not support in every way to serve: the feature, its key, and who has it."""

from collections.abc import Callable
from typing import TypeVar

from sizewell.facts.scaling import HIGH_RESOLUTION_CONCURRENCY, INVOCATIONS_PER_INSTANCE
from sizewell.facts.serving_features import Feature
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.on_demand_plan_model import OnDemandPlan
from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.planning.workload_plan import WorkloadPlan

KeyPath = tuple[str, ...]
P = TypeVar("P", bound=WorkloadPlan)
#: A feature, the key that asks for it, and whether a plan has it.
Asked = tuple[Feature, KeyPath, Callable[[P], bool]]

INSTANCE_TYPE = ("instances", "instance_type")


def _policies(plan: EndpointPlan) -> tuple[ScalingPolicyPlan, ...]:
    return plan.scaling.policies if plan.scaling else ()


def _rollout(plan: EndpointPlan) -> str | None:
    return plan.rollout.strategy if plan.rollout else None


ENDPOINT_FEATURES: tuple[Asked[EndpointPlan], ...] = (
    (Feature.INSTANCE_POOLS, ("instance_pools",), lambda plan: plan.provisioned_pools is not None),
    (
        Feature.CAPACITY_RESERVATION,
        ("capacity_reservation_arn",),
        lambda plan: plan.capacity_reservation_arn is not None,
    ),
    (
        Feature.TRACKING_INVOCATIONS_PER_INSTANCE,
        ("scaling",),
        lambda plan: any(policy.metric == INVOCATIONS_PER_INSTANCE for policy in _policies(plan)),
    ),
    (
        Feature.TRACKING_HIGH_RESOLUTION_CONCURRENCY,
        ("scaling",),
        lambda plan: any(policy.metric == HIGH_RESOLUTION_CONCURRENCY for policy in _policies(plan)),
    ),
    (
        Feature.TRACKING_UTILIZATION,
        ("scaling", "track"),
        # What an asynchronous endpoint tracks is its backlog.
        lambda plan: (
            plan.asynchronous is None
            and any(
                policy.type == "target-tracking" and not isinstance(policy.metric, str)
                for policy in _policies(plan)
            )
        ),
    ),
    (
        Feature.STEP_SCALING,
        ("scaling",),
        lambda plan: any(policy.type == "step-scaling" for policy in _policies(plan)),
    ),
    (
        Feature.SCALE_TO_ZERO,
        ("scaling", "min_instances"),
        lambda plan: plan.scaling is not None and plan.scaling.fewest_instances == 0,
    ),
    (
        Feature.SCHEDULED_SCALING,
        ("scaling", "schedules"),
        lambda plan: plan.scaling is not None and bool(plan.scaling.scheduled_actions),
    ),
    (Feature.BLUE_GREEN_ALL_AT_ONCE, ("rollout", "strategy"), lambda plan: _rollout(plan) == "all-at-once"),
    (Feature.BLUE_GREEN_CANARY, ("rollout", "strategy"), lambda plan: _rollout(plan) == "canary"),
    (Feature.BLUE_GREEN_LINEAR, ("rollout", "strategy"), lambda plan: _rollout(plan) == "linear"),
    (Feature.ROLLING, ("rollout", "strategy"), lambda plan: _rollout(plan) == "rolling"),
    (Feature.AUTO_ROLLBACK_ALARMS, ("rollout",), lambda plan: plan.rollout is not None),
    (Feature.SEVERAL_VARIANTS, ("variants",), lambda plan: bool(plan.other_variants)),
    (Feature.SHADOW_VARIANT, ("shadow",), lambda plan: plan.shadow_variant is not None),
    (Feature.DATA_CAPTURE, ("data_capture",), lambda plan: plan.data_capture is not None),
    (Feature.NETWORK_ISOLATION, ("container", "network_isolation"), lambda plan: plan.network_isolation),
    (Feature.VOLUME_KEY, INSTANCE_TYPE, lambda plan: plan.encrypt_volume_with_key),
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("container", "artifact", "compression"),
        lambda plan: plan.artifact_compression == "none",
    ),
    (Feature.MODEL_PACKAGE, ("container", "model_package"), lambda plan: plan.model_package is not None),
    (Feature.SERIAL_PIPELINE, ("pipeline",), lambda plan: plan.pipeline is not None),
    (Feature.INFERENCE_AMI, ("container", "images"), lambda plan: plan.inference_ami_version is not None),
)
ON_DEMAND_FEATURES: tuple[Asked[OnDemandPlan], ...] = (
    (
        Feature.PROVISIONED_CONCURRENCY,
        ("provisioned_concurrency",),
        lambda plan: plan.provisioned_concurrency is not None,
    ),
    (Feature.PROVISIONED_CONCURRENCY_SCALING, ("scaling",), lambda plan: plan.scaling is not None),
    (
        Feature.SCHEDULED_SCALING,
        ("scaling", "schedules"),
        lambda plan: plan.scaling is not None and bool(plan.scaling.scheduled_actions),
    ),
    (Feature.NETWORK_ISOLATION, ("container", "network_isolation"), lambda plan: plan.network_isolation),
)
