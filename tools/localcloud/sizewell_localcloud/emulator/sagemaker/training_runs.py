"""Training jobs that really run: their script or command, on this machine, in a directory that stands for ``/opt/ml``.

No image is pulled: the command finds the programs of this environment, ``/opt/ml`` in its words, its variables and its
hyperparameters is that directory, and so is ``SAGEMAKER_BASE_DIR``, by which SageMaker's training toolkit finds it. A job
without ``ContainerEntrypoint`` starts its script as that toolkit does, which stands for the entry point of an image. There is one
host, ``localhost``. Files: https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-training-algo-running-container.html
"""

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import boto3  # type: ignore[import-untyped,unused-ignore]
from ministack.core.responses import get_account_id, get_region

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.process import TIED

ML = "/opt/ml"
#: Of Sizewell's contract with a script; minutes, which are scaled as all time is.
INTERVAL = "SIZEWELL_CHECKPOINT_INTERVAL_MINUTES"
#: A job is interrupted when so many files were copied. A checkpoint may be two of them: first it has a temporary name.
COPIES_BEFORE_INTERRUPTION = 3
#: Between two looks at the checkpoints.
LOOK_S = 0.01


class TrainingFailedError(Exception):
    """The job failed; the message is its ``FailureReason``."""


def run(job: store.Record, *, interrupt: bool, stopped: Callable[[], bool]) -> bool:
    """Run the command of a job until its end, or until it is stopped or interrupted; return whether it came to its end.

    The model is uploaded then. An interruption comes when checkpoints were copied, which are there at the next start.
    Raises TrainingFailedError.
    """
    # What was killed may still be writing.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        container = _Container(job, Path(directory))
        container.lay_out()
        if not container.ends(interrupt, stopped):
            return False
        container.upload_model()
        return True


class _Container:
    def __init__(self, job: store.Record, base: Path) -> None:
        self.job, self.base = job, base
        self.checkpoint = job.get("CheckpointConfig") or {}
        self.checkpoints = Path(self.placed(self.checkpoint.get("LocalPath", f"{ML}/checkpoints")))
        self.copied: dict[Path, int] = {}
        """The time of change of each file, as S3 has it."""
        # Our own S3, as any client sees it.
        self.s3 = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{os.environ['GATEWAY_PORT']}",
            region_name=get_region(),
            aws_access_key_id=get_account_id(),
            aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
            aws_session_token=os.environ["AWS_SESSION_TOKEN"],
        )

    def placed(self, text: str) -> str:
        return text.replace(ML, str(self.base))

    def lay_out(self) -> None:
        for name in ("input/config", "input/data", "model", "output/data", "output/intermediate"):
            (self.base / name).mkdir(parents=True)
        channels = {channel["ChannelName"]: channel for channel in self.job.get("InputDataConfig") or []}
        for name, channel in channels.items():
            if (source := channel["DataSource"].get("S3DataSource")) is None:
                raise TrainingFailedError("ClientError: no file system is mounted here: a channel needs S3")
            location = source["S3Uri"]
            if not self.download(location, self.base / "input/data" / name):
                raise TrainingFailedError(
                    f"ClientError: Data download failed: no S3 objects found under {location}"
                )
        mode = self.job["AlgorithmSpecification"]["TrainingInputMode"]
        modes = {
            name: {"TrainingInputMode": channel.get("InputMode", mode)} for name, channel in channels.items()
        }
        hyperparameters = self.job.get("HyperParameters") or {}
        for name, content in {
            "hyperparameters": {key: self.placed(value) for key, value in hyperparameters.items()},
            "inputdataconfig": modes,
            "resourceconfig": {"current_host": "localhost", "hosts": ["localhost"]},
        }.items():
            (self.base / f"input/config/{name}.json").write_text(json.dumps(content), "utf-8")
        self.checkpoints.mkdir(parents=True)
        if self.checkpoint:
            self.download(self.checkpoint["S3Uri"], self.checkpoints)
            self.copied = self.changes()

    def command(self) -> list[str]:
        """Return what the container runs: its entry point, or the script that the training toolkit starts.

        The toolkit copies the directory of ``sagemaker_submit_directory`` to ``/opt/ml/code``, and passes the hyperparameters
        that are not its own as arguments, sorted by name: ``entry_point.py``, ``files.py``, ``mapping.py`` and ``process.py`` of
        https://github.com/aws/sagemaker-training-toolkit, release 5.1.4. Its variables ``SM_*`` are not set.
        """
        algorithm = self.job["AlgorithmSpecification"]
        words = [*algorithm.get("ContainerEntrypoint", ()), *algorithm.get("ContainerArguments", ())]
        if words:
            return [self.placed(word) for word in words]
        given = {key: self.placed(value) for key, value in (self.job.get("HyperParameters") or {}).items()}
        if not {"sagemaker_program", "sagemaker_submit_directory"} <= given.keys():
            raise TrainingFailedError(
                "ClientError: no image is pulled here: a job needs ContainerEntrypoint, or the hyperparameters sagemaker_program "
                "and sagemaker_submit_directory"
            )
        code, program = self.base / "code", given["sagemaker_program"]
        shutil.copytree(given["sagemaker_submit_directory"], code)
        if not (code / program).is_file():
            raise TrainingFailedError(f"AlgorithmError: {program} is not in sagemaker_submit_directory")
        own = sorted((key, value) for key, value in given.items() if not key.startswith("sagemaker_"))
        arguments = [
            word for key, value in own for word in (f"--{key}" if len(key) > 1 else f"-{key}", value)
        ]
        if program.endswith(".sh"):
            (code / program).chmod(0o777)
            return ["/bin/sh", "-c", shlex.join([f"./{program}", *arguments])]
        return ["python3", program, *arguments]

    def ends(self, interrupt: bool, stopped: Callable[[], bool]) -> bool:
        command, pipe = [*TIED, *self.command()], subprocess.PIPE
        code = self.base / "code"
        begun, copies = clock.now(), 0
        with subprocess.Popen(
            command,
            env=self.environment(),
            cwd=code if code.exists() else None,
            stdin=pipe,
            start_new_session=True,
        ) as process:
            assert process.stdin is not None
            try:
                while process.poll() is None:
                    copies += self.sync_checkpoints()
                    if stopped() or (interrupt and copies >= COPIES_BEFORE_INTERRUPTION):
                        return False
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_S)
            finally:
                process.stdin.close()
                self.bill(clock.now() - begun)
        self.sync_checkpoints()
        if process.returncode != 0:
            failure = self.base / "output/failure"
            reason = (
                failure.read_text("utf-8")[:1024].strip()
                if failure.exists()
                else "the script wrote no reason"
            )
            raise TrainingFailedError(f"AlgorithmError: {reason}, exit code: {process.returncode}")
        return True

    def environment(self) -> dict[str, str]:
        given = {key: self.placed(value) for key, value in (self.job.get("Environment") or {}).items()}
        if INTERVAL in given:
            given[INTERVAL] = str(clock.scaled(float(given[INTERVAL])))
        return {
            "PATH": os.environ["PATH"],
            "AWS_REGION": get_region(),
            "TRAINING_JOB_NAME": self.job["TrainingJobName"],
            "TRAINING_JOB_ARN": self.job["TrainingJobArn"],
            "SAGEMAKER_BASE_DIR": str(self.base),
            **given,
        }

    def bill(self, seconds: float) -> None:
        """Count the seconds of this start, in whole seconds and at least one."""
        with store.lock:
            for member in ("TrainingTimeInSeconds", "BillableTimeInSeconds"):
                self.job[member] = self.job.get(member, 0) + max(1, round(seconds))

    def changes(self) -> dict[Path, int]:
        found = {}
        for path in self.checkpoints.rglob("*"):
            with contextlib.suppress(FileNotFoundError):  # it was renamed
                if path.is_file():
                    found[path] = path.stat().st_mtime_ns
        return found

    def sync_checkpoints(self) -> int:
        """Copy what is new or has changed, delete in S3 what was deleted here, and return how many files were copied.

        https://docs.aws.amazon.com/sagemaker/latest/dg/model-checkpoints.html: "If a checkpoint is deleted in the SageMaker
        container, it will also be deleted in the S3 folder". What comes to S3 after the start is not copied here.
        """
        if not self.checkpoint:
            return 0
        found, copies = self.changes(), 0
        for path, time in found.items():
            if self.copied.get(path) == time:
                continue
            with contextlib.suppress(FileNotFoundError):
                self.upload(self.checkpoint_location(path), path.read_bytes())
                self.copied[path] = time
                copies += 1
        for path in self.copied.keys() - found.keys():
            bucket, key = split(self.checkpoint_location(path))
            self.s3.delete_object(Bucket=bucket, Key=key)
            del self.copied[path]
        return copies

    def checkpoint_location(self, path: Path) -> str:
        return f"{self.checkpoint['S3Uri'].rstrip('/')}/{path.relative_to(self.checkpoints).as_posix()}"

    def download(self, location: str, directory: Path) -> bool:
        """Copy all objects under a location, and return whether there are any."""
        bucket, prefix = split(location)
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        keys: list[str] = [found["Key"] for page in pages for found in page.get("Contents", ())]
        for key in keys:
            path = directory / key.removeprefix(prefix).lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.s3.get_object(Bucket=bucket, Key=key)["Body"].read())
        return bool(keys)

    def upload(self, location: str, content: bytes) -> None:
        bucket, key = split(location)
        self.s3.put_object(Bucket=bucket, Key=key, Body=content)

    def upload_model(self) -> None:
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:gz") as tar:
            for path in sorted((self.base / "model").iterdir()):
                tar.add(path, path.name)
        output = self.job["OutputDataConfig"]["S3OutputPath"].rstrip("/")
        location = f"{output}/{self.job['TrainingJobName']}/output/model.tar.gz"
        self.upload(location, archive.getvalue())
        with store.lock:
            self.job["ModelArtifacts"] = {"S3ModelArtifacts": location}


def split(location: str) -> tuple[str, str]:
    """Return the bucket and the key or prefix of an S3 URI."""
    bucket, _, key = location.removeprefix("s3://").partition("/")
    return bucket, key
