"""The deployed stacks of one account and region: what they are, and updates of what is deployed already."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
import yaml
from botocore.exceptions import BotoCoreError, ClientError

from sizewell.deploy.assembly import AssemblyStack
from sizewell.deploy.autoscaling_steps import DeployedStack

#: What our templates need, and what the CDK CLI gives for every template.
_CAPABILITIES = ("CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND")
_IN_PROGRESS = "_IN_PROGRESS"
#: Stacks in these states have no template that is deployed: the CDK CLI makes them anew.
_NOT_DEPLOYED = (
    "REVIEW_IN_PROGRESS",
    "ROLLBACK_COMPLETE",
    "ROLLBACK_FAILED",
    "CREATE_FAILED",
    "DELETE_COMPLETE",
)
#: States in which CloudFormation takes an update.
UPDATABLE = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE")
POLL_INTERVAL_S = 2.0


class CloudFormationError(Exception):
    """CloudFormation, or the way to it, says no; the text says what, and of which stack."""


class CloudFormation:
    """CloudFormation of an account and region, called in the role that the CDK CLI deploys with."""

    def __init__(self, region: str | None, role_arn: str | None, profile: str | None) -> None:
        with _as_our_error(role_arn or "CloudFormation"):
            session = boto3.Session(profile_name=profile, region_name=region)
            credentials = _assume(session, role_arn)
            self._client = session.client("cloudformation", **credentials)

    def read(self, name: str) -> DeployedStack | None:
        """Return a stack; None where there is none, or none that an update could begin from."""
        with _as_our_error(name):
            description = self._describe(name)
            if description is None or description["StackStatus"] in _NOT_DEPLOYED:
                return None
            body = self._client.get_template(StackName=name, TemplateStage="Original")["TemplateBody"]
        # YAML comes as it is, and JSON as OrderedDicts, which are no plain maps to the template model.
        template = yaml.safe_load(body) if isinstance(body, str) else json.loads(json.dumps(body))
        given = description.get("Parameters", ())
        return DeployedStack(
            name,
            description["StackStatus"],
            template,
            {one["ParameterKey"]: one["ParameterValue"] for one in given},
        )

    def release_failed_creation(self, name: str) -> bool:
        """Let a stack be deleted whose creation was rolled back, so that nothing is left in it; return whether it is one.

        Such a stack can only be deleted, which ``cdk deploy`` does; the protection of production would keep it from that.
        """
        with _as_our_error(name):
            description = self._describe(name) or {}
            is_failed = description.get("StackStatus") == "ROLLBACK_COMPLETE"
            if is_failed and description.get("EnableTerminationProtection"):
                self._client.update_termination_protection(StackName=name, EnableTerminationProtection=False)
        return is_failed

    def wait(self, name: str) -> str | None:
        """Wait until nothing goes on in a stack, and return its state; None where there is no such stack."""
        with _as_our_error(name):
            while (description := self._describe(name)) is not None:
                status: str = description["StackStatus"]
                if not status.endswith(_IN_PROGRESS) or status in _NOT_DEPLOYED:
                    return status
                time.sleep(POLL_INTERVAL_S)
        return None

    def update(
        self, stack: DeployedStack, changes: Mapping[str, str], template: Mapping[str, Any] | None = None
    ) -> str:
        """Update a stack to its own template, or another one, with some parameters changed; return its state at the end.

        All other parameters, tags, topics and the role of CloudFormation stay. Raises CloudFormationError where
        CloudFormation refuses to begin; an update that fails, and rolls back, does not raise.
        """
        kept = [
            {"ParameterKey": name, "UsePreviousValue": True}
            for name in sorted(stack.parameters.keys() - changes.keys())
        ]
        given = [{"ParameterKey": name, "ParameterValue": value} for name, value in sorted(changes.items())]
        body = (
            {"UsePreviousTemplate": True}
            if template is None
            else {"TemplateBody": json.dumps(template, separators=(",", ":"))}
        )
        with _as_our_error(stack.name):
            try:
                self._client.update_stack(
                    StackName=stack.name, Parameters=[*kept, *given], Capabilities=_CAPABILITIES, **body
                )
            except ClientError as error:
                if "No updates are to be performed" not in str(error):
                    raise
        return self.wait(stack.name) or "DELETE_COMPLETE"

    def _describe(self, name: str) -> dict[str, Any] | None:
        try:
            (found,) = self._client.describe_stacks(StackName=name)["Stacks"]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        return dict(found)


def _assume(session: Any, role_arn: str | None) -> dict[str, str]:
    """Return the credentials of a role; none where the caller may not take it, whose own are used then, as cdk does."""
    if role_arn is None:
        return {}
    arn = role_arn.replace("${AWS::Partition}", session.get_partition_for_region(session.region_name))
    try:
        given = session.client("sts").assume_role(RoleArn=arn, RoleSessionName="sizewell-deploy")[
            "Credentials"
        ]
    except ClientError:
        return {}
    return {
        "aws_access_key_id": given["AccessKeyId"],
        "aws_secret_access_key": given["SecretAccessKey"],
        "aws_session_token": given["SessionToken"],
    }


@contextmanager
def _as_our_error(name: str) -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise CloudFormationError(f"{name}: {error}") from None


Connect = Callable[[AssemblyStack], CloudFormation]
