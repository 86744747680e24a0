"""What AWS would refuse of a workload in its mode: the tables of ``sizewell.facts.serving_features``, asked before CDK starts."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from sizewell.facts.scaling import (
    CONCURRENT_REQUESTS_PER_COPY,
    HIGH_RESOLUTION_CONCURRENCY,
    INVOCATIONS_PER_INSTANCE,
)
from sizewell.facts.serving_features import Feature, ServedAs, Support, excluded, feature_of, missing
from sizewell.instance_selection import Catalog, HardwareKind
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.planning.component_plan_model import ComponentEndpointPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.lambda_plan_model import LambdaFunctionPlan
from sizewell.planning.plan import AnyWorkloadPlan
from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.planning.serverless_plan_model import ServerlessEndpointPlan
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.volumes import has_local_disks

KeyPath = tuple[str, ...]
P = TypeVar("P", bound=AnyWorkloadPlan)
#: What somebody asks of a workload, the key that asks for it, and whether a plan has it.
Asked = tuple[Feature, KeyPath, Callable[[P], bool]]

#: How each kind is served; others, such as training, are not in the tables.
SERVED_AS: Mapping[str, ServedAs] = {
    "real-time-endpoint": ServedAs.REAL_TIME,
    "asynchronous-endpoint": ServedAs.ASYNCHRONOUS,
    "multi-model-endpoint": ServedAs.MULTI_MODEL,
    "serverless-endpoint": ServedAs.SERVERLESS,
    "lambda-function": ServedAs.LAMBDA,
    "inference-component-endpoint": ServedAs.INFERENCE_COMPONENTS,
    "batch-transform": ServedAs.BATCH,
}
_TYPE = ("instances", "instance_type")
_OF_ENDPOINT: tuple[Asked[EndpointPlan], ...] = (
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
    (Feature.VOLUME_KEY, _TYPE, lambda plan: plan.encrypt_volume_with_key),
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("container", "artifact", "compression"),
        lambda plan: plan.artifact_compression == "none",
    ),
    (Feature.MODEL_PACKAGE, ("container", "model_package"), lambda plan: plan.model_package is not None),
    (Feature.SERIAL_PIPELINE, ("pipeline",), lambda plan: plan.pipeline is not None),
    (Feature.INFERENCE_AMI, ("container", "images"), lambda plan: plan.inference_ami_version is not None),
)
_ON_DEMAND: tuple[Asked[ServerlessEndpointPlan | LambdaFunctionPlan], ...] = (
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
_OF_SERVERLESS: tuple[Asked[ServerlessEndpointPlan], ...] = (
    *_ON_DEMAND,
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("container", "artifact", "compression"),
        lambda plan: plan.artifact_compression == "none",
    ),
    (Feature.MODEL_PACKAGE, ("container", "model_package"), lambda plan: plan.model_package is not None),
)
_OF_LAMBDA: tuple[Asked[LambdaFunctionPlan], ...] = (
    *_ON_DEMAND,
    (Feature.VPC, (), lambda plan: plan.in_vpc),
    (Feature.ALIAS, (), lambda plan: True),
    (
        Feature.BLUE_GREEN_CANARY,
        ("rollout", "strategy"),
        lambda plan: plan.rollout is not None and plan.rollout.strategy == "canary",
    ),
    (
        Feature.BLUE_GREEN_LINEAR,
        ("rollout", "strategy"),
        lambda plan: plan.rollout is not None and plan.rollout.strategy == "linear",
    ),
    (Feature.AUTO_ROLLBACK_ALARMS, ("rollout",), lambda plan: plan.rollout is not None),
    (Feature.GRAVITON, ("container", "images", "cpu_arm64"), lambda plan: plan.architecture == "arm64"),
)
_OF_COMPONENTS: tuple[Asked[ComponentEndpointPlan], ...] = (
    (Feature.MANAGED_INSTANCE_SCALING, ("scaling",), lambda plan: True),
    (
        Feature.COPIES_SCALING,
        ("components",),
        lambda plan: any(one.scaling for one in plan.components.values()),
    ),
    (
        Feature.TRACKING_HIGH_RESOLUTION_CONCURRENCY,
        ("components",),
        lambda plan: any(policy.metric == CONCURRENT_REQUESTS_PER_COPY for policy in _copy_policies(plan)),
    ),
    (
        Feature.STEP_SCALING,
        ("components",),
        lambda plan: any(policy.type == "step-scaling" for policy in _copy_policies(plan)),
    ),
    (
        Feature.SCALE_TO_ZERO,
        ("scaling", "min_instances"),
        lambda plan: plan.scaling.min_instance_count == 0,
    ),
    (Feature.ROLLING, ("rollout",), lambda plan: any(one.rollout for one in plan.components.values())),
    (
        Feature.AUTO_ROLLBACK_ALARMS,
        ("rollout",),
        lambda plan: any(one.rollout for one in plan.components.values()),
    ),
    (Feature.NETWORK_ISOLATION, ("components",), lambda plan: plan.network_isolation),
    (Feature.VOLUME_KEY, _TYPE, lambda plan: plan.encrypt_volume_with_key),
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("components",),
        lambda plan: any(one.artifact_compression == "none" for one in plan.components.values()),
    ),
    (Feature.INFERENCE_AMI, ("components",), lambda plan: plan.inference_ami_version is not None),
)
_OF_TRANSFORM: tuple[Asked[BatchTransformPlan], ...] = (
    (Feature.NETWORK_ISOLATION, ("container", "network_isolation"), lambda plan: plan.network_isolation),
    (Feature.VOLUME_KEY, _TYPE, lambda plan: plan.attempts[0].encrypt_volume_with_key),
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("container", "artifact", "compression"),
        lambda plan: plan.artifact_compression == "none",
    ),
    (Feature.MODEL_PACKAGE, ("container", "model_package"), lambda plan: plan.model_package is not None),
    (Feature.SERIAL_PIPELINE, ("pipeline",), lambda plan: plan.pipeline is not None),
)


def legality_faults(plan: AnyWorkloadPlan, catalog: Catalog) -> Iterator[PlanFault]:
    """Yield what AWS refuses of a plan, at the key that asks for it."""
    if isinstance(plan, EndpointPlan):
        asked = _has(plan, _OF_ENDPOINT)
        asked |= dict.fromkeys(_of_hardware(catalog.get(plan.instance_type)), _TYPE)
    elif isinstance(plan, ServerlessEndpointPlan):
        asked = _has(plan, _OF_SERVERLESS)
    elif isinstance(plan, LambdaFunctionPlan):
        asked = _has(plan, _OF_LAMBDA)
    elif isinstance(plan, ComponentEndpointPlan):
        asked = _has(plan, _OF_COMPONENTS)
        asked |= dict.fromkeys(_of_hardware(catalog.get(plan.instance_type)), _TYPE)
    elif isinstance(plan, BatchTransformPlan):
        asked = _has(plan, _OF_TRANSFORM)
        asked |= dict.fromkeys(_of_hardware(catalog.get(plan.attempts[0].instance_type)), _TYPE)
    else:
        return
    yield from refusals(plan.name, served_as(plan), asked)


def served_as(plan: AnyWorkloadPlan) -> ServedAs:
    """Return how the model of a plan is served; raises KeyError for training."""
    return ServedAs.PIPELINE if isinstance(plan, EndpointPlan) and plan.pipeline else SERVED_AS[plan.kind]


def refusals(name: str, mode: ServedAs, asked: Mapping[Feature, KeyPath]) -> Iterator[PlanFault]:
    """Yield what of ``asked``, each feature with its key, a mode does not have, and what does not go together."""
    for feature, path in asked.items():
        row = feature_of(mode, feature)
        if row.supported is Support.NO:
            yield PlanFault(
                ("workloads", name, *path), f"{mode} has no {feature.words}: {row.because}", row.instead
            )
    for pair in excluded(asked, mode):
        yield PlanFault(
            ("workloads", name, *asked[pair.feature]),
            f"{pair.feature.words} does not go with {pair.other.words}: {pair.because}",
            pair.instead,
        )
    for pair in missing(asked, mode):
        yield PlanFault(
            ("workloads", name, *asked[pair.feature]),
            f"{pair.feature.words} needs {pair.other.words}: {pair.because}",
            pair.instead,
        )


def _has(plan: P, table: tuple[Asked[P], ...]) -> dict[Feature, KeyPath]:
    return {feature: path for feature, path, has in table if has(plan)}


def _policies(plan: EndpointPlan) -> tuple[ScalingPolicyPlan, ...]:
    return plan.scaling.policies if plan.scaling else ()


def _copy_policies(plan: ComponentEndpointPlan) -> tuple[ScalingPolicyPlan, ...]:
    return tuple(policy for one in plan.components.values() if one.scaling for policy in one.scaling.policies)


def _rollout(plan: EndpointPlan) -> str | None:
    return plan.rollout.strategy if plan.rollout else None


def _of_hardware(instance_type: InstanceType) -> Iterator[Feature]:
    kind = hardware_kind(instance_type)
    if instance_type.family == "inf1":
        yield Feature.INFERENTIA1
    elif kind is HardwareKind.NEURON:
        yield Feature.NEURON
    if kind is HardwareKind.CUDA:
        yield Feature.GPU
    if kind is HardwareKind.CPU_ARM64:
        yield Feature.GRAVITON
    if instance_type.burstable:
        yield Feature.BURSTABLE
    if has_local_disks(instance_type):
        yield Feature.LOCAL_NVME
