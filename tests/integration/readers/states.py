"""State machines, as Step Functions describes them."""

import json
from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, capitalized, present, user_tags


def read_state_machine(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("stepfunctions")
    found = api.describe_state_machine(stateMachineArn=physical_id)
    return present(
        StateMachineName=found["name"],
        StateMachineType=found["type"],
        RoleArn=found["roleArn"],
        DefinitionString=json.loads(found["definition"]),
        LoggingConfiguration=_logging(found.get("loggingConfiguration", {})),
        TracingConfiguration=capitalized(found.get("tracingConfiguration", {})),
        EncryptionConfiguration=capitalized(found.get("encryptionConfiguration", {})),
        Tags=user_tags(api.list_tags_for_resource(resourceArn=physical_id)["tags"]),
    )


def _logging(found: dict[str, Any]) -> Properties:
    configuration = capitalized(found)
    # A machine that was never told to log says OFF, or nothing.
    return {} if configuration.get("Level", "OFF") == "OFF" else configuration
