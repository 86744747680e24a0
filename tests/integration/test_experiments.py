"""A training that records its runs, executed: what each attempt is told of itself."""

import json
import shutil
from pathlib import Path

from ruamel.yaml import YAML

from tests.integration.executions import FAST, ended, start
from tests.integration.harness import Admin, Cloud, deployed_from
from tests.synthesis import PROJECT_ROOT

SERVER = "arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company"


def test_each_attempt_tells_where_it_runs(cloud: Cloud, admin: Admin, tmp_path: Path) -> None:
    configuration = tmp_path / "config"
    shutil.copytree(PROJECT_ROOT / "examples/training-job/config", configuration)
    dev = YAML(typ="safe").load(configuration / "dev.yaml")
    dev["existing"] = {"mlflow_arn": SERVER}
    job = {"experiment": "churn", "container": {"network_isolation": False}}
    dev["workloads"]["churn-train"] |= job
    (configuration / "dev.yaml").write_text(json.dumps(dev), "utf-8")
    with deployed_from(configuration, "dev", cloud, tmp_path) as deployed:
        (plan,) = deployed.plan.training_jobs
        admin.set(time_scale=FAST)
        execution = start(deployed, plan.state_machine_name)
        assert ended(deployed, execution)["status"] == "SUCCEEDED"

        (request,) = [one["request"] for one in admin.calls() if one["operation"] == "CreateTrainingJob"]
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
