"""The program of a job of AWS Batch: it loads the model, starts the server of the image, and transforms the share of its job."""

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from constructs_lib.clusters.batch_job import START
from sizewell.targets.contract import packed, program
from sizewell_localcloud.process import free_port
from tests.localcloud.processes import PATIENCE_S
from tests.targets.contract.small_s3 import BUCKET, REGION, STATIC, Store, small_s3

#: A server that puts what the model says before each row.
SERVE = """\
#!{python}
import http.server, os, sys, time
if "SIZEWELL_TRANSFORM" in os.environ:
    sys.exit("the server has what is ours")
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def do_GET(self):
        self.reply(b"")
    def do_POST(self):
        rows = self.rfile.read(int(self.headers["content-length"])).splitlines(keepends=True)
        if b"die\\n" in rows:
            os._exit(3)
        word = open("{model}/word", "rb").read()
        self.reply(b"".join(word + row for row in rows))
    def reply(self, body):
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", {port}), Handler).serve_forever()
"""


class Job:
    """One container of an array of two jobs."""

    def __init__(self, store: Store, endpoint: str, folder: Path) -> None:
        self.store, self.programs, port = store, folder / "bin", free_port()
        self.programs.mkdir()
        serve = self.programs / "serve"
        serve.write_text(SERVE.format(python=sys.executable, model=folder / "model", port=port))
        serve.chmod(0o755)
        address = f"http://127.0.0.1:{port}"
        self.settings = {
            "ACCEPT": "",
            "ANSWER_TIMEOUT_S": "60",
            "COMPRESSION": "none",
            "CONTENT_TYPE": "text/csv",
            "DATA_URI": f"s3://{BUCKET}/rows/",
            "MAX_CONCURRENCY": "4",
            "MAX_PAYLOAD_MB": "1",
            "MODEL_COMPRESSION": "gzip",
            "MODEL_DIRECTORY": str(folder / "model"),
            "MODEL_URI": f"s3://{BUCKET}/models/model.tar.gz",
            "MODEL_URL": f"{address}/invocations",
            "OUTPUT_URI": f"s3://{BUCKET}/scores/",
            "PING_URL": f"{address}/ping",
            "RETRIES": "0",
            "SHARDS": "2",
            "SPLIT": "line",
            "STARTUP_S": "30",
            "STRATEGY": "multi-record",
        }
        self.environment = {
            "AWS_ACCESS_KEY_ID": STATIC.access_key,
            "AWS_BATCH_JOB_ARRAY_INDEX": "1",
            "AWS_ENDPOINT_URL_S3": endpoint,
            "AWS_REGION": REGION,
            "AWS_SECRET_ACCESS_KEY": STATIC.secret_key,
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "RUN_NAME": "today",
        }

    def run(self, *command: str) -> tuple[int, str]:
        """Return its exit code, and what it says of its failure. As with a container, its end is that of the server."""
        process = subprocess.Popen(
            command or [sys.executable, "-c", packed("transform_with_model")],
            env={**self.environment, "SIZEWELL_TRANSFORM": json.dumps(self.settings)},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE_S)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return code, process.communicate()[1]


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with small_s3() as (store, endpoint):
        artifact = io.BytesIO()
        with tarfile.open(fileobj=artifact, mode="w:gz") as archive:
            member = tarfile.TarInfo("word")
            member.size = 3
            archive.addfile(member, io.BytesIO(b"is "))
        store.objects["models/model.tar.gz"] = artifact.getvalue()
        yield Job(store, endpoint, tmp_path)


def test_a_job_transforms_its_share_with_the_model_into_the_folder_of_the_run(job: Job) -> None:
    job.store.objects |= {"rows/a": b"1\n", "rows/b": b"2\n3\n", "rows/c": b"4\n", "rows/d": b"5\n"}
    assert job.run() == (0, "")
    assert job.store.under("scores/today/") == {"b.out": b"is 2\nis 3\n", "d.out": b"is 5\n"}


def test_a_server_that_ends_is_the_end_of_the_job(job: Job) -> None:
    job.store.objects |= {"rows/a": b"1\n", "rows/b": b"die\n"}
    job.settings["RETRIES"] = "1000"
    assert job.run() == (1, "The model server ended with 3.\n")


def test_an_image_without_a_server_is_named(job: Job) -> None:
    (job.programs / "serve").unlink()
    job.settings |= {"SHARDS": "1"}
    code, said = job.run()
    assert code == 1
    assert said.startswith("The image has no program serve that can start (No such file or directory)")


def test_a_model_in_the_image_is_not_loaded(job: Job) -> None:
    job.store.objects |= {"rows/a": b"1\n", "rows/b": b"2\n"}
    folder = Path(job.settings["MODEL_DIRECTORY"])
    folder.mkdir()
    (folder / "word").write_bytes(b"of the image ")
    del job.settings["MODEL_URI"]
    job.environment["MODEL_URI"] = "of the server, whatever it is"
    assert job.run() == (0, "")
    assert job.store.under("scores/today/") == {"b.out": b"of the image 2\n"}


#: As that of AWS's images: https://github.com/aws/sagemaker-pytorch-inference-toolkit, docker/build_artifacts.
ENTRY_POINT = """\
import os, shlex, subprocess, sys
if sys.argv[1] == "serve":
    os.execv(sys.executable, [sys.executable, "{serve}"])
subprocess.check_call(shlex.split(" ".join(sys.argv[1:])))
subprocess.call(["tail", "-f", "/dev/null"])
"""


def test_an_entry_point_starts_the_server_and_is_ended_where_it_waits_after_its_command(job: Job) -> None:
    job.store.objects |= {"rows/a": b"1\n", "rows/b": b"2\n"}
    hidden = job.programs.parent / "not-in-path.py"
    (job.programs / "serve").rename(hidden)
    entry_point = job.programs.parent / "entry-point.py"
    entry_point.write_text(ENTRY_POINT.format(serve=hidden))
    # In a container, the entry point is process 1.
    text = program("transform_with_model").replace("os.getppid()) == 1", "os.getppid()) > 1")
    assert "os.getppid()) > 1" in text
    job.environment["SIZEWELL_PROGRAM"] = text
    assert job.run(sys.executable, str(entry_point), "python3", "-c", START) == (0, "")
    assert job.store.under("scores/today/") == {"b.out": b"is 2\n"}
