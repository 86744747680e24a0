"""A training that records its runs, executed: what each attempt is told of itself."""

import json
import shutil
from pathlib import Path

from ruamel.yaml import YAML

from tests.integration.harness import Admin, Cloud, Deployment
from tests.localcloud.processes import until
from tests.synthesis import PROJECT_ROOT, synthesize

SERVER = "arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company"
#: A job ends within 20 ms.
FAST = 0.00005


def test_each_attempt_tells_where_it_runs(cloud: Cloud, admin: Admin, tmp_path: Path) -> None:
    configuration = tmp_path / "config"
    shutil.copytree(PROJECT_ROOT / "examples/training-job/config", configuration)
    dev = YAML(typ="safe").load(configuration / "dev.yaml")
    dev["existing"] = {"mlflow_arn": SERVER}
    job = {"experiment": "churn", "container": {"network_isolation": False}}
    dev["workloads"]["churn-train"] |= job
    (configuration / "dev.yaml").write_text(json.dumps(dev), "utf-8")
    synthesize("dev", tmp_path / "cdk.out", config=str(configuration))
    deployed = Deployment(cloud=cloud, assembly=tmp_path / "cdk.out", folder=tmp_path)
    deployed.bootstrap()
    deployed.deploy()
    (plan,) = deployed.plan.training_jobs
    machine = f"arn:aws:states:{deployed.plan.region}:{deployed.plan.account}:stateMachine:{plan.state_machine_name}"
    admin.set(time_scale=FAST)

    client = deployed.client("stepfunctions")
    started = client.start_execution(stateMachineArn=machine)["executionArn"]
    ended = until(
        lambda: client.describe_execution(executionArn=started), lambda e: bool(e["status"] != "RUNNING")
    )
    assert ended["status"] == "SUCCEEDED", ended

    (request,) = [one["request"] for one in admin.calls() if one["operation"] == "CreateTrainingJob"]
    environment, first = request["Environment"], plan.attempts[0]
    assert environment["MLFLOW_TRACKING_URI"] == SERVER
    assert environment["MLFLOW_EXPERIMENT_NAME"] == "churn"
    assert json.loads(environment["MLFLOW_TAGS"]) == {
        "execution": started,
        "instance_type": first.instance_type,
        "instance_count": "1",
        "managed_spot": "true",
        "usd_per_hour_on_demand": f"{first.usd_per_hour:g}",
    }
    deployed.destroy()
