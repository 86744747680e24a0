"""State machine, job, interruption, resumption, success: the model is that of a run which nothing interrupts."""

import io
import tarfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from sizewell_localcloud.cloud import LocalCloud
from tests.examples.training_script import SCRIPT, Job, csv_rows
from tests.integration.executions import ended, start
from tests.integration.harness import Admin, Cloud, Deployment, deployed_from

#: In place of the script, it leaves everything to the toolkit of SageMaker's own images, which finds the script in the channel.
BY_TOOLKIT = """\
import os, shutil
channel = os.environ["SAGEMAKER_BASE_DIR"] + "/input/data/code"
shutil.copy(channel + "/reference.py", channel + "/train.py")
shutil.rmtree(os.getcwd())
os.chdir("/")
os.execvp("train", ["train"])
"""


@pytest.fixture(scope="module")
def example(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("training")
    with deployed_from("examples/training-job/config", "dev", cloud, folder) as found:
        yield found


@pytest.mark.parametrize("by", ["cloud", "toolkit"])
def test_an_interrupted_execution_ends_with_the_model_of_a_calm_run(
    by: str, example: Deployment, admin: Admin, cloud: LocalCloud, tmp_path: Path
) -> None:
    if by == "toolkit" and find_spec("sagemaker_training") is None:
        pytest.skip("sagemaker-training is not installed: make training-toolkit")
    (plan,) = example.plan.training_jobs
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
    example.upload(artifacts)
    admin.script("training", plan.job_name_prefix, "run", interruptions=2)
    resumed = cloud.log().count("resuming from checkpoint-")

    execution = ended(example, start(example, plan.state_machine_name))

    assert execution["status"] == "SUCCEEDED", execution
    (request,) = (call["request"] for call in admin.calls() if call["operation"] == "CreateTrainingJob")
    job = example.client("sagemaker").describe_training_job(TrainingJobName=request["TrainingJobName"])
    steps = [step["Status"] for step in job["SecondaryStatusTransitions"]]
    assert (steps.count("Interrupted"), steps[-1]) == (2, "Completed")
    assert cloud.log().count("resuming from checkpoint-") == resumed + 2
    assert job["BillableTimeInSeconds"] >= 3
    bucket, _, key = job["ModelArtifacts"]["S3ModelArtifacts"].removeprefix("s3://").partition("/")
    archive = io.BytesIO(example.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read())
    with tarfile.open(fileobj=archive) as tar:
        model = tar.extractfile("model.json")
        assert model is not None
        calm = Job.laid_out(tmp_path / "ml", rows, **plan.hyperparameters)
        assert calm.run().returncode == 0
        assert model.read() == calm.model()
