"""Functions, versions and aliases, as Lambda describes them."""

import io
import urllib.request
import zipfile
from contextlib import suppress

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
    of_package = (
        _of_image(client, answer)
        if found["PackageType"] == "Image"
        else {"Code": {"ZipFile": _only_file(answer["Code"]["Location"])}}
    )
    return picked(found, *members) | present(
        **of_package,
        Environment=present(**found.get("Environment", {})),
        KmsKeyArn=found.get("KMSKeyArn"),
        VpcConfig=picked(found.get("VpcConfig", {}), "SecurityGroupIds", "SubnetIds"),
        Tags=user_tags(answer.get("Tags", {})),
    )


def read_version(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    found = client("lambda").get_function_configuration(FunctionName=physical_id)
    assert found["Version"] == physical_id.rpartition(":")[2]
    return picked(found, "FunctionName")


def read_alias(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api, (name, alias) = client("lambda"), physical_id.split(":")[-2:]
    found = api.get_alias(FunctionName=name, Name=alias)
    warm: Properties = {}
    with suppress(api.exceptions.ProvisionedConcurrencyConfigNotFoundException):
        config = api.get_provisioned_concurrency_config(FunctionName=name, Qualifier=alias)
        warm["ProvisionedConcurrentExecutions"] = config["RequestedProvisionedConcurrentExecutions"]
    return picked(found, "Name", "FunctionVersion") | present(
        FunctionName=name, ProvisionedConcurrencyConfig=warm
    )


def _of_image(client: ClientFactory, answer: Properties) -> Properties:
    name = answer["Configuration"]["FunctionName"]
    reserved = client("lambda").get_function_concurrency(FunctionName=name)
    return {
        "Code": picked(answer["Code"], "ImageUri"),
        **picked(answer["Configuration"], "EphemeralStorage", "FunctionName", "PackageType"),
        **picked(reserved, "ReservedConcurrentExecutions"),
    }


def _only_file(location: str) -> str:
    """Return the text of the one module that inline code becomes."""
    with urllib.request.urlopen(location, timeout=PATIENCE_S) as response:
        archive = zipfile.ZipFile(io.BytesIO(response.read()))
    (name,) = (name for name in archive.namelist() if name.endswith(("index.py", "index.js")))
    return archive.read(name).decode()
