"""The example of a training, which really trains, and in the same deployment what no example shows: a training that records its
runs, and an endpoint that scales by several metrics.
"""

import io
import json
import shutil
import tarfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell_localcloud.cloud import LocalCloud
from tests.examples.training_script import SCRIPT, Job, csv_rows
from tests.integration.executions import FAST, ended, start
from tests.integration.harness import Admin, Cloud, Deployment, deployed_from
from tests.integration.readers.compare import assert_reads_back
from tests.synthesis import PROJECT_ROOT

#: In place of the script, it leaves everything to the toolkit of SageMaker's own images, which finds the script in the channel.
BY_TOOLKIT = """\
import os, shutil
channel = os.environ["SAGEMAKER_BASE_DIR"] + "/input/data/code"
shutil.copy(channel + "/reference.py", channel + "/train.py")
shutil.rmtree(os.getcwd())
os.chdir("/")
os.execvp("train", ["train"])
"""


SERVER = "arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company"
SCALED = """
kind: real-time-endpoint
model: {preset: resnet-50}
engine: eager
container:
  image: {framework: pytorch, version: "2.6"}
  artifact: {key: models/label-photos/model.tar.gz}
request: {images: 1}
traffic: {peak_requests_per_second: 40, average_requests_per_second: 8}
latency: {max_p95_ms: 400}
scaling:
  max_instances: 6
  track:
    invocations: {}
    concurrency: {target: 8}
    cpu: {target: 60}
    latency: {}
    waiting:
      target: 2
      metrics:
        queue: {namespace: Company/Photos, name: Waiting, statistic: Maximum}
        busy: {namespace: AWS/SageMaker, name: ConcurrentRequestsPerModel, statistic: Maximum}
      expression: queue / busy
  steps:
    slow: {metric: latency, above: 350, add: 1}
    very-slow: {metric: latency, above: 390, add: 3}
"""


@pytest.fixture(scope="module")
def deployed(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("beyond")
    config = shutil.copytree(PROJECT_ROOT / "examples/training-job/config", folder / "config")
    yaml = YAML(typ="safe")
    base, dev = (yaml.load(config / name) for name in ("base.yaml", "dev.yaml"))
    example = base["workloads"]["churn-train"] | dev["workloads"]["churn-train"]
    recorded = {"experiment": "churn", "container": {**example["container"], "network_isolation": False}}
    dev["existing"] = {"mlflow_arn": SERVER}
    del example["schedule"]
    dev["workloads"]["churn-recorded"] = example | recorded
    dev["workloads"]["label-photos"] = yaml.load(SCALED)
    (config / "dev.yaml").write_text(json.dumps(dev), "utf-8")
    with deployed_from(config, "dev", cloud, folder) as found:
        yield found


def job_of(deployed: Deployment, name: str) -> TrainingJobPlan:
    (plan,) = (job for job in deployed.plan.of(TrainingJobPlan) if job.name == name)
    return plan


def test_every_property_reads_back(deployed: Deployment) -> None:
    (endpoint,) = deployed.plan.endpoints
    assert endpoint.scaling is not None
    assert len(endpoint.scaling.policies) == 6
    assert_reads_back(deployed)


def test_each_attempt_says_where_it_runs(deployed: Deployment, admin: Admin) -> None:
    plan = job_of(deployed, "churn-recorded")
    admin.set(time_scale=FAST)
    execution = start(deployed, plan.state_machine_name)
    assert ended(deployed, execution)["status"] == "SUCCEEDED"

    (request,) = (call["request"] for call in admin.calls() if call["operation"] == "CreateTrainingJob")
    environment, first = request["Environment"], plan.attempts[0]
    assert environment["MLFLOW_TRACKING_URI"] == SERVER
    assert environment["MLFLOW_EXPERIMENT_NAME"] == "churn"
    assert json.loads(environment["MLFLOW_TAGS"]) == {
        "execution": execution,
        "instance_type": first.instance_type,
        "instance_count": "1",
        "managed_spot": "true",
        "usd_per_hour_on_demand": f"{first.usd_per_hour:g}",
    }


@pytest.mark.parametrize("by", ["cloud", "toolkit"])
def test_an_interrupted_execution_ends_with_the_model_of_a_calm_run(
    by: str, deployed: Deployment, admin: Admin, cloud: LocalCloud, tmp_path: Path
) -> None:
    if by == "toolkit" and find_spec("sagemaker_training") is None:
        pytest.skip("sagemaker-training is not installed: make training-toolkit")
    plan = job_of(deployed, "churn-train")
    assert plan.code is not None
    # Some seconds of training: it is interrupted long before its end.
    rows, artifacts = csv_rows(5000, 16), tmp_path / "artifacts"
    for key, text in {
        f"{plan.code.prefix}/train.py": BY_TOOLKIT if by == "toolkit" else SCRIPT.read_text(),
        f"{plan.code.prefix}/reference.py": SCRIPT.read_text(),
        f"{plan.channels['training']}/rows.csv": rows,
    }.items():
        (artifacts / key).parent.mkdir(parents=True, exist_ok=True)
        (artifacts / key).write_text(text)
    deployed.upload(artifacts)
    admin.script("training", plan.job_name_prefix, "run", interruptions=2)
    resumed = cloud.log().count("resuming from checkpoint-")

    execution = ended(deployed, start(deployed, plan.state_machine_name))

    assert execution["status"] == "SUCCEEDED", execution.get("cause")
    (request,) = (call["request"] for call in admin.calls() if call["operation"] == "CreateTrainingJob")
    job = deployed.client("sagemaker").describe_training_job(TrainingJobName=request["TrainingJobName"])
    steps = [step["Status"] for step in job["SecondaryStatusTransitions"]]
    assert (steps.count("Interrupted"), steps[-1]) == (2, "Completed")
    assert cloud.log().count("resuming from checkpoint-") == resumed + 2
    assert job["BillableTimeInSeconds"] >= 3
    bucket, _, key = job["ModelArtifacts"]["S3ModelArtifacts"].removeprefix("s3://").partition("/")
    archive = io.BytesIO(deployed.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read())
    with tarfile.open(fileobj=archive) as tar:
        model = tar.extractfile("model.json")
        assert model is not None
        calm = Job.laid_out(tmp_path / "ml", rows, **plan.hyperparameters)
        assert calm.run().returncode == 0
        assert model.read() == calm.model()
