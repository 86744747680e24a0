"""Step Functions of a region, which judges definitions of state machines and creates none."""

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from sizewell.aws_errors import has_no_login
from sizewell.deploy.cloudformation import as_our_error
from sizewell.deploy.state_machines import Answer


class NotValidatedError(Exception):
    """This command did not ask Step Functions, or may not: the text says why."""


class StepFunctions:
    """Asked with the rights of the caller, who needs ``states:ValidateStateMachineDefinition``.

    The role that the CDK CLI deploys with has no such right: ``DeploymentActionRole`` of the bootstrap template,
    https://github.com/aws/aws-cdk-cli, ``packages/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml``.
    """

    def __init__(self, region: str | None, profile: str | None) -> None:
        with as_our_error("Step Functions"):
            session = boto3.Session(profile_name=profile, region_name=region)
            # A network that lets no call of Step Functions through must not keep people waiting.
            self._client = session.client("stepfunctions", config=Config(connect_timeout=10))

    def faults(self, definition: str, kind: str) -> Answer:
        """Return what is wrong with a definition. Raises NotValidatedError, or CloudFormationError without credentials.

        Only ``result`` counts, says the API; the faults are its words for people.
        """
        with as_our_error("Step Functions"):
            try:
                answer = self._client.validate_state_machine_definition(definition=definition, type=kind)
            except (BotoCoreError, ClientError) as error:
                if has_no_login(error):
                    raise
                raise NotValidatedError(str(error)) from None
        if answer["result"] == "OK":
            return ()
        unnamed = {"code": answer["result"], "message": "it gives no reason"}
        return answer["diagnostics"] or (unnamed,)
