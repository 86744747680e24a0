"""Functions, as Lambda describes them."""

import io
import urllib.request
import zipfile

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
