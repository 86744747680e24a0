"""Services: what they name must exist and fit together, and every property is kept."""

from collections.abc import Iterator

from ministack.services import alb, ecs

from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.ecs.capacity_providers import require_providers
from sizewell_localcloud.emulator.ecs.requests import (
    Request,
    call,
    made_name,
    refuse,
    request_of,
    require_cluster,
)
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.resource_schemas import Properties
from sizewell_localcloud.emulator.service_models import service_model

#: What ministack itself changes in a service.
_MOVING = {"desiredCount", "taskDefinition"}


class Service:
    """A service; its id is its ARN. Its tasks run at once, and no container starts."""

    type_name = "AWS::ECS::Service"
    name_property = "ServiceName"
    blocks = True

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it."""
        request = _request(properties)
        request.setdefault("serviceName", made_name(stack_name, logical_id))
        _check(request)
        return _kept(call("CreateService", request), request)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change it in place; a desired count that is declared overrides that of scaling."""
        request = _request(new) | {"service": physical_id}
        _check(request)
        return _kept(call("UpdateService", request), request)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        cluster, _, name = physical_id.partition("/")[2].partition("/")
        if f"{cluster}/{name}" in ecs._services:
            call("DeleteService", {"cluster": cluster, "service": name, "force": True})


def _request(properties: Properties) -> Request:
    request = request_of("CreateService", properties)
    if "placementStrategies" in request:
        request["placementStrategy"] = request.pop("placementStrategies")
    return request | {"cluster": ecs._resolve_cluster_name(request.get("cluster"))}


def _kept(answer: Request, request: Request) -> Created:
    """Keep what ministack leaves out, and return what templates refer to."""
    arn, name = answer["service"]["serviceArn"], answer["service"]["serviceName"]
    members = service_model("ecs").shape_for("Service").members.keys() - _MOVING
    ecs._services[f"{request['cluster']}/{name}"] |= {
        key: value for key, value in request.items() if key in members
    }
    ecs._tags[arn] = request.get("tags", [])
    return arn, {"ServiceArn": arn, "Name": name}


def _check(request: Request) -> None:
    """Refuse what ECS refuses. Raises AwsError."""
    require_cluster(request["cluster"])
    providers = require_providers(request.get("capacityProviderStrategy", []), request["cluster"])
    definition = ecs._task_defs.get(ecs._resolve_td_key(request.get("taskDefinition", "")))
    if definition is None:
        # https://github.com/Cloud-CV/EvalAI/issues/2419
        raise AwsError("ClientException", "TaskDefinition not found.")
    managed = any("managedInstancesProvider" in provider for provider in providers)
    refuse(_placement_problems(request, definition, managed=managed))
    refuse(_balancer_problems(request, definition))


def _placement_problems(request: Request, definition: Request, *, managed: bool) -> Iterator[str]:
    if managed and "MANAGED_INSTANCES" not in definition.get("requiresCompatibilities", []):
        # https://docs.aws.amazon.com/AmazonECS/latest/developerguide/capacity-launch-type-comparison.html has the rule,
        # https://github.com/ricktbaker/docker-circleci-ecr-ecs/issues/2 the words for another launch type.
        yield "Task definition does not support launch_type MANAGED_INSTANCES."
    if definition["networkMode"] == "awsvpc" and "networkConfiguration" not in request:
        # https://github.com/fabfuel/ecs-deploy/issues/133
        yield "Network Configuration must be provided when networkMode 'awsvpc' is specified."


def _balancer_problems(request: Request, definition: Request) -> Iterator[str]:
    balancers = request.get("loadBalancers", [])
    if not balancers and "healthCheckGracePeriodSeconds" in request:
        # https://github.com/hashicorp/terraform-provider-aws/issues/31104
        yield "Health check grace period is only valid for services configured to use load balancers"
    containers = {container["name"]: container for container in definition["containerDefinitions"]}
    balanced = {action.get("TargetGroupArn") for rule in alb._rules.values() for action in rule["Actions"]}
    for balancer in balancers:
        name, port = balancer.get("containerName"), balancer.get("containerPort")
        if name not in containers:
            # https://github.com/aws/amazon-ecs-agent/issues/1276
            yield f"The container {name} does not exist in the task definition."
        elif port not in {
            mapping.get("containerPort") for mapping in containers[name].get("portMappings", [])
        }:
            # https://github.com/pulumi/pulumi-awsx/issues/1172
            yield f"The container {name} did not have a container port {port} defined."
        group_arn = balancer.get("targetGroupArn")
        if group_arn not in balanced:
            # https://github.com/Bayer-Group/cloudformation-template-generator/issues/181
            yield f"The target group with targetGroupArn {group_arn} does not have an associated load balancer."
        kind = alb._tgs[group_arn]["TargetType"] if group_arn in alb._tgs else "ip"
        if definition["networkMode"] == "awsvpc" and kind != "ip":
            # https://github.com/riboseinc/terraform-aws-ecs-gitlab/issues/5
            yield (
                f"The provided target group {group_arn} has target type {kind}, which is incompatible with the "
                "awsvpc network mode specified in the task definition."
            )
