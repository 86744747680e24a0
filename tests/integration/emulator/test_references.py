"""What a request refers to must exist, and a name is taken once."""

import pytest

from tests.integration.emulator.job_requests import training_request
from tests.integration.emulator.lab import (
    ACCOUNT,
    IMAGE,
    KEY_OF_NOBODY,
    REGION,
    ROLE_OF_NOBODY,
    Json,
    Lab,
    blue_green,
    refusal,
    target_of,
)

pytestmark = pytest.mark.usefixtures("admin")


def test_models_need_their_role_network_and_bucket(lab: Lab) -> None:
    create, container = lab("sagemaker").create_model, {"Image": IMAGE}
    vpc = {"Subnets": [lab.subnet], "SecurityGroupIds": [lab.group]}
    assert refusal(create, ModelName="m", PrimaryContainer=container, ExecutionRoleArn=ROLE_OF_NOBODY) == (
        f"ValidationException: Could not assume role {ROLE_OF_NOBODY}. Please ensure that the role exists and allows "
        "principal 'sagemaker.amazonaws.com' to assume the role."
    )
    assert "Could not assume role" in refusal(
        create, ModelName="m", PrimaryContainer=container, ExecutionRoleArn=lab.role_of_lambda
    )
    assert "The subnet ID 'subnet-0' does not exist" in refusal(
        create, ModelName="m", PrimaryContainer=container, VpcConfig=vpc | {"Subnets": ["subnet-0"]}
    )
    assert "The security group 'sg-0' does not exist" in refusal(
        create, ModelName="m", PrimaryContainer=container, VpcConfig=vpc | {"SecurityGroupIds": ["sg-0"]}
    )
    assert "must belong to one VPC" in refusal(
        create, ModelName="m", PrimaryContainer=container, VpcConfig=vpc | {"Subnets": [lab.foreign_subnet]}
    )
    assert "Could not access the S3 bucket nobodys: it does not exist." in refusal(
        create, ModelName="m", PrimaryContainer=container | {"ModelDataUrl": "s3://nobodys/model.tar.gz"}
    )
    create(ModelName=lab.name("model"), PrimaryContainer=container, ExecutionRoleArn=lab.role, VpcConfig=vpc)


def test_endpoint_configurations_need_their_model_and_key(lab: Lab) -> None:
    create = lab("sagemaker").create_endpoint_config
    assert (
        refusal(
            create,
            EndpointConfigName=lab.name("config"),
            ProductionVariants=[lab.variant(ModelName="missing")],
        )
        == f'ValidationException: Could not find model "arn:aws:sagemaker:{REGION}:{ACCOUNT}:model/missing".'
    )
    assert f"Please ensure that the key {KEY_OF_NOBODY} exists" in refusal(
        create,
        EndpointConfigName=lab.name("config"),
        ProductionVariants=[lab.variant()],
        KmsKeyId=KEY_OF_NOBODY,
    )
    lab.config(lab.variant(), KmsKeyId=lab.key)


def test_a_key_is_named_in_full_and_enabled(lab: Lab) -> None:
    kms, create = lab("kms"), lab("sagemaker").create_endpoint_config
    alias, key = f"alias/team/{lab.name('key')}", kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName=alias, TargetKeyId=key["KeyId"])
    of_alias = key["Arn"].replace(f"key/{key['KeyId']}", alias)
    for named in (key["Arn"], key["KeyId"], alias, of_alias):
        lab.config(lab.variant(), KmsKeyId=named)

    def refused(named: str) -> bool:
        said = refusal(
            create,
            EndpointConfigName=lab.name("config"),
            ProductionVariants=[lab.variant()],
            KmsKeyId=named,
        )
        return f"Please ensure that the key {named} exists" in said

    others = [key["Arn"].replace(ACCOUNT, "999988887777"), key["Arn"].replace(REGION, "eu-west-3")]
    others += [of_alias.replace(ACCOUNT, "999988887777"), f"alias/{alias.rpartition('/')[2]}"]
    assert all(refused(named) for named in others)
    kms.disable_key(KeyId=key["KeyId"])
    assert refused(key["Arn"])
    assert refused(alias)


def test_a_role_of_the_same_name_in_another_account_is_another_one(lab: Lab) -> None:
    said = refusal(
        lab("sagemaker").create_model,
        ModelName=lab.name("model"),
        PrimaryContainer={"Image": IMAGE},
        ExecutionRoleArn=lab.role.replace(ACCOUNT, "999988887777"),
    )
    assert "Could not assume role" in said


def test_endpoints_need_their_configuration(lab: Lab) -> None:
    missing = f'Could not find endpoint configuration "arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint-config/missing".'
    sagemaker = lab("sagemaker")
    said = refusal(sagemaker.create_endpoint, EndpointName="e", EndpointConfigName="missing")
    assert said == f"ValidationException: {missing}"
    endpoint = lab.endpoint()
    assert missing in refusal(sagemaker.update_endpoint, EndpointName=endpoint, EndpointConfigName="missing")
    assert lab.describe(endpoint)["EndpointStatus"] == "InService"


def test_deployments_need_their_alarm(lab: Lab) -> None:
    said = refusal(
        lab("sagemaker").update_endpoint,
        EndpointName=lab.endpoint(),
        EndpointConfigName=lab.config(),
        DeploymentConfig=blue_green("ALL_AT_ONCE", alarm="no-such-alarm"),
    )
    assert "Alarm no-such-alarm does not exist" in said


def test_scalable_targets_need_their_endpoint_and_variant(lab: Lab) -> None:
    register, limits = (
        lab("application-autoscaling").register_scalable_target,
        {"MinCapacity": 1, "MaxCapacity": 2},
    )
    assert "does not exist or is not in service" in refusal(register, **target_of("missing"), **limits)
    endpoint = lab.endpoint()
    assert f"Endpoint {endpoint} has no variant other" in refusal(
        register, **target_of(endpoint, "other"), **limits
    )


@pytest.mark.parametrize("noun", ["Model", "EndpointConfig", "Endpoint", "TrainingJob"])
def test_a_name_is_taken_once(lab: Lab, noun: str) -> None:
    name = lab.name("taken")
    config = lab.config()
    requests: dict[str, Json] = {
        "Model": {"PrimaryContainer": {"Image": IMAGE}},
        "EndpointConfig": {"ProductionVariants": [lab.variant()]},
        "Endpoint": {"EndpointConfigName": config},
        "TrainingJob": {k: v for k, v in training_request(lab).items() if k != "TrainingJobName"},
    }
    call = getattr(
        lab("sagemaker"),
        {"EndpointConfig": "create_endpoint_config", "TrainingJob": "create_training_job"}.get(
            noun, f"create_{noun.lower()}"
        ),
    )
    request = {f"{noun}Name": name} | requests[noun]
    call(**request)
    said = refusal(call, **request)
    assert f"/{name}" in said
    assert "already exist" in said
    if noun == "Endpoint":
        lab.passed(name)
