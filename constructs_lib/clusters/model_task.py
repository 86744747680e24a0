"""The task definition of a model that SageMaker's contract is kept for: a container that loads it, its own, and a companion.

Containers start in this order: the model when it is loaded, its companion beside it. They end the other way round, so that
requests in progress are answered: a companion that works off a queue ends first, and ECS takes a task with a proxy out of its
target group before it ends it. https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_ContainerDefinition.html (dependsOn)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.clusters.task_roles import execution_role, task_role
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.log_group import add_log_group
from constructs_lib.policies.acknowledgements import acknowledge
from constructs_lib.policies.artifact_access import artifact_wildcards, read_artifact_statements
from constructs_lib.policies.container_images import image_repository_arn
from constructs_lib.policies.statements import Statement
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.model_servers import MODEL_DIRECTORY

_MODEL_VOLUME = "model"
PROXY = "proxy"
PROXY_PORT = 8081
WORKER = "worker"
#: Programs come as texts, and run in the image of the model: it needs Python alone, and is on the instance already.
_PROGRAM = ("python3", "-c")


@dataclass(frozen=True, kw_only=True)
class Companion:
    """The container beside a model: a proxy, or what works off a queue.

    ``port`` None is called by nobody. It has ``stop_timeout_s`` to end, where that is not half a minute. ``may_borrow`` lets it
    take the memory that the model leaves.
    """

    name: str
    image_uri: str
    command: Sequence[str]
    entry_point: Sequence[str] | None = None
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    stop_timeout_s: int | None = None
    may_borrow: bool = False


def proxy(image_uri: str, arguments: Sequence[str]) -> Companion:
    """Return a companion that lets requests through; ``arguments`` are those of Envoy."""
    return Companion(name=PROXY, image_uri=image_uri, command=arguments, port=PROXY_PORT)


def worker(
    image_uri: str, program: str, environment_variables: Mapping[str, str], stop_timeout_s: int
) -> Companion:
    """Return a companion that works off a queue in the image of the model; ``program`` is the text of a Python program."""
    return Companion(
        name=WORKER,
        image_uri=image_uri,
        entry_point=_PROGRAM,
        command=[program],
        environment_variables=environment_variables,
        stop_timeout_s=stop_timeout_s,
        # Requests may be large, and many at a time.
        may_borrow=True,
    )


@dataclass(frozen=True, kw_only=True)
class ModelTaskProps:
    """The model, what its task asks for, and the two programs that keep the contract.

    ``loader`` is the text of a Python program. ``artifact_key`` None loads nothing. ``proxy_memory_mib`` is what the companion
    has of ``memory_mib``. ``statements`` are what else its containers may, and ``wildcards`` the resources in them that cannot
    be named more narrowly, each with the reason.
    """

    service_name: str
    image_uri: str
    repository_arn: str
    environment_variables: Mapping[str, str]
    artifact_key: str | None
    artifact_compression: str
    loader: str
    companion: Companion
    architecture: str
    cpu_units: int
    memory_mib: int
    proxy_memory_mib: int
    gpu_count: int
    neuron: bool
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences
    statements: Sequence[Statement] = ()
    wildcards: Sequence[tuple[str | dict[str, Any], str]] = ()


class ModelTask(Construct):
    """The definition, its log group and its two roles: that of the containers, and that of the agent that starts them."""

    definition: ecs.CfnTaskDefinition

    def __init__(self, scope: Construct, construct_id: str, *, props: ModelTaskProps) -> None:
        super().__init__(scope, construct_id)
        log_group = add_log_group(self, f"/aws/ecs/{props.service_name}", props)
        companion = props.companion.image_uri
        others = [image_repository_arn(self, companion)] if companion != props.image_uri else []
        properties = ecs.CfnTaskDefinition
        self.definition = ecs.CfnTaskDefinition(
            self,
            "Definition",
            family=props.service_name,
            requires_compatibilities=["MANAGED_INSTANCES"],
            network_mode="awsvpc",
            runtime_platform=properties.RuntimePlatformProperty(
                cpu_architecture=props.architecture, operating_system_family="LINUX"
            ),
            cpu=str(props.cpu_units),
            memory=str(props.memory_mib),
            execution_role_arn=execution_role(self, log_group, [props.repository_arn, *others]).attr_arn,
            task_role_arn=_task_role(self, props).attr_arn,
            volumes=[
                properties.VolumeProperty(name=_MODEL_VOLUME, host=properties.HostVolumePropertiesProperty())
            ],
            container_definitions=[
                *([_loader(props, log_group)] if props.artifact_key is not None else []),
                _model(props, log_group),
                _companion(props, log_group),
            ],
        )
        acknowledge(
            self.definition,
            "AwsSolutions-ECS2",
            "Variables say where the model is and how it is served: a secret in them is refused when the configuration is read.",
        )


def _loader(
    props: ModelTaskProps, log_group: logs.CfnLogGroup
) -> ecs.CfnTaskDefinition.ContainerDefinitionProperty:
    assert props.artifact_key is not None
    bucket = props.foundation.artifact_bucket_name
    variables = {
        "MODEL_COMPRESSION": props.artifact_compression,
        "MODEL_DIRECTORY": MODEL_DIRECTORY,
        "MODEL_URI": f"s3://{bucket}/{props.artifact_key}",
    }
    return ecs.CfnTaskDefinition.ContainerDefinitionProperty(
        name="load-model",
        image=props.image_uri,
        entry_point=list(_PROGRAM),
        command=[props.loader],
        essential=False,
        # It writes to its volume alone.
        readonly_root_filesystem=True,
        environment=_environment(variables, Stack.of(log_group).region),
        mount_points=[_mount(read_only=False)],
        log_configuration=_logs(log_group, "load-model"),
    )


def _model(
    props: ModelTaskProps, log_group: logs.CfnLogGroup
) -> ecs.CfnTaskDefinition.ContainerDefinitionProperty:
    properties = ecs.CfnTaskDefinition
    devices = [properties.ResourceRequirementProperty(type="GPU", value=str(props.gpu_count))]
    if props.neuron:
        devices = [properties.ResourceRequirementProperty(type="NeuronDevice", value="ALL")]
    is_loaded = properties.ContainerDependencyProperty(container_name="load-model", condition="SUCCESS")
    return properties.ContainerDefinitionProperty(
        name="model",
        image=props.image_uri,
        command=["serve"],
        essential=True,
        memory=props.memory_mib - props.proxy_memory_mib,
        environment=_environment(props.environment_variables, Stack.of(log_group).region),
        resource_requirements=devices if props.gpu_count or props.neuron else None,
        depends_on=[is_loaded] if props.artifact_key is not None else None,
        # Processes of one server pass tensors to each other there.
        linux_parameters=properties.LinuxParametersProperty(shared_memory_size=props.memory_mib // 2),
        mount_points=[_mount(read_only=props.artifact_key is not None)],
        log_configuration=_logs(log_group, "model"),
    )


def _companion(
    props: ModelTaskProps, log_group: logs.CfnLogGroup
) -> ecs.CfnTaskDefinition.ContainerDefinitionProperty:
    properties, companion = ecs.CfnTaskDefinition, props.companion
    variables = companion.environment_variables
    return properties.ContainerDefinitionProperty(
        name=companion.name,
        image=companion.image_uri,
        entry_point=list(companion.entry_point) if companion.entry_point else None,
        command=list(companion.command),
        essential=True,
        memory=None if companion.may_borrow else props.proxy_memory_mib,
        memory_reservation=props.proxy_memory_mib if companion.may_borrow else None,
        environment=_environment(variables, Stack.of(log_group).region) if variables else None,
        readonly_root_filesystem=True,
        port_mappings=[properties.PortMappingProperty(container_port=companion.port, protocol="tcp")]
        if companion.port
        else None,
        depends_on=[properties.ContainerDependencyProperty(container_name="model", condition="START")],
        stop_timeout=companion.stop_timeout_s,
        log_configuration=_logs(log_group, companion.name),
    )


def _environment(
    variables: Mapping[str, str], region: str
) -> list[ecs.CfnTaskDefinition.KeyValuePairProperty]:
    told = {"AWS_DEFAULT_REGION": region, "AWS_REGION": region, **variables}
    return [
        ecs.CfnTaskDefinition.KeyValuePairProperty(name=name, value=value)
        for name, value in sorted(told.items())
    ]


def _mount(*, read_only: bool) -> ecs.CfnTaskDefinition.MountPointProperty:
    return ecs.CfnTaskDefinition.MountPointProperty(
        container_path=MODEL_DIRECTORY, source_volume=_MODEL_VOLUME, read_only=read_only
    )


def _logs(log_group: logs.CfnLogGroup, container: str) -> ecs.CfnTaskDefinition.LogConfigurationProperty:
    return ecs.CfnTaskDefinition.LogConfigurationProperty(
        log_driver="awslogs",
        options={
            "awslogs-group": log_group.ref,
            "awslogs-region": Stack.of(log_group).region,
            "awslogs-stream-prefix": container,
        },
    )


def _task_role(scope: Construct, props: ModelTaskProps) -> iam.CfnRole:
    """Add the role of the containers, which reads the model, and may do what is stated beside."""
    foundation = props.foundation
    reads = [(foundation.artifact_bucket_name, props.artifact_key)] if props.artifact_key else []
    statements = [
        *(read_artifact_statements(reads, (foundation.data_key_arn,)) if reads else ()),
        *props.statements,
    ]
    role = task_role(scope, "TaskRole", statements)
    if wildcards := [*artifact_wildcards(reads), *props.wildcards]:
        acknowledge_wildcards(scope.node.find_child("TaskRolePolicy"), *wildcards)
    return role
