"""The task definition of a model that SageMaker's contract is kept for: a container that loads it, the proxy, and its own.

Containers start in this order: the model when it is loaded, the proxy beside it. They end the other way round, and ECS takes a
task out of its target group before it ends it, so that requests in progress are answered.
https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_ContainerDefinition.html (dependsOn)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.acknowledgements import acknowledge
from constructs_lib.policies.artifact_access import artifact_wildcards, read_artifact_statements
from constructs_lib.policies.container_images import image_repository_arn
from constructs_lib.policies.statements import WRITE_LOGS, Statement, allow, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.model_servers import MODEL_DIRECTORY

#: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html: it keeps other accounts' tasks out.
_TASKS_OF_ACCOUNT = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
_TASKS = "ecs-tasks.amazonaws.com"
_MODEL_VOLUME = "model"
PROXY = "proxy"
PROXY_PORT = 8081


@dataclass(frozen=True, kw_only=True)
class ModelTaskProps:
    """The model, what its task asks for, and the two programs that keep the contract.

    ``loader`` is the text of a Python program, and ``proxy_arguments`` are those of Envoy. ``artifact_key`` None loads nothing.
    ``proxy_memory_mib`` is what the proxy has of ``memory_mib``.
    """

    service_name: str
    image_uri: str
    repository_arn: str
    environment_variables: Mapping[str, str]
    artifact_key: str | None
    artifact_compression: str
    loader: str
    proxy_image: str
    proxy_arguments: Sequence[str]
    architecture: str
    cpu_units: int
    memory_mib: int
    proxy_memory_mib: int
    gpu_count: int
    neuron: bool
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences


class ModelTask(Construct):
    """The definition, its log group and its two roles: that of the containers, and that of the agent that starts them."""

    definition: ecs.CfnTaskDefinition

    def __init__(self, scope: Construct, construct_id: str, *, props: ModelTaskProps) -> None:
        super().__init__(scope, construct_id)
        log_group = logs.CfnLogGroup(
            self,
            "LogGroup",
            log_group_name=f"/aws/ecs/{props.service_name}",
            retention_in_days=props.log_retention_days,
            kms_key_id=props.foundation.operations_key_arn,
        )
        log_group.apply_removal_policy(props.removal_policy)
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
            execution_role_arn=_execution_role(self, log_group, props).attr_arn,
            task_role_arn=_task_role(self, props).attr_arn,
            volumes=[
                properties.VolumeProperty(name=_MODEL_VOLUME, host=properties.HostVolumePropertiesProperty())
            ],
            container_definitions=[
                *([_loader(props, log_group)] if props.artifact_key is not None else []),
                _model(props, log_group),
                _proxy(props, log_group),
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
        # It needs Python alone, which the images of all servers in Python have; and is on the instance already.
        image=props.image_uri,
        entry_point=["python3", "-c"],
        command=[props.loader],
        essential=False,
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


def _proxy(
    props: ModelTaskProps, log_group: logs.CfnLogGroup
) -> ecs.CfnTaskDefinition.ContainerDefinitionProperty:
    properties = ecs.CfnTaskDefinition
    return properties.ContainerDefinitionProperty(
        name=PROXY,
        image=props.proxy_image,
        command=list(props.proxy_arguments),
        essential=True,
        memory=props.proxy_memory_mib,
        readonly_root_filesystem=True,
        port_mappings=[properties.PortMappingProperty(container_port=PROXY_PORT, protocol="tcp")],
        depends_on=[properties.ContainerDependencyProperty(container_name="model", condition="START")],
        log_configuration=_logs(log_group, PROXY),
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


def _execution_role(scope: Construct, log_group: logs.CfnLogGroup, props: ModelTaskProps) -> iam.CfnRole:
    """Add the role of the agent, which pulls the images and writes the logs."""
    repositories = [props.repository_arn, image_repository_arn(scope, props.proxy_image)]
    statements: list[Statement] = [
        allow(
            ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"),
            repositories,
        ),
        allow(("ecr:GetAuthorizationToken",), "*"),
        allow(WRITE_LOGS, log_group.attr_arn),
    ]
    role = service_role(scope, "ExecutionRole", _TASKS, statements, _TASKS_OF_ACCOUNT)
    acknowledge_wildcards(
        scope.node.find_child("ExecutionRolePolicy"),
        ("*", "ecr:GetAuthorizationToken knows no resource types (Service Authorization Reference)."),
        (log_group.attr_arn, "The ARN of a log group ends with a star, for its streams."),
    )
    return role


def _task_role(scope: Construct, props: ModelTaskProps) -> iam.CfnRole:
    """Add the role of the containers, which reads the model alone."""
    foundation = props.foundation
    reads = [(foundation.artifact_bucket_name, props.artifact_key)] if props.artifact_key else []
    statements = read_artifact_statements(reads, (foundation.data_key_arn,)) if reads else []
    role = service_role(scope, "TaskRole", _TASKS, statements, _TASKS_OF_ACCOUNT)
    if wildcards := list(artifact_wildcards(reads)):
        acknowledge_wildcards(scope.node.find_child("TaskRolePolicy"), *wildcards)
    return role
