"""Which VPC endpoints the workloads need, and why each."""

from typing import Any

from sizewell.config.base import ConfigModel
from sizewell.planning.interface_endpoints import plan_interface_endpoints
from tests.planning.builders import container, endpoint, environment, training_job

OPEN = container(network_isolation=False)
OPEN_ENDPOINT = container(network_isolation=False, artifact={"key": "models/plants/model.tar.gz"})
EXISTING = {
    "mode": "existing",
    "vpc_id": "vpc-0123abcd",
    "subnet_ids": ["subnet-0123abcd", "subnet-0123abce"],
}


def planned(network: dict[str, Any] | None = None, **workloads: ConfigModel) -> dict[str, str]:
    """Return the reasons by service."""
    where = environment(workloads, **({"network": network} if network else {}))
    return {one.service: one.reason for one in plan_interface_endpoints(where)}


def test_isolated_containers_call_nothing_and_endpoints_are_called() -> None:
    of_callers = {"sagemaker.runtime": "callers in the VPC invoke the endpoints"}
    assert planned(job=training_job()) == {}
    assert planned(zoo=endpoint(), job=training_job()) == of_callers


def test_containers_without_isolation_reach_what_their_role_allows() -> None:
    assert planned(job=training_job(container=OPEN)) == {
        "kms": "no network isolation: job",
        "logs": "no network isolation: job",
        "monitoring": "no network isolation: job",
    }
    assert planned(
        ant=endpoint(container=OPEN_ENDPOINT), job=training_job(container=OPEN), zoo=endpoint()
    ) == {
        "kms": "no network isolation: job",
        "logs": "no network isolation: ant, job",
        "monitoring": "no network isolation: ant, job",
        "sagemaker.runtime": "callers in the VPC invoke the endpoints",
    }


def test_an_api_is_called_through_an_endpoint_of_its_own() -> None:
    access = {"api_gateway": {"callers": ["arn:aws:iam::111122223333:role/till"]}}
    for network in (None, EXISTING):
        assert planned(network, ant=endpoint(access=access), zoo=endpoint()) == {
            "execute-api": "callers in the VPC call the API of ant",
            "sagemaker.runtime": "callers in the VPC invoke the endpoints",
        }


def test_a_list_of_the_configuration_wins() -> None:
    listed = {"mode": "new", "interface_endpoints": ["sts", "logs"]}
    asked = dict.fromkeys(("sts", "logs"), "the configuration asks for it")
    assert planned(listed, zoo=endpoint(container=OPEN_ENDPOINT)) == asked
    assert planned({"mode": "new", "interface_endpoints": []}, zoo=endpoint()) == {}


def test_a_network_that_exists_is_asked_for_the_same() -> None:
    workloads: dict[str, Any] = {
        "ant": endpoint(container=OPEN_ENDPOINT),
        "job": training_job(container=OPEN),
    }
    assert planned(EXISTING, **workloads) == planned(**workloads)


def test_a_tracking_server_is_reached_through_an_endpoint_of_its_own_and_an_app_has_none() -> None:
    job = training_job(container=OPEN, experiment="churn")
    for kind, reached in (("mlflow-tracking-server", True), ("mlflow-app", False)):
        arn = f"arn:aws:sagemaker:us-east-1:111122223333:{kind}/company"
        found = plan_interface_endpoints(
            environment({"job": job, "other": training_job(container=OPEN)}, existing={"mlflow_arn": arn})
        )
        reasons = {one.service: one.reason for one in found}
        assert (reasons.get("experiments") == "record their runs in MLflow: job") is reached
