"""Experiments: there is an MLflow, the container reaches it, and nobody else sets its variables."""

from collections.abc import Callable
from typing import Any

import pytest

from sizewell.config.rules import check_rules
from tests.planning.builders import container, environment, training_job

SERVER = "arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company"
APP = "arn:aws:sagemaker:us-east-1:444455556666:mlflow-app/app-0A1B"
EXISTING = {
    "mode": "existing",
    "vpc_id": "vpc-0123abcd",
    "subnet_ids": ["subnet-0123abcd", "subnet-0123abce"],
}
NEW = {"mode": "new"}
OPEN = {"network_isolation": False}


def faults(job: dict[str, Any] | None = None, **stated: Any) -> dict[str, str]:
    """Return what is wrong with an environment of one job that records its runs, by the path of the key."""
    changes = {"experiment": "churn", "container": container(**OPEN), **(job or {})}
    found = check_rules(environment({"train": training_job(**changes)}, **stated))
    return {".".join(path): reason for path, reason in found if "images" not in path}


@pytest.mark.parametrize(
    "stated",
    [
        {"mlflow_app": True, "network": EXISTING},
        {"mlflow_app": True, "network": {**NEW, "proxy": {"url": "http://proxy.example.com:3128"}}},
        {"existing": {"mlflow_arn": APP}, "network": EXISTING},
        {"existing": {"mlflow_arn": SERVER}, "network": NEW},
    ],
)
def test_an_mlflow_that_is_reached(stated: dict[str, Any]) -> None:
    assert faults(**stated) == {}


def test_an_app_that_nobody_calls_from_the_vpc_needs_no_way_out() -> None:
    assert faults({"experiment": None, "container": container()}, mlflow_app=True, network=NEW) == {}


@pytest.mark.parametrize(
    ("stated", "job", "key", "reason"),
    [
        (
            {},
            {},
            "workloads.train.experiment",
            "there is no MLflow to record runs in; write mlflow_app: true",
        ),
        (
            {"mlflow_app": True, "network": EXISTING},
            {"container": container()},
            "workloads.train.experiment",
            "a container with network isolation calls nothing, so it cannot record its runs; write "
            "container.network_isolation: false",
        ),
        ({"mlflow_app": True, "network": NEW}, {}, "mlflow_app", "called over the internet"),
        (
            {"existing": {"mlflow_arn": APP}, "network": NEW},
            {},
            "existing.mlflow_arn",
            "name a tracking server",
        ),
        (
            {"mlflow_app": True, "existing": {"mlflow_arn": SERVER}, "network": EXISTING},
            {},
            "mlflow_app",
            "remove one of the two",
        ),
        (
            {"existing": {"mlflow_arn": SERVER.replace("us-east-1", "eu-west-1")}},
            {},
            "existing.mlflow_arn",
            "the MLflow is in the region eu-west-1, but this environment is in us-east-1",
        ),
        (
            {"existing": {"mlflow_arn": SERVER}},
            {"container": container(**OPEN, environment={"MLFLOW_TAGS": "{}"})},
            "workloads.train.container.environment.MLFLOW_TAGS",
            "the variable is set for you, by experiment; remove it here",
        ),
    ],
)
def test_what_cannot_record_is_refused(
    stated: dict[str, Any], job: dict[str, Any], key: str, reason: str
) -> None:
    found = faults(job, **stated)
    assert list(found) == [key]
    assert reason in found[key]


def test_a_region_without_apps_is_refused_at_its_line(message_for: Callable[[str], str]) -> None:
    message = message_for("policy: {region: eu-south-1}\nmlflow_app: true\n")
    assert message.endswith(
        "\nconfig/dev.yaml:2  mlflow_app\n"
        "  CloudFormation makes no MLflow App in eu-south-1; name an MLflow of the region in existing.mlflow_arn"
    )
