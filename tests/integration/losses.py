"""What reading a deployed resource back does not show: the one table of it, and what it says for the guide.

python -m tests.integration.losses        print the table of the guide
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.integration.readers import READERS
from tests.synthesis import PROJECT_ROOT

GUIDE = PROJECT_ROOT / "docs" / "guides" / "local-cloud.md"
BEGIN, END = "<!-- coverage -->", "<!-- /coverage -->"
SNAPSHOTS = PROJECT_ROOT / "tests" / "snapshots" / "__snapshots__" / "test_snapshots"


@dataclass(frozen=True)
class Loss:
    """A property that the service does not show as it was declared, or shows where it was not.

    ``on_aws``: AWS does not show it either, so it is no shortcoming of the local cloud. ``is_setting`` is False for what
    CloudFormation or its custom resources are told, and no service keeps.
    """

    resource_type: str
    path: str
    reason: str
    on_aws: bool = False
    is_setting: bool = True


#: What an example shows and the shipped configuration does not, with its properties.
OF_EXAMPLES = {
    "AWS::ApiGateway::Deployment": {"RestApiId"},
    "AWS::ApiGateway::Method": {
        "AuthorizationType",
        "HttpMethod",
        "Integration",
        "MethodResponses",
        "RequestParameters",
        "RequestValidatorId",
        "ResourceId",
        "RestApiId",
    },
    "AWS::ApiGateway::RequestValidator": {"RestApiId", "ValidateRequestBody", "ValidateRequestParameters"},
    "AWS::ApiGateway::RestApi": {
        "BinaryMediaTypes",
        "Description",
        "EndpointConfiguration",
        "Name",
        "Policy",
        "Tags",
    },
    "AWS::ApiGateway::Stage": {
        "AccessLogSetting",
        "DeploymentId",
        "MethodSettings",
        "RestApiId",
        "StageName",
        "Tags",
    },
    "AWS::CodeDeploy::Application": {"ComputePlatform", "Tags"},
    "AWS::CodeDeploy::DeploymentConfig": {"ComputePlatform", "TrafficRoutingConfig"},
    "AWS::CodeDeploy::DeploymentGroup": {
        "AlarmConfiguration",
        "ApplicationName",
        "AutoRollbackConfiguration",
        "DeploymentConfigName",
        "DeploymentStyle",
        "ServiceRoleArn",
        "Tags",
    },
    "AWS::Lambda::Alias": {
        "FunctionName",
        "FunctionVersion",
        "Name",
        "ProvisionedConcurrencyConfig",
    },
    "AWS::Lambda::Version": {"FunctionName"},
    "AWS::SageMaker::Endpoint": {"ExcludeRetainedVariantProperties"},
    "AWS::SageMaker::InferenceComponent": {
        "DeploymentConfig",
        "EndpointName",
        "InferenceComponentName",
        "RuntimeConfig",
        "Specification",
        "VariantName",
    },
    # Made where mlflow_app is true: test_existing.py.
    "AWS::SageMaker::MlflowApp": {"ArtifactStoreUri", "ModelRegistrationMode", "Name", "RoleArn", "Tags"},
    "AWS::SageMaker::ModelPackageGroup": {
        "ModelPackageGroupDescription",
        "ModelPackageGroupName",
        "Tags",
    },
    "AWS::SageMaker::NotebookInstance": {
        "DirectInternetAccess",
        "InstanceMetadataServiceConfiguration",
        "InstanceType",
        "KmsKeyId",
        "LifecycleConfigName",
        "NotebookInstanceName",
        "PlatformIdentifier",
        "RoleArn",
        "RootAccess",
        "SecurityGroupIds",
        "SubnetId",
        "VolumeSizeInGB",
    },
    "AWS::SageMaker::NotebookInstanceLifecycleConfig": {"OnStart"},
}
_SERVICE_TOKEN = "says which function CloudFormation calls: nothing to read back"
_SERVICE_TIMEOUT = "says how long CloudFormation waits for the function: nothing to read back"

LOSSES = (
    Loss("AWS::EC2::FlowLog", "DeliverLogsPermissionArn", "the emulated EC2 does not show the role"),
    Loss(
        "AWS::KMS::Key", "PendingWindowInDays", "read when the key is deleted, and never shown", on_aws=True
    ),
    Loss(
        "AWS::SageMaker::Endpoint",
        "DeploymentConfig",
        "shown as that of the last update, and not before there is one",
        on_aws=True,
    ),
    Loss(
        "AWS::SageMaker::InferenceComponent",
        "DeploymentConfig",
        "shown as that of the last update, and not before there is one",
        on_aws=True,
    ),
    *(
        Loss(
            "AWS::SageMaker::Endpoint",
            path,
            "a word in the request of an update, which no description repeats",
            on_aws=True,
        )
        for path in ("RetainAllVariantProperties", "ExcludeRetainedVariantProperties")
    ),
    *(
        Loss("Custom::VpcRestrictDefaultSG", path, reason, on_aws=True, is_setting=False)
        for path, reason in (("ServiceToken", _SERVICE_TOKEN), ("ServiceTimeout", _SERVICE_TIMEOUT))
    ),
)


def losses_of(resource_type: str) -> list[Loss]:
    """Return the rows of one type."""
    return [loss for loss in LOSSES if loss.resource_type == resource_type]


def covers(loss: Loss, path: str) -> bool:
    """Tell whether a row stands for a path: its own, or one below."""
    return path == loss.path or path.startswith(f"{loss.path}.")


def emitted() -> dict[str, set[str]]:
    """Return the resource types of the shipped configuration, each with its properties, from the snapshots; and of examples."""
    found = {resource_type: set(properties) for resource_type, properties in OF_EXAMPLES.items()}
    for path in sorted(Path(SNAPSHOTS).glob("*.json")):
        for resource in json.loads(path.read_text("utf-8"))["Resources"].values():
            found.setdefault(resource["Type"], set()).update(resource.get("Properties", {}))
    return found


def coverage_table() -> str:
    """Return the table of the guide: every resource type that we emit, and how far the local cloud shows it."""
    rows = ["| resource type | on the local cloud | what it does not show |", "| --- | --- | --- |"]
    for resource_type in sorted(emitted()):
        lost = [loss for loss in losses_of(resource_type) if not loss.on_aws]
        if resource_type not in READERS:
            state = "not emulated"
        elif lost:
            state = "created, with losses"
        else:
            state = "created and equal"
        named = "; ".join(f"`{loss.path}`: {loss.reason}" for loss in lost)
        rows.append(f"| `{resource_type}` | {state} | {named} |")
    return "\n".join(rows) + "\n"


def guide_table() -> str:
    """Return what the guide says between the markers; nothing without them."""
    text = GUIDE.read_text("utf-8") if GUIDE.exists() else ""
    return text.partition(BEGIN)[2].partition(END)[0].strip("\n") + "\n"


if __name__ == "__main__":
    print(coverage_table(), end="")
