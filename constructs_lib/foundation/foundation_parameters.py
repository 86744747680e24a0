"""How the identifiers of the foundation reach the stacks of workloads: SSM parameters, written and read by one table.

CloudFormation reads such a parameter anew at every deployment of the reading stack, and checks that subnets and
security groups exist: "Specify existing resources at runtime with CloudFormation-supplied parameter types",
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html.
"""

from dataclasses import dataclass
from functools import cache

from aws_cdk import CfnParameter, Fn, Token
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences


@dataclass(frozen=True)
class _Identifier:
    """One field of FoundationReferences; ``value_type`` is what CloudFormation checks when a workload reads it."""

    field: str
    construct_id: str
    name: str
    description: str
    value_type: str = "String"

    @property
    def is_list(self) -> bool:
        return self.value_type.startswith("List<")


_IDENTIFIERS = (
    _Identifier("vpc_id", "VpcId", "vpc-id", "VPC of endpoints and training jobs", "AWS::EC2::VPC::Id"),
    _Identifier(
        "subnet_ids",
        "SubnetIds",
        "subnet-ids",
        "Private subnets, one in each availability zone",
        "List<AWS::EC2::Subnet::Id>",
    ),
    _Identifier(
        "endpoint_security_group_id",
        "EndpointSecurityGroupId",
        "endpoint-security-group-id",
        "Security group of endpoints",
        "AWS::EC2::SecurityGroup::Id",
    ),
    _Identifier(
        "training_security_group_id",
        "TrainingSecurityGroupId",
        "training-security-group-id",
        "Security group of training jobs",
        "AWS::EC2::SecurityGroup::Id",
    ),
    _Identifier(
        "data_key_arn", "DataKeyArn", "data-key-arn", "Key of buckets, volumes and state machine data"
    ),
    _Identifier(
        "operations_key_arn",
        "OperationsKeyArn",
        "operations-key-arn",
        "Key of notifications, logs and queues",
    ),
    _Identifier(
        "artifact_bucket_name",
        "ArtifactBucketName",
        "artifact-bucket-name",
        "Bucket of models, data sets and outputs",
    ),
    _Identifier(
        "checkpoint_bucket_name",
        "CheckpointBucketName",
        "checkpoint-bucket-name",
        "Bucket of training checkpoints",
    ),
    _Identifier(
        "alarm_topic_arn", "AlarmTopicArn", "alarm-topic-arn", "Topic that alarms and failures go to"
    ),
    _Identifier("mlflow_arn", "MlflowArn", "mlflow-arn", "MLflow in which trainings record their runs"),
)
_IDENTIFIER_OF_FIELD = {identifier.field: identifier for identifier in _IDENTIFIERS}


@dataclass(frozen=True, kw_only=True)
class FoundationParametersProps:
    """``parameter_prefix`` begins with a slash and does not end with one: ``/<platform>/<environment>/foundation``.

    Raises ValueError for another form.
    """

    parameter_prefix: str
    references: FoundationReferences

    def __post_init__(self) -> None:
        """Check the form of the prefix."""
        _check_prefix(self.parameter_prefix)


class FoundationParameters(Construct):
    """Publishes every identifier under the prefix, as far as there is one."""

    def __init__(self, scope: Construct, construct_id: str, *, props: FoundationParametersProps) -> None:
        super().__init__(scope, construct_id)
        for identifier in _IDENTIFIERS:
            value = getattr(props.references, identifier.field)
            if value is None:
                continue
            ssm.CfnParameter(
                self,
                identifier.construct_id,
                name=f"{props.parameter_prefix}/{identifier.name}",
                description=identifier.description,
                type="StringList" if identifier.is_list else "String",
                value=Fn.join(",", value) if identifier.is_list else value,
            )


class _ReferencesReadAtDeployment(FoundationReferences):
    """Adds the CloudFormation parameter of a field to the stack when the field is first used.

    A parameter that nothing refers to would be a warning in every template (W2001), and no workload needs them all.
    """

    def __init__(self, scope: Construct, parameter_prefix: str) -> None:
        self.__dict__.update(_scope=scope, _parameter_prefix=parameter_prefix)

    def __getattr__(self, field: str) -> str | list[str]:
        identifier = _IDENTIFIER_OF_FIELD.get(field)
        if identifier is None:
            raise AttributeError(f"FoundationReferences has no field {field!r}")
        parameter_id = f"Foundation{identifier.construct_id}"
        CfnParameter(
            self.__dict__["_scope"],
            parameter_id,
            type=f"AWS::SSM::Parameter::Value<{identifier.value_type}>",
            default=f"{self.__dict__['_parameter_prefix']}/{identifier.name}",
            description=identifier.description,
        )
        value = _reference(parameter_id, identifier.is_list)
        self.__dict__[field] = value
        return value


@cache
def _reference(parameter_id: str, is_list: bool) -> str | list[str]:
    """Return the token of a parameter: one for all stacks, since its logical id at the top of a stack is its id."""
    return Token.as_list({"Ref": parameter_id}) if is_list else Fn.ref(parameter_id)


def read_foundation_references(scope: Construct, parameter_prefix: str) -> FoundationReferences:
    """Return what ``FoundationParameters`` published under the prefix, as tokens that are resolved at deployment.

    Adds one CloudFormation parameter to the stack for each field that is used, so call it once, with the stack as
    ``scope``. Raises ValueError for a prefix without a leading slash or with a trailing one.
    """
    _check_prefix(parameter_prefix)
    return _ReferencesReadAtDeployment(scope, parameter_prefix)


def _check_prefix(parameter_prefix: str) -> None:
    if not parameter_prefix.startswith("/") or parameter_prefix.endswith("/"):
        raise ValueError(
            f"a parameter prefix begins with a slash and does not end with one, got {parameter_prefix!r}"
        )
