"""Programs of the contract as processes of their own."""

import subprocess
import sys
from collections.abc import Mapping

from tests.localcloud.processes import PATIENCE_S
from tests.targets.contract.small_s3 import REGION, STATIC

#: Without site-packages, and with warnings as errors.
ISOLATED = (sys.executable, "-I", "-S", "-W", "error", "-c")


def told_of(s3: str) -> dict[str, str]:
    """Return the variables by which a program finds the small S3 and its credentials."""
    return {
        "AWS_REGION": REGION,
        "AWS_ENDPOINT_URL_S3": s3,
        "AWS_ACCESS_KEY_ID": STATIC.access_key,
        "AWS_SECRET_ACCESS_KEY": STATIC.secret_key,
    }


def with_limits(text: str, limits: Mapping[str, str]) -> str:
    """Return a program with other limits, each of which it states once."""
    for stated, now in limits.items():
        assert text.count(stated) == 1
        text = text.replace(stated, now)
    return text


def opened(command: list[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return the exit code of a process, and what it printed."""
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err
