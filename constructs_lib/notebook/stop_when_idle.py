"""Stop a notebook instance when nobody has worked with it for some minutes: what its lifecycle configuration starts.

It runs on the instance as root, as a service of systemd, on Python 3.8 or newer, and imports nothing of Sizewell. Jupyter says
when its kernels and terminals did something last. A kernel that computes is at work. Whoever does not answer is idle: a watch
that sees nothing stops the instance rather than let it run.
"""

from __future__ import annotations  # Python 3.8 has no Iterable[Any]

import json
import ssl
import sys
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen

#: https://docs.aws.amazon.com/sagemaker/latest/dg/nbi-metadata.html
METADATA = "/opt/ml/metadata/resource-metadata.json"
#: Jupyter on a notebook instance; its certificate is one of the instance's own.
JUPYTER = "https://localhost:8443/api/"
SECONDS_BETWEEN_LOOKS = 60


def last_work(things: Iterable[Any], now: float) -> float:
    """Return when kernels or terminals last did something, in seconds since 1970; 0 where there are none."""
    times = [0.0]
    for thing in things:
        busy = thing.get("execution_state") == "busy"
        times.append(
            now if busy else datetime.fromisoformat(thing["last_activity"].replace("Z", "+00:00")).timestamp()
        )
    return max(times)


def watch(minutes: float, jupyter: str = JUPYTER, pause_s: float = SECONDS_BETWEEN_LOOKS) -> None:
    """Return when nothing has worked for so many minutes, at the earliest that long after the start."""
    context = ssl._create_unverified_context() if jupyter.startswith("https") else None
    latest = time.time()
    while time.time() - latest < minutes * 60:
        time.sleep(pause_s)
        for what in ("kernels", "terminals"):
            try:
                with urlopen(jupyter + what, timeout=30, context=context) as answer:
                    latest = max(latest, last_work(json.load(answer), time.time()))
            except (OSError, ValueError, KeyError) as error:
                print(f"{what}: {error}", flush=True)


def stop() -> None:
    """Ask SageMaker to stop this instance; the systemd service starts again where it does not."""
    import boto3

    metadata = json.loads(Path(METADATA).read_text("utf-8"))
    region = metadata["ResourceArn"].split(":")[3]
    client = boto3.client("sagemaker", region_name=region)
    client.stop_notebook_instance(NotebookInstanceName=metadata["ResourceName"])


if __name__ == "__main__":
    watch(float(sys.argv[1]))
    stop()
