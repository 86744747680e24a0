"""The variables by which containers find the proxy, and pass it by."""

from typing import Any

import pytest

from sizewell.planning import PlanError
from sizewell.planning.build import build_plan
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, InterfaceEndpointPlan, NewNetworkPlan
from sizewell.planning.proxy import proxy_variables
from tests.planning.builders import container, endpoint, environment, planned_job, policy, training_job
from tests.planning.test_build_plan import PRICED

URL = "http://proxy.example.com:3128"
NEW = {"mode": "new", "proxy": {"url": URL, "bypass": [".example.com"]}}
EXISTING = {
    "mode": "existing",
    "vpc_id": "vpc-0123abcd",
    "subnet_ids": ["subnet-0123abcd", "subnet-0123abce"],
    "proxy": {"url": URL, "bypass": [".example.com"]},
}
OPEN_ENDPOINT = endpoint(
    container=container(
        network_isolation=False, artifact={"key": "a/model.tar.gz"}, environment={"LOG_LEVEL": "info"}
    )
)
OPEN_JOB = training_job(container=container(network_isolation=False))
LOCAL = "localhost,127.0.0.1,169.254.169.254,169.254.170.2"


def variables(network: dict[str, Any], **changes: Any) -> dict[str, dict[str, str]]:
    """Return the variables of each workload: of an endpoint and a job that call, and of an endpoint that does not."""
    workloads = {"open": OPEN_ENDPOINT, "job": OPEN_JOB, "shut": endpoint()}
    plan = build_plan(environment(workloads, network=network, **changes), PRICED)
    assert plan.foundation.network.proxy_port == 3128
    return {workload.name: workload.environment for workload in plan.workloads}


def test_containers_that_call_find_the_proxy_and_no_other_one() -> None:
    found = variables(EXISTING)
    urls = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), URL)
    hosts = dict.fromkeys(("NO_PROXY", "no_proxy"), f"{LOCAL},.example.com")
    assert found == {"open": {"LOG_LEVEL": "info", **urls, **hosts}, "job": {**urls, **hosts}, "shut": {}}
    assert list(found["open"]) == sorted(found["open"])


def test_a_vpc_of_our_own_reaches_aws_by_its_endpoints() -> None:
    assert variables(NEW)["open"]["NO_PROXY"].split(",") == [
        *LOCAL.split(","),
        "s3.us-east-1.amazonaws.com",
        ".s3.us-east-1.amazonaws.com",
        "s3.amazonaws.com",
        ".s3.amazonaws.com",
        "kms.us-east-1.amazonaws.com",
        "logs.us-east-1.amazonaws.com",
        "monitoring.us-east-1.amazonaws.com",
        "runtime.sagemaker.us-east-1.amazonaws.com",
        ".example.com",
    ]


def test_registries_and_other_services_have_the_names_of_their_endpoints() -> None:
    network = {**NEW, "interface_endpoints": ["ecr.dkr", "bedrock-runtime", "experiments"]}
    hosts = variables(network)["open"]["no_proxy"].split(",")
    assert hosts[8:-1] == [
        ".dkr.ecr.us-east-1.amazonaws.com",
        "bedrock-runtime.us-east-1.amazonaws.com",
        "us-east-1.experiments.sagemaker.aws",
    ]


def test_instances_of_a_job_call_each_other_directly() -> None:
    plan = planned_job(PRICED, OPEN_JOB)
    attempts = tuple(one.model_copy(update={"instance_count": 3}) for one in plan.attempts)
    several = plan.model_copy(update={"attempts": attempts})
    where = environment({"job": OPEN_JOB}, network=EXISTING)
    network = ExistingNetworkPlan(vpc_id="v", subnet_ids=(), interface_endpoints=())
    assert (
        proxy_variables(several, where, network)["NO_PROXY"] == f"{LOCAL},algo-1,algo-2,algo-3,.example.com"
    )


def test_more_hosts_than_sagemaker_takes_are_a_fault() -> None:
    hosts = [f"host-{number:02}.example.com" for number in range(30)]
    network = {**EXISTING, "proxy": {"url": URL, "bypass": hosts}}
    with pytest.raises(PlanError) as raised:
        variables(network)
    (found,) = raised.value.faults
    assert found.key_path == ("network", "proxy", "bypass")
    assert found.reason.startswith("NO_PROXY of job has 649 characters")
    assert "SageMaker takes 512 at most" in found.reason


def test_in_china_services_have_another_domain() -> None:
    china = environment({"job": OPEN_JOB}, network=NEW, policy=policy(region="cn-north-1"))
    logs = InterfaceEndpointPlan(service="logs", reason="")
    network = NewNetworkPlan(cidr="10.0.0.0/16", availability_zones=2, interface_endpoints=(logs,))
    hosts = proxy_variables(planned_job(PRICED, OPEN_JOB), china, network)["NO_PROXY"].split(",")
    domain = "cn-north-1.amazonaws.com.cn"
    assert hosts[4:-1] == [f"s3.{domain}", f".s3.{domain}", f"logs.{domain}"]
