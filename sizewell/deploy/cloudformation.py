"""The deployed stacks of one account and region: what they are, and updates of what is deployed already."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import boto3
import yaml
from botocore.credentials import CredentialResolver, RefreshableCredentials
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session as BotocoreSession

from sizewell.aws_errors import has_no_login, how_to_log_in
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
    """CloudFormation of an account and region, called in the role that the CDK CLI deploys with.

    Raises CloudFormationError where neither that role nor the caller belongs to ``account``; None is that of the caller.
    """

    where: str
    """Account and region, as people read them beside the name of a stack."""

    def __init__(
        self, account: str | None, region: str | None, role_arn: str | None, profile: str | None
    ) -> None:
        with as_our_error(role_arn or "CloudFormation"):
            caller = boto3.Session(profile_name=profile, region_name=region)
            session = session_of_role(caller, role_arn) if role_arn else caller
            # Needs no permission: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
            identity = session.client("sts").get_caller_identity()
            self._client = session.client("cloudformation")
        self.where = f"{identity['Account']}, {self._client.meta.region_name}"
        if account is not None and identity["Account"] != account:
            refused = f", and that may not assume {role_arn}" if role_arn and session is caller else ""
            raise CloudFormationError(
                f"the stacks are of account {account}, but the credentials of {identity['Arn']} are of account "
                f"{identity['Account']}{refused}. Nothing was changed. Log in to {account}, or name a "
                "profile of it with --profile"
            )

    def read(self, name: str) -> DeployedStack | None:
        """Return a stack; None where there is none, or none that an update could begin from."""
        with as_our_error(name):
            description = self._describe(name)
            if description is None or description["StackStatus"] in _NOT_DEPLOYED:
                return None
            body = self._client.get_template(StackName=name, TemplateStage="Original")["TemplateBody"]
        given = description.get("Parameters", ())
        return DeployedStack(
            name,
            description["StackStatus"],
            template_of(name, body),
            {parameter["ParameterKey"]: parameter["ParameterValue"] for parameter in given},
            description.get("EnableTerminationProtection", False),
        )

    def nested_stack_id(self, name: str, logical_id: str) -> str:
        """Return the id of a stack that is nested in another one."""
        with as_our_error(f"{name}/{logical_id}"):
            found = self._client.describe_stack_resource(StackName=name, LogicalResourceId=logical_id)
        return str(found["StackResourceDetail"]["PhysicalResourceId"])

    def release_failed_creation(self, name: str) -> bool:
        """Let a stack be deleted whose creation was rolled back, so that nothing is left in it; return whether it is one.

        Such a stack can only be deleted, which ``cdk deploy`` does; the protection of production would keep it from that.
        """
        with as_our_error(name):
            description = self._describe(name) or {}
            is_failed = description.get("StackStatus") == "ROLLBACK_COMPLETE"
            if is_failed and description.get("EnableTerminationProtection"):
                self._client.update_termination_protection(StackName=name, EnableTerminationProtection=False)
        return is_failed

    def wait(self, name: str) -> str | None:
        """Wait until nothing goes on in a stack, and return its state; None where there is no such stack."""
        with as_our_error(name):
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
        with as_our_error(stack.name):
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


def template_of(name: str, body: Any) -> dict[str, Any]:
    """Return the template of a stack, as GetTemplate gives it to boto3. Raises CloudFormationError for YAML that is not read."""
    # YAML comes as it is, and JSON as OrderedDicts, which are no plain maps to the template model.
    try:
        found: dict[str, Any] = (
            yaml.safe_load(body) if isinstance(body, str) else json.loads(json.dumps(body))
        )
    except yaml.YAMLError as error:
        raise CloudFormationError(f"{name}: its template is YAML that is not read: {error}") from None
    return found


def session_of_role(caller: Any, role_arn: str) -> Any:
    """Return a session of a role; that of the caller who may not take it, whose own rights are used then, as cdk does.

    The caller may be of another account than the role.

    Credentials of a role last an hour, and the exchange of a fleet can take longer: the session renews them.
    """
    region = caller.region_name
    arn = role_arn.replace("${AWS::Partition}", caller.get_partition_for_region(region))
    sts = caller.client("sts")

    def assume() -> dict[str, str]:
        given = sts.assume_role(RoleArn=arn, RoleSessionName="sizewell-deploy")["Credentials"]
        return {
            "access_key": given["AccessKeyId"],
            "secret_key": given["SecretAccessKey"],
            "token": given["SessionToken"],
            "expiry_time": given["Expiration"].isoformat(),
        }

    try:
        credentials = RefreshableCredentials.create_from_metadata(assume(), assume, _Provider.METHOD)
    except ClientError:
        return caller
    session = BotocoreSession(profile=caller._session.profile)
    session.register_component("credential_provider", CredentialResolver([_Provider(credentials)]))
    return boto3.Session(botocore_session=session, region_name=region)


@dataclass(frozen=True)
class _Provider:
    """A provider of credentials, in botocore's sense, that has some already."""

    METHOD: ClassVar = "assume-role"

    credentials: RefreshableCredentials

    def load(self) -> RefreshableCredentials:
        return self.credentials


@contextmanager
def as_our_error(name: str) -> Iterator[None]:
    """Raise CloudFormationError for what AWS or the way to it says, with the name of what was asked for."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        said = how_to_log_in(error) if has_no_login(error) else f"{name}: {error}"
        raise CloudFormationError(said) from None


Connect = Callable[[AssemblyStack], CloudFormation]
