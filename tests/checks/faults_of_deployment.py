"""Faults of updates."""

from tests.checks.builders import (
    Json,
    blue_green,
    config,
    endpoint,
    percent,
    rolling,
    serverless_variant,
    template,
    updated_by,
    variant,
)
from tests.checks.fault_collection import fault

ALL_AT_ONCE = {"Type": "ALL_AT_ONCE", "WaitIntervalInSeconds": 0}
CANARY = {"Type": "CANARY", "CanarySize": percent(10), "WaitIntervalInSeconds": 300}
LINEAR = {"Type": "LINEAR", "LinearStepSize": percent(25), "WaitIntervalInSeconds": 300}
BLUE, ROLL = "DeploymentConfig.BlueGreenUpdatePolicy", "DeploymentConfig.RollingUpdatePolicy"
fault(
    "blue/green with rolling",
    updated_by(**blue_green(ALL_AT_ONCE), **rolling()),
    "deployment-policies",
    "Endpoint",
    "DeploymentConfig",
    "BlueGreenUpdatePolicy and RollingUpdatePolicy are both given",
    "keep one of the two: an update is either blue/green or rolling",
)


def step_fault(name: str, deployment: Json, path: str, value: int, allowed: str) -> None:
    fault(
        name,
        updated_by(**deployment),
        "deployment-step",
        "Endpoint",
        f"{path}.Value",
        f"Value is {value}, allowed is {allowed} percent",
        f"choose a value of {allowed} percent",
    )


ROUTING = f"{BLUE}.TrafficRoutingConfiguration"
step_fault(
    "a canary of 60 percent",
    blue_green(CANARY | {"CanarySize": percent(60)}),
    f"{ROUTING}.CanarySize",
    60,
    "1 to 50",
)
step_fault(
    "linear steps of 5 percent",
    blue_green(LINEAR | {"LinearStepSize": percent(5)}),
    f"{ROUTING}.LinearStepSize",
    5,
    "10 to 50",
)
step_fault(
    "batches of 51 percent", rolling(MaximumBatchSize=percent(51)), f"{ROLL}.MaximumBatchSize", 51, "5 to 50"
)
step_fault(
    "rolling back by 4 percent",
    rolling(RollbackMaximumBatchSize=percent(4)),
    f"{ROLL}.RollbackMaximumBatchSize",
    4,
    "5 to 100",
)
fault(
    "a canary without a size",
    updated_by(**blue_green({"Type": "CANARY", "WaitIntervalInSeconds": 300})),
    "deployment-step",
    "Endpoint",
    f"{ROUTING}.CanarySize",
    "Type is CANARY, but CanarySize is missing",
    "give CanarySize, 1 to 50 percent of the fleet",
)


def time_fault(deployment: Json, path: str, key: str, value: int, allowed: str) -> None:
    fault(
        f"{key} of {value} in {path}",
        updated_by(**deployment),
        "deployment-times",
        "Endpoint",
        f"{path}.{key}",
        f"{key} is {value}, allowed is {allowed} s",
        f"choose a value of {allowed} s",
    )


TIMEOUT, BAKE, WAIT = "MaximumExecutionTimeoutInSeconds", "TerminationWaitInSeconds", "WaitIntervalInSeconds"
time_fault(blue_green(ALL_AT_ONCE, **{TIMEOUT: 599}), BLUE, TIMEOUT, 599, "600 to 28800")
time_fault(blue_green(ALL_AT_ONCE, **{TIMEOUT: 28801}), BLUE, TIMEOUT, 28801, "600 to 28800")
time_fault(rolling(**{TIMEOUT: 30000}), ROLL, TIMEOUT, 30000, "600 to 28800")
time_fault(blue_green(ALL_AT_ONCE, **{BAKE: 3601}), BLUE, BAKE, 3601, "0 to 3600")
time_fault(blue_green(CANARY | {WAIT: 4000}), ROUTING, WAIT, 4000, "0 to 3600")
time_fault(rolling(**{WAIT: 3601}), ROLL, WAIT, 3601, "0 to 3600")
for name, deployment, path, limit, waits in (
    ("canary", blue_green(CANARY, **{BAKE: 600, TIMEOUT: 900}), BLUE, 900, 900),
    ("linear", blue_green(LINEAR, **{TIMEOUT: 900}), BLUE, 900, 900),
    ("rolling", rolling(**{WAIT: 600, TIMEOUT: 1200}), ROLL, 1200, 1800),
):
    fault(
        f"no time for the waits of a {name} update",
        updated_by(**deployment),
        "deployment-times",
        "Endpoint",
        f"{path}.{TIMEOUT}",
        f"{TIMEOUT} is {limit} s, but the waits alone take {waits} s",
        "wait less, or allow more time than the waits take",
    )
for name, variants, words in (
    ("serverless", [serverless_variant()], "is serverless"),
    ("two variants", [variant(), variant(VariantName="other")], "has 2 production variants"),
):
    fault(
        f"a rolling update of {name}",
        template(Config=config(*variants), Endpoint=endpoint(DeploymentConfig=rolling())),
        "deployment-excludes",
        "Endpoint",
        ROLL,
        f"a rolling update is not possible: Config {words}",
        "use BlueGreenUpdatePolicy",
    )
