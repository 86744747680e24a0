"""Compute environments, job queues and job definitions, with what AWS refuses of them.

https://docs.aws.amazon.com/batch/latest/APIReference/ (CreateComputeEnvironment, CreateJobQueue, RegisterJobDefinition and the
pages of their members); in which words, is not known.
"""

import json
from collections.abc import Iterator
from typing import Any

from ministack.services import ec2, iam

from sizewell_localcloud.emulator.account import arn, random_suffix
from sizewell_localcloud.emulator.batch import store
from sizewell_localcloud.emulator.batch.store import Record, client_error
from sizewell_localcloud.emulator.references import may_assume

_MAX_DEFINITION_BYTES = 24 * 1024
_STRATEGIES = {
    "EC2": {"BEST_FIT", "BEST_FIT_PROGRESSIVE", "BEST_FIT_PROGRESSIVE_ORDERED"},
    "SPOT": {
        "BEST_FIT",
        "SPOT_CAPACITY_OPTIMIZED",
        "SPOT_PRICE_CAPACITY_OPTIMIZED",
        "SPOT_CAPACITY_OPTIMIZED_PRIORITIZED",
    },
}


def create_environment(request: Record) -> Record:
    """Make a compute environment: it is valid at once, and so is the cluster behind it."""
    name = request["computeEnvironmentName"]
    one = arn("batch", f"compute-environment/{name}")
    if one in store.environments:
        raise client_error(f"Object already exists: {name}")
    _refuse(_environment_problems(request))
    store.environments[one] = {
        "state": "ENABLED",
        **request,
        "computeEnvironmentArn": one,
        "ecsClusterArn": arn("ecs", f"cluster/AWSBatch-{name}-{random_suffix()}"),
        "status": "VALID",
        "containerOrchestrationType": "ECS",
    }
    return {"computeEnvironmentName": name, "computeEnvironmentArn": one}


def update_environment(request: Record) -> Record:
    """Change it: instances are exchanged where it must be."""
    record = store.found(store.environments, request["computeEnvironment"])
    changes = {key: value for key, value in request.items() if key != "computeEnvironment"}
    resources = {**record["computeResources"], **changes.pop("computeResources", {})}
    changed = {**record, **changes, "computeResources": resources}
    _refuse(_environment_problems(changed))
    record |= changed
    return {
        "computeEnvironmentName": record["computeEnvironmentName"],
        "computeEnvironmentArn": record["computeEnvironmentArn"],
    }


def delete_environment(request: Record) -> None:
    """Delete it, once it is disabled and no queue has it."""
    record = store.found(store.environments, request["computeEnvironment"])
    one = record["computeEnvironmentArn"]
    if record["state"] != "DISABLED":
        raise client_error("Cannot delete, resource must be disabled")
    for queue in store.queues.values():
        if one in _environments_of(queue):
            raise client_error("Cannot delete, found existing JobQueue relationship")
    del store.environments[one]


def create_queue(request: Record) -> Record:
    """Make a job queue."""
    name = request["jobQueueName"]
    one = arn("batch", f"job-queue/{name}")
    if one in store.queues:
        raise client_error(f"Object already exists: {name}")
    _refuse(_queue_problems(request))
    store.queues[one] = {"state": "ENABLED", **request, "jobQueueArn": one, "status": "VALID"}
    return {"jobQueueName": name, "jobQueueArn": one}


def update_queue(request: Record) -> Record:
    """Change it."""
    record = store.found(store.queues, request["jobQueue"])
    changed = {**record, **{key: value for key, value in request.items() if key != "jobQueue"}}
    _refuse(_queue_problems(changed))
    record |= changed
    return {"jobQueueName": record["jobQueueName"], "jobQueueArn": record["jobQueueArn"]}


def delete_queue(request: Record) -> None:
    """Delete it, once it is disabled."""
    record = store.found(store.queues, request["jobQueue"])
    if record["state"] != "DISABLED":
        raise client_error("Cannot delete, resource must be disabled")
    del store.queues[record["jobQueueArn"]]


def register_definition(request: Record) -> Record:
    """Register the next revision of a definition."""
    _refuse(_definition_problems(request))
    name = request["jobDefinitionName"]
    revision = 1 + sum(record["jobDefinitionName"] == name for record in store.definitions.values())
    one = arn("batch", f"job-definition/{name}:{revision}")
    store.definitions[one] = {
        **request,
        "jobDefinitionArn": one,
        "revision": revision,
        "status": "ACTIVE",
        "containerOrchestrationType": "ECS",
    }
    return {"jobDefinitionName": name, "jobDefinitionArn": one, "revision": revision}


def deregister_definition(request: Record) -> None:
    """Let no more jobs be submitted with a revision."""
    store.found(store.definitions, request["jobDefinition"])["status"] = "INACTIVE"


def listed(table: Any, answer: str, names: str) -> Any:
    """Return the operation that describes the records of a table, all or those of some ``names``."""

    def describe(request: Record) -> Record:
        asked = request.get(names)
        return {
            answer: [
                record
                for arn, record in table.items()
                if not asked or arn in asked or arn.rpartition("/")[2] in asked
            ]
        }

    return describe


def _refuse(problems: Iterator[str]) -> None:
    for problem in problems:
        raise client_error(problem)


def _environment_problems(request: Record) -> Iterator[str]:
    resources = request.get("computeResources")
    if request["type"] != "MANAGED" or resources is None or resources["type"] not in _STRATEGIES:
        yield "the local cloud emulates managed environments of EC2 and Spot Instances alone"
        return
    if resources.get("allocationStrategy", "BEST_FIT") not in _STRATEGIES[resources["type"]]:
        yield f"allocationStrategy {resources['allocationStrategy']} does not go with type {resources['type']}"
    if resources.get("minvCpus", 0) > resources["maxvCpus"]:
        yield "minvCpus must be less than or equal to maxvCpus"
    if not any(
        resources.get("instanceRole") in (name, profile["Arn"])
        for name, profile in iam._instance_profiles.items()
    ):
        yield f"instanceRole {resources.get('instanceRole')} is no instance profile"
    for subnet in resources["subnets"]:
        if subnet not in ec2._subnets:
            yield f"The subnet ID '{subnet}' does not exist"
    for group in resources.get("securityGroupIds", []):
        if group not in ec2._security_groups:
            yield f"The security group '{group}' does not exist"


def _queue_problems(request: Record) -> Iterator[str]:
    environments = _environments_of(request)
    if not 1 <= len(environments) <= 3:
        yield "a job queue has one to three compute environments"
    for one in environments:
        if one not in store.environments:
            yield f"{one} does not exist"
    for action in request.get("jobStateTimeLimitActions", []):
        if (action["state"], action["action"]) != ("RUNNABLE", "CANCEL"):
            yield "the only action is CANCEL, of a job that is RUNNABLE"
        if not 600 <= action["maxTimeSeconds"] <= 86_400:
            yield "maxTimeSeconds is 600 to 86400"


def _environments_of(queue: Record) -> list[str]:
    return [item["computeEnvironment"] for item in queue.get("computeEnvironmentOrder", [])]


def _definition_problems(request: Record) -> Iterator[str]:
    length = len(json.dumps(request, ensure_ascii=False).encode())
    if length > _MAX_DEFINITION_BYTES:
        yield f"a job definition has at most {_MAX_DEFINITION_BYTES} bytes, not {length}"
    container = request.get("containerProperties")
    if request["type"] != "container" or container is None:
        yield "the local cloud emulates definitions of one container alone"
        return
    asked = {item["type"]: float(item["value"]) for item in container.get("resourceRequirements", [])}
    if asked.get("VCPU", 0) < 1 or asked.get("MEMORY", 0) < 4:
        yield "resourceRequirements must name VCPU, 1 at least, and MEMORY, 4 MiB at least"
    for variable in container.get("environment", []):
        if variable["name"].startswith("AWS_BATCH"):
            yield f"{variable['name']}: names that begin with AWS_BATCH are reserved"
    for member in ("jobRoleArn", "executionRoleArn"):
        if member in container and not may_assume(container[member], "ecs-tasks.amazonaws.com"):
            yield f"{member} {container[member]} cannot be assumed by ecs-tasks.amazonaws.com"
    strategy = request.get("retryStrategy", {})
    if not 1 <= strategy.get("attempts", 1) <= 10 or len(strategy.get("evaluateOnExit", [])) > 5:
        yield "retryStrategy has 1 to 10 attempts, and 5 conditions at most"
