"""Transform objects with a model in one container, for AWS Batch: load the model, start its server, and send it the objects.

Batch runs jobs of several containers, but Step Functions cannot start them: it overrides a container, which Batch then refuses
(https://repost.aws/questions/QUYUtrKcPGRf-Rj1m1dXJH1Q).

SIZEWELL_TRANSFORM is a JSON object: what ``transform_objects`` is told and, as for ``load_model``, MODEL_DIRECTORY,
MODEL_COMPRESSION and, where there is a model to load, MODEL_URI. The answers come to the folder RUN_NAME below OUTPUT_URI. The
server is what ``serve`` starts in the image, by its entry point where it has one; the end of the container is its end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

from sizewell.targets.contract.aws_client import ProgramError, reason, require
from sizewell.targets.contract.load_model import load
from sizewell.targets.contract.transform_objects import transform_objects

#: How entry points wait, so that a container goes on after any command, and for how long they are looked at.
WAITS, LOOKS_S = b"tail\0-f\0/dev/null\0", 60


def entry_point_of(process: int) -> list[str]:
    """Return the words of a process before its last three, which are the command that runs this program: python3 -c TEXT."""
    words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[:-1]
    return [os.fsdecode(word) for word in words[:-3]]


def end_container(entry_point: int) -> None:
    """End the ``tail`` which the entry points of AWS's images start when a command has succeeded: it would run forever.

    https://github.com/aws/sagemaker-pytorch-inference-toolkit, docker/build_artifacts; a process of its own outlives the command.
    """
    program = os.getpid()
    if os.fork():
        return
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    while os.getppid() == program:
        time.sleep(1)
    for _ in range(LOOKS_S):
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                # "PID (NAME) STATE PARENT ...": https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == entry_point and (process / "cmdline").read_bytes() == WAITS:
                    os.kill(int(process.name), signal.SIGKILL)
                    os._exit(0)
        time.sleep(1)
    os._exit(0)


def watch(server: subprocess.Popen[bytes]) -> None:
    """End with the server: without it, nothing is answered."""
    code = server.wait()
    print(f"The model server ended with {code}.", file=sys.stderr, flush=True)
    os._exit(1)


def serve(entry_point: list[str]) -> None:
    """Start the server as SageMaker does: with ``serve`` for the entry point, or else as a program."""
    try:
        server = subprocess.Popen([*entry_point, "serve"])
    except OSError as error:
        raise ProgramError(
            f"The image has no program serve that can start ({error.strerror}): SageMaker starts it, too."
        ) from error
    Thread(target=watch, args=(server,), daemon=True).start()


def transform_with_model(entry_point: list[str]) -> None:
    """Transform the objects of this job of an array."""
    require("AWS_REGION RUN_NAME SIZEWELL_TRANSFORM")
    settings = json.loads(os.environ.pop("SIZEWELL_TRANSFORM"))
    settings["OUTPUT_URI"] += f"{os.environ['RUN_NAME']}/"
    if "MODEL_URI" in settings:
        load(settings["MODEL_URI"], settings["MODEL_COMPRESSION"], Path(settings["MODEL_DIRECTORY"]))
    serve(entry_point)
    transform_objects({**os.environ, **settings})


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    os.umask(0o022)
    before: list[str] = []
    if (parent := os.getppid()) == 1:  # the first process of the container
        before = entry_point_of(parent)
        end_container(parent)
    try:
        transform_with_model(before)
    except Exception as failure:
        print(reason(failure, "/opt/ml/model", "The transform failed"), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)
