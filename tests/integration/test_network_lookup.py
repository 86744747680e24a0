"""A network that is found by its tags: the CDK CLI looks it up once, and nobody is asked afterwards."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from sizewell_localcloud.cloud import LocalCloud
from sizewell_localcloud.variables import LOOPBACK
from tests.integration.harness import Cloud
from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT

ACCOUNT, REGION = "444455556666", "us-east-1"
CONFIG = f"""\
platform: demo
policy: {{account: "{ACCOUNT}", region: {REGION}, nag_packs: [aws-solutions]}}
network:
  mode: lookup
  vpc_tags: {{Name: "shared: ml"}}
  subnet_tag: {{tier: ml}}
workloads:
  plants:
    kind: real-time-endpoint
    model: {{architecture: linear, features: 50}}
    container:
      images:
        cpu_x86_64: {{account: "683313688378", repository: sagemaker-scikit-learn, tag: 1.2-1-cpu-py3}}
      artifact: {{key: models/plants/model.tar.gz}}
    request: {{rows: 10}}
    traffic: {{peak_requests_per_second: 2, average_requests_per_second: 1}}
    latency: {{max_p95_ms: 800}}
"""


@dataclass(frozen=True)
class Project:
    """A directory with the app, and the account that it asks."""

    directory: Path
    cloud: LocalCloud

    def synth(self, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["cdk", "synth", "--quiet", "--no-notices", "-c", "env=dev"],
            cwd=self.directory,
            env=self.cloud.environment(ACCOUNT, REGION) | {"CDK_VALIDATION": "false"} | changes,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def templates(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.directory / "cdk.out").glob("*.template.json")}


@pytest.fixture
def ec2(cloud: Cloud) -> Any:
    variables = cloud.environment(ACCOUNT, REGION)
    return boto3.client(
        "ec2",
        region_name=REGION,
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
        aws_session_token=variables["AWS_SESSION_TOKEN"],
    )


@pytest.fixture
def project(cloud: Cloud, tmp_path: Path) -> Project:
    assert isinstance(cloud, LocalCloud)
    cdk_json = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))
    cdk_json["app"] = f"{sys.executable} -O {PROJECT_ROOT / 'app.py'}"
    (tmp_path / "cdk.json").write_text(json.dumps(cdk_json), "utf-8")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "base.yaml").write_text(CONFIG, "utf-8")
    (tmp_path / "config" / "dev.yaml").write_text("{}\n", "utf-8")
    return Project(tmp_path, cloud)


def tagged(kind: str, **tags: str) -> list[dict[str, Any]]:
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]


def test_a_network_is_looked_up_once_and_then_synthesized_offline(project: Project, ec2: Any) -> None:
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16", TagSpecifications=tagged("vpc", Name="shared: ml"))["Vpc"]
    ids = {}
    for number, (zone, tier) in enumerate([("b", "ml"), ("a", "ml"), ("a", "web"), ("c", "web")]):
        made = ec2.create_subnet(
            VpcId=vpc["VpcId"],
            CidrBlock=f"10.9.{number}.0/24",
            AvailabilityZone=f"{REGION}{zone}",
            TagSpecifications=tagged("subnet", tier=tier),
        )
        ids[zone, tier] = made["Subnet"]["SubnetId"]

    first = project.synth()
    assert first.returncode == 0, first.stderr
    written = (project.directory / "cdk.context.json").read_text("utf-8")
    assert list(json.loads(written)) == [
        f"vpc-provider:account={ACCOUNT}:filter.tag:Name=shared$: ml:region={REGION}:returnAsymmetricSubnets=true"
        ":returnVpnGateways=false:subnetGroupNameTag=tier"
    ]
    templates = project.templates()
    assert set(templates) == {"demo-dev-foundation.template.json", "demo-dev-plants.template.json"}
    found = re.findall(rb"subnet-[0-9a-f]+", templates["demo-dev-foundation.template.json"])
    assert [one.decode() for one in found] == [ids["a", "ml"], ids["b", "ml"]]
    assert vpc["VpcId"].encode() in templates["demo-dev-foundation.template.json"]

    shutil.rmtree(project.directory / "cdk.out")
    second = project.synth(AWS_ENDPOINT_URL=f"http://{LOOPBACK}:9")
    assert second.returncode == 0, second.stderr
    assert project.templates() == templates
    assert (project.directory / "cdk.context.json").read_text("utf-8") == written


def test_tags_that_no_vpc_carries_are_a_fault_at_their_line(project: Project) -> None:
    (project.directory / "config" / "dev.yaml").write_text("network: {vpc_tags: {Name: nobody}}\n", "utf-8")
    result = project.synth()
    assert result.returncode == 1
    assert "config/base.yaml:5  network.vpc_tags" in result.stderr
    assert "the network could not be looked up: Could not find any VPCs matching" in result.stderr
    # The CDK CLI writes the file all the same, without what it did not find.
    assert json.loads((project.directory / "cdk.context.json").read_text("utf-8")) == {}
