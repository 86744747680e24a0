"""The decisions for one Lambda function that others do not have: its CPU, /tmp, the timeout, the alarms."""

import math
from collections.abc import Iterator

from sizewell.facts.interface_endpoints import FUNCTIONS
from sizewell.facts.lambda_functions import (
    MAX_ENVIRONMENT_BYTES,
    MAX_STORAGE_MB,
    MAX_TIMEOUT_S,
    MIN_STORAGE_MB,
    MODEL_S3_URI,
)
from sizewell.facts.proxy import PROXY_VARIABLES
from sizewell.facts.serving_features import Feature, ServedAs
from sizewell.facts.serving_modes import Mode
from sizewell.instance_selection.catalog import Catalog
from sizewell.kinds.lambda_function.config import LambdaFunction
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan
from sizewell.kinds.lambda_function.rollout import (
    lambda_rollout_faults,
    plan_lambda_rollout,
    rollout_decisions,
)
from sizewell.planning.alarm_thresholds import (
    CONCURRENCY_PERCENT,
    SLOWEST_PERCENT,
    error_percent,
    evaluation_faults,
    percentile_faults,
    stated_alarms,
)
from sizewell.planning.errors import PlanFault
from sizewell.planning.features import ON_DEMAND_FEATURES, Asked
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.images import plan_image
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.on_demand_choice import OnDemandChoice, choose, on_demand_needs
from sizewell.planning.on_demand_plan import decided, on_demand_faults
from sizewell.planning.translate import image_for, room_gib

#: A call may take this many times the latency that is asked and a cold start together before Lambda ends it. The cold start
#: counts: what is not ready after 10 s starts again in the first call, within its timeout ("Init phase",
#: https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html).
TIMEOUT_OVER_EXPECTED = 2.0


def plan_lambda_function(stated: Stated) -> LambdaFunctionPlan:
    """Return the plan of a function; raises ``PlanError`` with every need that no memory meets."""
    function: LambdaFunction = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    needs = on_demand_needs(function, policy, stated.measurements)
    choice = choose(name, function, Mode.LAMBDA, needs, catalog)
    alarms, alarms_off = stated_alarms(
        function.alarms,
        _default_thresholds(function, choice),
        choice.load.average_requests_per_second,
        instances_report=False,
    )
    container, longest_ms = function.container, function.latency.max_p99_ms or function.latency.max_p95_ms
    expected_s = choice.chosen.cold_start_s + longest_ms / 1000
    rollout = plan_lambda_rollout(function, alarms, choice.load.average_requests_per_second)
    shared = decided(stated, choice)
    told = rollout_decisions(rollout, is_warm=shared["provisioned_concurrency"] is not None)
    return LambdaFunctionPlan(
        **{**shared, "decisions": (*shared["decisions"], *told)},
        environment=dict(sorted(container.environment.items())),
        network_isolation=container.network_isolation,
        function_name=names.workload(name),
        image=plan_image(image_for(container.images, choice.cpu.hardware), names),
        architecture="arm64" if choice.cpu.hardware == "cpu_arm64" else "x86_64",
        artifact_key=container.artifact.key if container.artifact else None,
        ephemeral_storage_mb=_storage_mb(function, choice),
        timeout_s=min(MAX_TIMEOUT_S, math.ceil(expected_s * TIMEOUT_OVER_EXPECTED)),
        reserves_concurrency=function.max_concurrency is not None,
        alarms=alarms,
        alarms_off=alarms_off,
        rollout=rollout,
    )


def lambda_faults(function: LambdaFunction, plan: LambdaFunctionPlan) -> Iterator[PlanFault]:
    """Yield what a plan does not allow, or leaves without effect."""
    yield from on_demand_faults(function, function.alarms.provisioned_concurrency_spillover, plan)
    if plan.ephemeral_storage_mb > MAX_STORAGE_MB:
        packed = " packed and unpacked" if plan.artifact_key and not plan.artifact_key.endswith("/") else ""
        yield PlanFault(
            ("workloads", plan.name, "container", "artifact"),
            f"takes {plan.ephemeral_storage_mb:,} MB{packed}, but /tmp of a function has {MAX_STORAGE_MB:,} MB at most",
            "put the model into the image, or write kind: real-time-endpoint",
        )
    yield from lambda_rollout_faults(plan)
    path = ("workloads", plan.name, "alarms")
    yield from evaluation_faults(path, plan.alarms)
    yield from evaluation_faults(path, plan.rollout.alarms if plan.rollout else {})
    yield from percentile_faults(path, function.alarms, plan.alarms, plan.p95_latency_ms)


def _storage_mb(function: LambdaFunction, choice: OnDemandChoice) -> int:
    """Return the room that the artifact takes: as stated, or the weights; a packed one lies beside its contents."""
    artifact = function.container.artifact
    if artifact is None:
        return MIN_STORAGE_MB
    if artifact.size_gib is None:
        artifact = artifact.model_copy(update={"size_gib": choice.cpu.weights_gib})
    return max(MIN_STORAGE_MB, math.ceil((room_gib(artifact) or 0.0) * 1024))


def _default_thresholds(function: LambdaFunction, choice: OnDemandChoice) -> dict[str, float | str]:
    return {
        "error_rate": error_percent(function),
        "throttles": error_percent(function),
        "duration_p95": function.latency.max_p95_ms,
        "duration_p99": function.latency.max_p99_ms or SLOWEST_PERCENT,
        "concurrency_utilization": CONCURRENCY_PERCENT,
        **({"provisioned_concurrency_spillover": 0.0} if choice.provisioned(choice.chosen) else {}),
    }


def variable_faults(plan: LambdaFunctionPlan, foundation: FoundationPlan, _: Catalog) -> Iterator[PlanFault]:
    """Yield variables that are together more than Lambda takes, with those that are set for you."""
    ours = {name: plan.environment[name] for name in PROXY_VARIABLES if name in plan.environment}
    if plan.artifact_key is not None:
        ours[MODEL_S3_URI] = f"s3://{foundation.artifact_bucket_name}/{plan.artifact_key}"
    size, of_ours = (
        sum(len(f"{name}{value}".encode()) for name, value in variables.items())
        for variables in (plan.environment | ours, ours)
    )
    if size > MAX_ENVIRONMENT_BYTES:
        told = f", {of_ours:,} of them set for you" if ours else ""
        yield PlanFault(
            ("workloads", plan.name, "container", "environment"),
            f"holds {size:,} bytes{told}; Lambda takes {MAX_ENVIRONMENT_BYTES:,} at most, names and values together",
            "put some into the image"
            + (", or name domains in network.proxy.bypass instead of their hosts" if len(ours) > 1 else ""),
        )


def _plan(stated: Stated) -> Planned:
    plan = plan_lambda_function(stated)
    return plan, (*legality_faults(plan, stated.catalog), *lambda_faults(stated.workload, plan))


#: API reference: CreateFunction, FunctionName.
_NAME = NameLimit("the function", 64)

FEATURES: tuple[Asked[LambdaFunctionPlan], ...] = (
    *ON_DEMAND_FEATURES,
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


FACET = PlanKind(
    plan=_plan,
    name=_NAME,
    served_as=lambda _: ServedAs.LAMBDA,
    features=FEATURES,
    services=lambda _: iter((FUNCTIONS,)),
    foundation_faults=variable_faults,
)
