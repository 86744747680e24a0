"""What reading a deployed resource back does not show: the one table of it, and what it says for the guide.

python -m tests.integration.losses        print the table of the guide
"""

from dataclasses import dataclass
from itertools import groupby

from tests.integration.readers import READERS
from tests.synthesis import PROJECT_ROOT

GUIDE = PROJECT_ROOT / "docs" / "guides" / "local-cloud.md"
BEGIN, END = "<!-- coverage -->", "<!-- /coverage -->"


@dataclass(frozen=True)
class Loss:
    """A property that the service does not show as it was declared.

    ``on_aws``: AWS does not show it either, so it is no shortcoming of the local cloud.
    """

    resource_type: str
    path: str
    reason: str
    on_aws: bool = False


_SERVICE_TOKEN = "says which function CloudFormation calls: nothing to read back"
_SERVICE_TIMEOUT = "says how long CloudFormation waits for the function: nothing to read back"

LOSSES = (
    Loss(
        "AWS::Batch::ComputeEnvironment",
        "ReplaceComputeEnvironment",
        "says what an update does: nothing to read back",
        on_aws=True,
    ),
    Loss(
        "AWS::Batch::ComputeEnvironment",
        "ComputeResources.UpdateToLatestImageVersion",
        "a word in the request of an update, which no description repeats",
        on_aws=True,
    ),
    Loss(
        "AWS::Batch::JobDefinition",
        "ResourceRetentionPolicy",
        "says what an update does: nothing to read back",
        on_aws=True,
    ),
    Loss("AWS::CloudWatch::Dashboard", "Tags", "the emulated CloudWatch keeps tags of alarms alone"),
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
        Loss("Custom::VpcRestrictDefaultSG", path, reason, on_aws=True)
        for path, reason in (("ServiceToken", _SERVICE_TOKEN), ("ServiceTimeout", _SERVICE_TIMEOUT))
    ),
)


def covers(loss: Loss, path: str) -> bool:
    """Tell whether a row stands for a path: its own, or one below."""
    return path == loss.path or path.startswith(f"{loss.path}.")


def is_known(resource_type: str, path: str) -> bool:
    """Tell whether some row stands for the path of a resource type."""
    return any(loss.resource_type == resource_type and covers(loss, path) for loss in LOSSES)


def coverage_table() -> str:
    """Return the table of the guide: every resource type that we emit, by service, and how far the local cloud shows it."""
    rows = ["| service | read back equal | what is not shown |", "| --- | --- | --- |"]
    for service, types in groupby(
        sorted(READERS), key=lambda resource_type: resource_type.rpartition("::")[0]
    ):
        equal, lost = [], []
        for resource_type in types:
            name = resource_type.rpartition("::")[2]
            losses = [loss for loss in LOSSES if loss.resource_type == resource_type and not loss.on_aws]
            lost += [f"`{loss.path}` of `{name}`: {loss.reason}" for loss in losses]
            equal += [] if losses else [f"`{name}`"]
        rows.append(f"| `{service}` | {', '.join(equal)} | {'; '.join(lost)} |")
    return "\n".join(rows) + "\n"


def guide_table() -> str:
    """Return what the guide says between the markers; nothing without them."""
    text = GUIDE.read_text("utf-8") if GUIDE.exists() else ""
    return text.partition(BEGIN)[2].partition(END)[0].strip("\n") + "\n"


if __name__ == "__main__":
    print(coverage_table(), end="")
