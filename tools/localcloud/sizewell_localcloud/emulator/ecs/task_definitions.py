"""Task definitions: every property is kept, and AWS's rules on size, memory and order of containers hold."""

import json
from collections.abc import Iterator

from ministack.services import ecs

from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.ecs.requests import Request, call, made_name, refuse, request_of
from sizewell_localcloud.emulator.resource_schemas import Properties

_MAX_BYTES = 65536


class TaskDefinition:
    """A revision of a family; its id is its ARN. Every property but the tags makes the next revision."""

    type_name = "AWS::ECS::TaskDefinition"
    name_property = None
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Register it."""
        request = request_of("RegisterTaskDefinition", properties)
        request.setdefault("family", made_name(stack_name, logical_id))
        if "MANAGED_INSTANCES" in request.get("requiresCompatibilities", []):
            # https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task_definition_parameters-managed-instances.html
            request.setdefault("networkMode", "awsvpc")
        refuse(_problems(request), "ClientException")
        answer = call("RegisterTaskDefinition", request)["taskDefinition"]
        # ministack leaves some members out.
        record = ecs._task_defs[f"{answer['family']}:{answer['revision']}"]
        record |= {key: value for key, value in request.items() if key != "tags"}
        arn = answer["taskDefinitionArn"]
        return arn, {"TaskDefinitionArn": arn}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the tags."""
        ecs._tags[physical_id] = request_of("RegisterTaskDefinition", new).get("tags", [])
        return physical_id, {"TaskDefinitionArn": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Deregister it, unless it is gone: a service may still run it."""
        if ecs._resolve_td_key(physical_id) in ecs._task_defs:
            call("DeregisterTaskDefinition", {"taskDefinition": physical_id})


def _problems(request: Request) -> Iterator[str]:
    length = len(json.dumps(request, ensure_ascii=False).encode())
    if length > _MAX_BYTES:
        # https://github.com/awsdocs/amazon-ecs-developer-guide/pull/149
        yield f"Actual length: '{length}'. Max allowed length is '{_MAX_BYTES}' bytes."
    containers, of_task = request["containerDefinitions"], request.get("memory")
    dependencies = [dependency for container in containers for dependency in container.get("dependsOn", [])]
    awaited = {
        dependency["containerName"]
        for dependency in dependencies
        if dependency["condition"] in {"COMPLETE", "SUCCESS"}
    }
    for container in containers:
        name = container["name"]
        if of_task is None and not {"memory", "memoryReservation"} & container.keys():
            # https://github.com/cuttlesoft/ecs-deploy.py/issues/17
            yield (
                f"Invalid setting for container '{name}'. "
                "At least one of 'memory' or 'memoryReservation' must be specified."
            )
        if of_task is not None and container.get("memory", 0) > _mib(of_task):
            # https://github.com/pulumi/pulumi-awsx/issues/1220
            yield f"The 'memory' setting for container '{name}' is greater than for the task."
        if name in awaited and container.get("essential", True):
            # https://github.com/boto/boto3/issues/2436
            yield "A dependency container with SUCCESS or COMPLETE condition cannot be an essential container"


def _mib(memory: str) -> float:
    """Return a task's memory in MiB: ``2048``, ``2GB`` and ``2 GB`` are the same."""
    number, gb, _ = memory.upper().partition("GB")
    return float(number) * (1024 if gb else 1)
