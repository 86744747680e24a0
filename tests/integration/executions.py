"""Executions of state machines in the local cloud: started, and waited for."""

import json
from typing import Any

from tests.integration.harness import Deployment
from tests.localcloud.processes import until

#: The time scale at which a job ends within 20 ms.
FAST = 0.00005
Json = dict[str, Any]


def machine_arn(deployed: Deployment, name: str) -> str:
    """Return the ARN of a state machine."""
    return f"arn:aws:states:{deployed.plan.region}:{deployed.plan.account}:stateMachine:{name}"


def start(deployed: Deployment, name: str, **given: Any) -> str:
    """Start an execution with an input and return its ARN."""
    started = deployed.client("stepfunctions").start_execution(
        stateMachineArn=machine_arn(deployed, name), input=json.dumps(given)
    )
    return str(started["executionArn"])


def ended(deployed: Deployment, execution: str) -> Json:
    """Wait for the end of an execution and return its description."""
    found: Json = until(
        lambda: deployed.client("stepfunctions").describe_execution(executionArn=execution),
        lambda one: bool(one["status"] != "RUNNING"),
    )
    return found
