"""Functions, who may call them, and how often, as Lambda describes them."""

import io
import json
import urllib.request
import zipfile
from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, picked, present, user_tags
from tests.localcloud.processes import PATIENCE_S


def read_function(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    answer = client("lambda").get_function(FunctionName=physical_id)
    found = answer["Configuration"]
    members = (
        "Architectures",
        "Description",
        "Handler",
        "LoggingConfig",
        "MemorySize",
        "Role",
        "Runtime",
        "Timeout",
    )
    return picked(found, *members) | present(
        Code={"ZipFile": _only_file(answer["Code"]["Location"])},
        Environment=present(**found.get("Environment", {})),
        Tags=user_tags(answer.get("Tags", {})),
    )


def _only_file(location: str) -> str:
    """Return the text of the one module that inline code becomes."""
    with urllib.request.urlopen(location, timeout=PATIENCE_S) as response:
        archive = zipfile.ZipFile(io.BytesIO(response.read()))
    (name,) = (name for name in archive.namelist() if name.endswith(("index.py", "index.js")))
    return archive.read(name).decode()


def read_permission(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    policy = json.loads(client("lambda").get_policy(FunctionName=properties["FunctionName"])["Policy"])
    (found,) = (statement for statement in policy["Statement"] if statement["Sid"] == physical_id)
    condition: dict[str, Any] = found.get("Condition", {})
    return present(
        Action=found["Action"],
        FunctionName=found["Resource"].rpartition(":")[2],
        Principal=found["Principal"].get("Service")
        if isinstance(found["Principal"], dict)
        else found["Principal"],
        SourceArn=condition.get("ArnLike", {}).get("AWS:SourceArn"),
        SourceAccount=condition.get("StringEquals", {}).get("AWS:SourceAccount"),
    )


def read_event_invoke_config(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    asked = {"FunctionName": properties["FunctionName"], "Qualifier": properties["Qualifier"]}
    found = client("lambda").get_function_event_invoke_config(**asked)
    _, _, name, qualifier = found["FunctionArn"].rsplit(":", 3)
    return picked(found, "MaximumEventAgeInSeconds", "MaximumRetryAttempts") | {
        "FunctionName": name,
        "Qualifier": qualifier,
    }
