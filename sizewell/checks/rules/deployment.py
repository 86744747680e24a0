"""How an endpoint is updated: one policy, within its limits.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DeploymentConfig.html and the pages of its members
(TrafficRoutingConfig, BlueGreenUpdatePolicy, RollingUpdatePolicy); exclusions:
https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-exclusions.html
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.checks.endpoints import configuration_of, variants
from sizewell.checks.ranges import outside
from sizewell.checks.rule import Finding, Rule, fault
from sizewell.templates.endpoints import ENDPOINT, PRODUCTION
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import count, is_given, mapping, number, show

POLICIES, STEP, TIMES, EXCLUDES = (
    "deployment-policies",
    "deployment-step",
    "deployment-times",
    "deployment-excludes",
)
RULES: tuple[Rule, ...] = (
    Rule(
        POLICIES,
        "a blue/green and a rolling policy in one `DeploymentConfig`",
        "Only one is allowed. [DeploymentConfig]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DeploymentConfig.html)",
    ),
    Rule(
        STEP,
        "a canary above 50 percent, linear steps outside 10 to 50, batches outside 5 to 50, a canary or "
        "linear shift without a size",
        "[TrafficRoutingConfig]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_TrafficRoutingConfig.html), "
        "[RollingUpdatePolicy]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_RollingUpdatePolicy.html)",
    ),
    Rule(
        TIMES,
        "waits and baking outside 0 to 3600 s, a limit outside 600 to 28800 s, a limit that the waits "
        "alone use up",
        "[BlueGreenUpdatePolicy]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_BlueGreenUpdatePolicy.html)",
    ),
    Rule(
        EXCLUDES,
        "a rolling update of a serverless endpoint, or of one with several variants",
        "[Exclusions](https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-exclusions.html)",
    ),
)

_BLUE_GREEN, _ROLLING = "BlueGreenUpdatePolicy", "RollingUpdatePolicy"
_WAIT_S = (0, 3600)
_EXECUTION_S = (600, 28_800)
#: For each kind of traffic routing the key of its step, and the share of the fleet that the step may be, in percent.
_ROUTING_STEPS = {"CANARY": ("CanarySize", (1, 50)), "LINEAR": ("LinearStepSize", (10, 50))}
_BATCH_PERCENT = (5, 50)
_ROLLBACK_PERCENT = (5, 100)


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every endpoint's deployment configuration."""
    for endpoint in template.of_type(ENDPOINT):
        deployment = mapping(endpoint.written.get("DeploymentConfig"))
        if is_given(deployment, _BLUE_GREEN) and is_given(deployment, _ROLLING):
            yield fault(
                endpoint,
                POLICIES,
                "DeploymentConfig",
                f"{_BLUE_GREEN} and {_ROLLING} are both given",
                "keep one of the two: an update is either blue/green or rolling",
            )
        yield from _blue_green(endpoint, mapping(deployment.get(_BLUE_GREEN)))
        rolling = mapping(deployment.get(_ROLLING))
        yield from _rolling(endpoint, rolling)
        if rolling:
            yield from _rolling_exclusions(template, endpoint)


def _blue_green(endpoint: Resource, policy: Mapping[str, Any]) -> Iterator[Finding]:
    path = f"DeploymentConfig.{_BLUE_GREEN}"
    routing_path, routing = (
        f"{path}.TrafficRoutingConfiguration",
        mapping(policy.get("TrafficRoutingConfiguration")),
    )
    kind = routing.get("Type")
    key, percent = _ROUTING_STEPS.get(kind, ("", (0, 0))) if isinstance(kind, str) else ("", (0, 0))
    if key and key not in routing:
        message = f"Type is {kind}, but {key} is missing"
        remedy = f"give {key}, {percent[0]} to {percent[1]} percent of the fleet"
        yield fault(endpoint, STEP, f"{routing_path}.{key}", message, remedy)
    if key:
        yield from _size(endpoint, f"{routing_path}.{key}", routing.get(key), percent)
    yield from outside(endpoint, TIMES, routing_path, routing, "WaitIntervalInSeconds", _WAIT_S, unit=" s")
    yield from outside(endpoint, TIMES, path, policy, "TerminationWaitInSeconds", _WAIT_S, unit=" s")
    yield from outside(
        endpoint, TIMES, path, policy, "MaximumExecutionTimeoutInSeconds", _EXECUTION_S, unit=" s"
    )
    waits = {
        "CANARY": 1,
        "LINEAR": _waits_between(routing.get("LinearStepSize")),
        "ALL_AT_ONCE": 0,
    }.get(str(kind), 0)
    waiting_s = waits * (number(routing.get("WaitIntervalInSeconds")) or 0)
    waiting_s += number(policy.get("TerminationWaitInSeconds")) or 0
    yield from _time_for_waits(endpoint, path, policy, waiting_s)


def _rolling(endpoint: Resource, policy: Mapping[str, Any]) -> Iterator[Finding]:
    path = f"DeploymentConfig.{_ROLLING}"
    for key, percent in (
        ("MaximumBatchSize", _BATCH_PERCENT),
        ("RollbackMaximumBatchSize", _ROLLBACK_PERCENT),
    ):
        yield from _size(endpoint, f"{path}.{key}", policy.get(key), percent)
    yield from outside(endpoint, TIMES, path, policy, "WaitIntervalInSeconds", _WAIT_S, unit=" s")
    yield from outside(
        endpoint, TIMES, path, policy, "MaximumExecutionTimeoutInSeconds", _EXECUTION_S, unit=" s"
    )
    waits = _waits_between(policy.get("MaximumBatchSize"))
    waiting_s = waits * (number(policy.get("WaitIntervalInSeconds")) or 0)
    yield from _time_for_waits(endpoint, path, policy, waiting_s)


def _size(endpoint: Resource, path: str, size: Any, percent: tuple[int, int]) -> Iterator[Finding]:
    """Judge a share of the fleet; a number of instances depends on how many run at the time of the update."""
    size = mapping(size)
    if size.get("Type") == "CAPACITY_PERCENT":
        yield from outside(endpoint, STEP, path, size, "Value", percent, unit=" percent")


def _waits_between(size: Any) -> int:
    """Return how often an update waits between steps of a size, or 0 where that is unknown."""
    size = mapping(size)
    percent = number(size.get("Value")) if size.get("Type") == "CAPACITY_PERCENT" else None
    return math.ceil(100 / percent) - 1 if percent and 1 <= percent <= 100 else 0


def _time_for_waits(
    endpoint: Resource, path: str, policy: Mapping[str, Any], waiting_s: float
) -> Iterator[Finding]:
    limit_s = number(policy.get("MaximumExecutionTimeoutInSeconds"))
    if limit_s is not None and limit_s <= waiting_s:
        yield fault(
            endpoint,
            TIMES,
            f"{path}.MaximumExecutionTimeoutInSeconds",
            f"MaximumExecutionTimeoutInSeconds is {show(limit_s)} s, but the waits alone take {show(waiting_s)} s",
            "wait less, or allow more time than the waits take",
        )


def _rolling_exclusions(template: Template, endpoint: Resource) -> Iterator[Finding]:
    config = configuration_of(template, endpoint.written.get("EndpointConfigName"))
    if config is None:
        return
    production = count(config.written.get(PRODUCTION)) or 1
    for words, applies in (
        ("is serverless", any(variant.is_serverless for variant in variants(config))),
        (f"has {production} production variants", production > 1),
    ):
        if applies:
            yield fault(
                endpoint,
                EXCLUDES,
                f"DeploymentConfig.{_ROLLING}",
                f"a rolling update is not possible: {config.logical_id} {words}",
                f"use {_BLUE_GREEN}",
            )
