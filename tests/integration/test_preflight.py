"""Before and after a deployment, what would stop it is found in the account, and nothing else."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ruamel.yaml import YAML

from sizewell.account.before.checks import CHECKS
from sizewell.account.before.images import IN_ECR
from sizewell.account.finding import Outcome
from sizewell.cli.account_command import ask_accounts
from tests.integration.harness import Admin, Cloud, Deployment
from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT, synthesize

#: One that no other test deploys to.
ACCOUNT, REGION = "888899990000", "us-east-1"
BOOTSTRAP = "/cdk-bootstrap/hnb659fds/version"
EXECUTION_ROLE = f"cdk-hnb659fds-cfn-exec-role-{ACCOUNT}-{REGION}"
ENDPOINT_QUOTA = "Number of instances across active endpoints"
MANIFEST = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": {"digest": f"sha256:{'0' * 64}", "size": 100},
    "layers": [{"digest": f"sha256:{'1' * 64}", "size": 1_000_000_000}],
}
Outcomes = dict[tuple[str, str], Outcome]
"""By check and subject."""
Ask = Callable[[], Outcomes]


@pytest.fixture(scope="module")
def company(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """An account with a VPC, and an endpoint and a training in its configuration; nothing is deployed."""
    folder = tmp_path_factory.mktemp("company")
    shutil.copytree(PROJECT_ROOT / "config", folder / "config")
    dev: dict[str, Any] = YAML(typ="safe").load(folder / "config" / "dev.yaml")
    dev["policy"]["account"] = ACCOUNT
    for name in ("assistant", "support-bert", "assistant-tune"):
        dev["workloads"][name] = None
    (folder / "config" / "dev.yaml").write_text(json.dumps(dev), "utf-8")
    synthesize("dev", folder / "first", config=str(folder / "config"))
    first = Deployment(cloud=cloud, assembly=folder / "first", folder=folder)
    vpc_id, subnet_ids = made_network(first.client("ec2"))
    dev["network"] = {
        **dict.fromkeys(("cidr", "availability_zones")),
        "mode": "existing",
        "vpc_id": vpc_id,
        "subnet_ids": subnet_ids,
    }
    dev["existing"] = {
        "data_key_arn": first.client("kms").create_key()["KeyMetadata"]["Arn"],
        "alarm_topic_arn": first.client("sns").create_topic(Name="company-alarms")["TopicArn"],
    }
    (folder / "config" / "dev.yaml").write_text(json.dumps(dev), "utf-8")
    synthesize("dev", folder / "cdk.out", config=str(folder / "config"))
    return Deployment(cloud=cloud, assembly=folder / "cdk.out", folder=folder)


def made_network(ec2: Any) -> tuple[str, list[str]]:
    """Make a VPC with two subnets and the endpoints that the plan needs."""
    vpc_id = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc_id, EnableDnsHostnames={"Value": True})
    subnet_ids = [
        ec2.create_subnet(VpcId=vpc_id, CidrBlock=f"10.8.{n}.0/24", AvailabilityZone=f"{REGION}{zone}")[
            "Subnet"
        ]["SubnetId"]
        for n, zone in enumerate("ab")
    ]
    group = ec2.create_security_group(VpcId=vpc_id, GroupName="endpoints", Description="endpoints")["GroupId"]
    name = f"com.amazonaws.{REGION}"
    ec2.create_vpc_endpoint(VpcId=vpc_id, ServiceName=f"{name}.s3", VpcEndpointType="Gateway")
    ec2.create_vpc_endpoint(
        VpcId=vpc_id,
        ServiceName=f"{name}.sagemaker.runtime",
        VpcEndpointType="Interface",
        PrivateDnsEnabled=True,
        SubnetIds=subnet_ids,
        SecurityGroupIds=[group],
    )
    return vpc_id, subnet_ids


@pytest.fixture
def ask(company: Deployment, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask as the command does, in this process: a test asks several times."""
    for name, value in company.environment.items():
        monkeypatch.setenv(name, value)

    def outcomes() -> Outcomes:
        found = ask_accounts(company.folder / "config", "dev", None, CHECKS)
        return {(finding.check, finding.subject): finding.outcome for finding in found}

    return outcomes


@pytest.fixture(scope="module")
def deployed(company: Deployment) -> Deployment:
    """The same account with images, models, data, and all that the plan has."""
    for uri in images(company):
        put_image(company, uri)
    company.bootstrap()
    foundation = company.plan.foundation
    company.deploy(foundation.stack_name)
    for key in ("models/plant-id/model.tar.gz", "datasets/plants/1", "code/plant-id-train/launch.sh"):
        company.client("s3").put_object(Bucket=foundation.artifact_bucket_name, Key=key, Body=b"anything")
    company.deploy()
    return company


def images(company: Deployment) -> tuple[str, ...]:
    found = (image.uri for workload in company.plan.workloads for image in workload.images)
    return tuple(dict.fromkeys(found))


def put_image(company: Deployment, uri: str) -> None:
    ecr, found = company.client("ecr"), IN_ECR.fullmatch(uri)
    assert found is not None
    if found["repository"] not in [
        one["repositoryName"] for one in ecr.describe_repositories()["repositories"]
    ]:
        ecr.create_repository(repositoryName=found["repository"])
    ecr.put_image(
        repositoryName=found["repository"], imageTag=found["tag"], imageManifest=json.dumps(MANIFEST)
    )


def wrong(outcomes: Outcomes) -> Outcomes:
    return {subject: outcome for subject, outcome in outcomes.items() if outcome is not Outcome.PASS}


def test_an_account_without_anything_lacks_what_it_lacks(company: Deployment, ask: Ask) -> None:
    foundation = company.plan.foundation
    assert wrong(ask()) == {
        ("bootstrap", BOOTSTRAP): Outcome.FAIL,
        ("permissions", EXECUTION_ROLE): Outcome.WARN,
        **{("images", uri): Outcome.FAIL for uri in images(company)},
        ("artifacts", f"s3://{foundation.artifact_bucket_name}"): Outcome.WARN,
    }


def test_what_is_deployed_has_nothing_wrong(deployed: Deployment) -> None:
    told = subprocess.run(
        [
            *(sys.executable, "-m", "sizewell.cli.main", "preflight", "--env", "dev"),
            *("--config", str(deployed.folder / "config"), "--json"),
        ],
        cwd=PROJECT_ROOT,
        env=deployed.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert told.returncode == 0, told.stdout + told.stderr
    found = json.loads(told.stdout)["findings"]
    assert {finding["check"] for finding in found} == {
        *("artifacts", "bootstrap", "existing", "images", "network", "permissions", "quotas")
    }
    assert [finding for finding in found if finding["outcome"] != "pass"] == []


@contextmanager
def quota_too_low(deployed: Deployment, admin: Admin) -> Iterator[Outcomes]:
    admin.quotas(**{ENDPOINT_QUOTA: 0})
    yield {("quotas", ENDPOINT_QUOTA): Outcome.FAIL}


@contextmanager
def image_missing(deployed: Deployment, admin: Admin) -> Iterator[Outcomes]:
    uri = images(deployed)[0]
    found = IN_ECR.fullmatch(uri)
    assert found is not None
    deployed.client("ecr").batch_delete_image(
        repositoryName=found["repository"], imageIds=[{"imageTag": found["tag"]}]
    )
    yield {("images", uri): Outcome.FAIL}
    put_image(deployed, uri)


@contextmanager
def right_missing(deployed: Deployment, admin: Admin) -> Iterator[Outcomes]:
    admin.fault("service-quotas", "ListServiceQuotas", "before", "error", code="AccessDeniedException")
    yield {("quotas", "quotas of sagemaker"): Outcome.UNKNOWN}


@contextmanager
def subnet_full(deployed: Deployment, admin: Admin) -> Iterator[Outcomes]:
    network = deployed.plan.foundation.network
    assert network.mode == "existing"
    admin.addresses(network.subnet_ids[0], 0)
    yield {("network", network.subnet_ids[0]): Outcome.WARN}


@contextmanager
def subnets_full(deployed: Deployment, admin: Admin) -> Iterator[Outcomes]:
    network = deployed.plan.foundation.network
    assert network.mode == "existing"
    for subnet_id in network.subnet_ids:
        admin.addresses(subnet_id, 0)
    each = {("network", subnet_id): Outcome.WARN for subnet_id in network.subnet_ids}
    yield {**each, ("network", "addresses"): Outcome.FAIL}


@contextmanager
def model_missing(deployed: Deployment, admin: Admin) -> Iterator[Outcomes]:
    where = {"Bucket": deployed.plan.foundation.artifact_bucket_name, "Key": "models/plant-id/model.tar.gz"}
    deployed.client("s3").delete_object(**where)
    yield {("artifacts", f"s3://{where['Bucket']}/{where['Key']}"): Outcome.FAIL}
    deployed.client("s3").put_object(**where, Body=b"anything")


@contextmanager
def key_disabled(deployed: Deployment, admin: Admin) -> Iterator[Outcomes]:
    arn = str(deployed.plan.foundation.existing.data_key_arn)
    deployed.client("kms").disable_key(KeyId=arn)
    yield {("existing", arn): Outcome.FAIL}
    deployed.client("kms").enable_key(KeyId=arn)


@pytest.mark.parametrize(
    "made_wrong",
    [quota_too_low, image_missing, right_missing, subnet_full, subnets_full, model_missing, key_disabled],
)
def test_what_is_made_wrong_is_found_and_nothing_else(
    made_wrong: Callable[[Deployment, Admin], Any], deployed: Deployment, admin: Admin, ask: Ask
) -> None:
    with made_wrong(deployed, admin) as expected:
        assert wrong(ask()) == expected
