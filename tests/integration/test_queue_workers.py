"""What is deployed for models that answer later is what their worker is told: requests go in, answers and failures come out.

The worker runs as it stands in the manifests and in the task definition, beside a model that does as it is told; no kubelet and
no agent of ECS starts it.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from sizewell.targets.serving.plan_model import QueueWorkerPlan
from tests.integration.harness import Cloud, Deployment, resources_of
from tests.integration.readers.compare import assert_reads_back
from tests.localcloud.processes import PATIENCE_S, until
from tests.synthesis import synthesize
from tests.targets.contract.small_s3 import QuietServer, served


class Model(BaseHTTPRequestHandler):
    """Answers a recording in capitals; of one it always says that it cannot."""

    def do_GET(self) -> None:
        self._answer(200, b"")

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["content-length"]))
        self._answer(500 if asked == b"noise" else 200, asked.upper())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def of_pods(deployed: Deployment) -> tuple[list[str], dict[str, str]]:
    """Return the program of a worker and its variables."""
    folder = deployed.assembly / "manifests" / "main" / "transcribe"
    deployment, configuration = (
        yaml.safe_load((folder / f"{name}.yaml").read_text("utf-8"))
        for name in ("deployment", "configuration")
    )
    (worker,) = deployment["spec"]["template"]["spec"]["containers"]
    _, _, program = worker["command"][-1].rpartition("/")
    told = {variable["name"]: variable["value"] for variable in worker["env"]}
    return ["-c", configuration["data"][program]], told


def of_tasks(deployed: Deployment) -> tuple[list[str], dict[str, str]]:
    """Return the program of a worker and its variables."""
    (arn,) = deployed.client("ecs").list_task_definitions()["taskDefinitionArns"]
    described = deployed.client("ecs").describe_task_definition(taskDefinition=arn)["taskDefinition"]
    (worker,) = (one for one in described["containerDefinitions"] if one["name"] == "worker")
    told = {variable["name"]: variable["value"] for variable in worker["environment"]}
    return ["-c", *worker["command"]], told


@contextmanager
def running(deployed: Deployment, program: list[str], told: dict[str, str], model: str) -> Iterator[Any]:
    """Run a worker beside a model."""
    cloud, queue = deployed.environment["AWS_ENDPOINT_URL"], urlsplit(told["QUEUE_URL"])
    here = {
        "QUEUE_URL": f"{cloud}{queue.path}",
        "MODEL_URL": f"{model}/invocations",
        "PING_URL": f"{model}/ping",
        **{f"AWS_ENDPOINT_URL_{service}": cloud for service in ("S3", "SNS", "SQS")},
    }
    worker = subprocess.Popen([sys.executable, *program], env={**deployed.environment, **told, **here})
    try:
        yield worker
    finally:
        worker.kill()
        worker.wait()


def received(sqs: Any, address: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sqs.receive_message(QueueUrl=address, WaitTimeSeconds=0).get("Messages", [])
    return found


def address_of_dead_letters(deployed: Deployment, stack: str) -> str:
    (logical_id,) = (
        logical_id
        for logical_id, properties in resources_of(deployed.template(stack), "AWS::SQS::Queue")
        if "RedrivePolicy" not in properties
    )
    return deployed.physical_ids(stack)[logical_id]


@pytest.mark.parametrize(
    ("example", "worker"), [("eks-queue-worker", of_pods), ("ecs-queue-worker", of_tasks)]
)
def test_requests_are_answered_or_become_dead_letters(
    example: str, worker: Any, cloud: Cloud, tmp_path: Path
) -> None:
    assembly = tmp_path / "cdk.out"
    synthesize("dev", assembly, config=f"examples/{example}/config")
    deployed = Deployment(cloud=cloud, assembly=assembly, folder=tmp_path)
    deployed.bootstrap()
    deployed.make_clusters()
    deployed.deploy()
    assert_reads_back(deployed)
    (plan,) = deployed.plan.of(QueueWorkerPlan)
    queue, bucket = plan.queue, deployed.plan.foundation.artifact_bucket_name
    s3, sqs = deployed.client("s3"), deployed.client("sqs")

    # A caller does as the guide says.
    address = sqs.get_queue_url(QueueName=queue.name)["QueueUrl"]
    for name, body in (("speech", b"hello"), ("noise", b"noise")):
        s3.put_object(Bucket=bucket, Key=f"{queue.input_prefix}{name}", Body=body)
        request = {"InputLocation": f"s3://{bucket}/{queue.input_prefix}{name}", "InferenceId": name}
        sqs.send_message(QueueUrl=address, MessageBody=json.dumps(request))

    program, told = worker(deployed)
    server, dead = QuietServer(("127.0.0.1", 0), Model), address_of_dead_letters(deployed, plan.stack_name)
    model = f"http://127.0.0.1:{server.server_port}"
    with served(server), running(deployed, program, told, model) as process:
        (letter,) = until(lambda: received(sqs, dead), bool)
        assert json.loads(letter["Body"])["InferenceId"] == "noise"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0

    answer = s3.get_object(Bucket=bucket, Key=f"{queue.output_prefix}speech.out")["Body"].read()
    assert answer == b"HELLO"
    failure = s3.get_object(Bucket=bucket, Key=f"{queue.failure_prefix}noise-error.out")["Body"].read()
    assert b"500" in failure
    assert received(sqs, address) == []
    deployed.destroy()
    assert sqs.list_queues(QueueNamePrefix=queue.name).get("QueueUrls", []) == []
