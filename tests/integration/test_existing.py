"""What an account has already is used by what is deployed, under the company's names, in two regions, and outlives it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
from ruamel.yaml import YAML

from sizewell_localcloud.places import IMPORT_ROOT
from tests.integration.harness import Cloud, Deployment
from tests.integration.readers import READERS
from tests.integration.readers.reading import read
from tests.synthesis import PROJECT_ROOT, synthesize

#: One that no other test deploys to.
ACCOUNT, REGION, ELSEWHERE = "777788889999", "us-east-1", "eu-west-1"
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "sagemaker.amazonaws.com"}, "Action": "sts:AssumeRole"}
    ],
}

Clients = Callable[..., Any]


@pytest.fixture
def clients(cloud: Cloud) -> Clients:
    variables = cloud.environment(ACCOUNT, REGION)

    def client(service: str, region: str = REGION) -> Any:
        return boto3.client(
            service,
            region_name=region,
            endpoint_url=variables.get("AWS_ENDPOINT_URL"),
            aws_access_key_id=variables.get("AWS_ACCESS_KEY_ID"),
            aws_secret_access_key=variables.get("AWS_SECRET_ACCESS_KEY"),
            aws_session_token=variables.get("AWS_SESSION_TOKEN"),
        )

    return client


def made_by_the_company(clients: Clients) -> dict[str, Any]:
    """Make what a company has, and return the keys of the configuration that name it."""
    kms, s3, ec2 = clients("kms"), clients("s3"), clients("ec2")
    vpc_id = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc_id, CidrBlock=f"10.9.{n}.0/24", AvailabilityZone=f"{REGION}{zone}")
        for n, zone in enumerate("ab")
    ]
    groups = [
        ec2.create_security_group(VpcId=vpc_id, GroupName=name, Description=name)["GroupId"]
        for name in ("endpoints", "training")
    ]
    data, operations = (kms.create_key()["KeyMetadata"]["Arn"] for _ in range(2))
    for name in ("company-models", "company-checkpoints"):
        s3.create_bucket(Bucket=name)
    role = clients("iam").create_role(
        Path="/company/", RoleName="models", AssumeRolePolicyDocument=json.dumps(TRUST)
    )
    return {
        "network": {
            "mode": "existing",
            "cidr": None,
            "availability_zones": None,
            "vpc_id": vpc_id,
            "subnet_ids": [subnet["Subnet"]["SubnetId"] for subnet in subnets],
        },
        "existing": {
            "data_key_arn": data,
            "operations_key_arn": operations,
            "artifact_bucket": "company-models",
            "checkpoint_bucket": "company-checkpoints",
            "alarm_topic_arn": clients("sns").create_topic(Name="company-alarms")["TopicArn"],
            "endpoint_security_group_id": groups[0],
            "training_security_group_id": groups[1],
        },
        "role": role["Role"]["Arn"],
    }


def test_a_company_deploys_to_what_it_has(cloud: Cloud, clients: Clients, tmp_path: Path) -> None:
    company = made_by_the_company(clients)
    existing, role = company["existing"], company["role"]
    configuration = tmp_path / "config"
    shutil.copytree(PROJECT_ROOT / "config", configuration)
    dev = YAML(typ="safe").load(configuration / "dev.yaml")
    dev["policy"]["account"] = ACCOUNT
    del dev["storage"]
    dev |= {"network": company["network"], "existing": existing, "mlflow_app": True}
    dev["names"] = {"stack": "Company-{workload}", "workload": "company-{workload}-{environment}"}
    for name in ("assistant", "support-bert", "assistant-tune"):
        dev["workloads"][name] = None
    for name in ("plant-id", "plant-id-train"):
        dev["workloads"][name]["execution_role_arn"] = role
    dev["places"] = {"eu": {"region": ELSEWHERE, "network": {"mode": "new", "cidr": "10.1.0.0/16"}}}
    dev["workloads"]["plant-id-train"]["place"] = "eu"
    (configuration / "dev.yaml").write_text(json.dumps(dev), "utf-8")
    assembly = tmp_path / "cdk.out"
    synthesize("dev", assembly, config=str(configuration))
    deployment = Deployment(cloud=cloud, assembly=assembly, folder=tmp_path)
    deployment.bootstrap()

    deployment.deploy()

    sagemaker = clients("sagemaker")
    endpoint = sagemaker.describe_endpoint(EndpointName="company-plant-id-dev")
    assert endpoint["EndpointStatus"] == "InService"
    configured = sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    assert configured["KmsKeyId"] == existing["data_key_arn"]
    model = sagemaker.describe_model(ModelName=configured["ProductionVariants"][0]["ModelName"])
    assert model["ExecutionRoleArn"] == role
    assert model["VpcConfig"]["SecurityGroupIds"] == [existing["endpoint_security_group_id"]]
    assert sorted(model["VpcConfig"]["Subnets"]) == sorted(company["network"]["subnet_ids"])
    assert clients("stepfunctions").list_state_machines()["stateMachines"] == []
    (machine,) = clients("stepfunctions", ELSEWHERE).list_state_machines()["stateMachines"]
    assert machine["name"] == "company-plant-id-train-dev"
    (app,) = sagemaker.list_mlflow_apps()["Summaries"]
    found = read(READERS["AWS::SageMaker::MlflowApp"], clients, app["Arn"], {})
    assert (found["Name"], found["ArtifactStoreUri"]) == ("demo-dev", "s3://company-models/mlflow")
    alarms = clients("cloudwatch").describe_alarms()["MetricAlarms"]
    assert {action for alarm in alarms for action in alarm["AlarmActions"]} == {existing["alarm_topic_arn"]}
    for region, names in (
        (REGION, ("company-plant-id-dev", "Company-plant-id")),
        (ELSEWHERE, ("company-plant-id-train-dev",)),
    ):
        shown = subprocess.run(
            [
                *(sys.executable, "-m", "sizewell_localcloud.deployed", "deployed"),
                *(str(assembly / "plan.json"), ACCOUNT, region),
            ],
            env={**cloud.environment(ACCOUNT, region), "PYTHONPATH": str(IMPORT_ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert [name for name in names if name not in shown] == []

    deployment.destroy()

    assert sagemaker.list_mlflow_apps()["Summaries"] == []
    assert {bucket["Name"] for bucket in clients("s3").list_buckets()["Buckets"]} >= {
        "company-models",
        "company-checkpoints",
    }
    for key in ("data_key_arn", "operations_key_arn"):
        metadata = clients("kms").describe_key(KeyId=existing[key])["KeyMetadata"]
        assert metadata["KeyState"] == "Enabled"
    assert clients("sns").get_topic_attributes(TopicArn=existing["alarm_topic_arn"])
