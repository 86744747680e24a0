import subprocess
from pathlib import Path
from typing import Any

import pytest

from constructs_lib.training_job import TrainingAttempt, TrainingCode
from constructs_lib.training_job_request import training_job_request
from tests.constructs_lib.training import ON_DEMAND, ON_DEMAND_ALONE, RESOURCES, SPOT, TWO_NODES, job


def request(attempt: TrainingAttempt, **changes: Any) -> dict[str, Any]:
    return training_job_request(job(**changes), attempt, resources=RESOURCES)


def literal(value: Any) -> Any:
    """Return a request as Step Functions makes it: what is read from the state is there."""
    match value:
        case dict():
            return {key.removesuffix(".$"): literal(item) for key, item in value.items()}
        case list():
            return [literal(item) for item in value]
    return value


def faults_of(body: dict[str, Any]) -> str:
    """Return what the SDK says of a request: members that are unknown, missing, or of another type."""
    loaders, model = pytest.importorskip("botocore.loaders"), pytest.importorskip("botocore.model")
    api = model.ServiceModel(loaders.Loader().load_service_model("sagemaker", "service-2"))
    shape = api.operation_model("CreateTrainingJob").input_shape
    report: str = pytest.importorskip("botocore.validate").ParamValidator().validate(literal(body), shape)
    return report.generate_report()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("attempt", "changes"), [(SPOT, {}), (ON_DEMAND, {}), (TWO_NODES, {}), (ON_DEMAND, ON_DEMAND_ALONE)]
)
def test_the_request_has_the_form_of_the_api(attempt: TrainingAttempt, changes: dict[str, Any]) -> None:
    assert faults_of(request(attempt, **changes)) == ""


def test_the_check_of_the_form_finds_a_member_that_is_unknown_or_missing() -> None:
    body = request(SPOT)
    body["ResourceConfig"]["KmsKeyId"] = "x"
    del body["OutputDataConfig"]
    assert 'Unknown parameter in ResourceConfig: "KmsKeyId"' in faults_of(body)
    assert 'Missing required parameter in input: "OutputDataConfig"' in faults_of(body)


def test_a_spot_attempt_waits_and_an_on_demand_attempt_does_not() -> None:
    spot, on_demand = request(SPOT), request(ON_DEMAND)
    assert spot["EnableManagedSpotTraining"] is True
    assert spot["StoppingCondition"] == {"MaxRuntimeInSeconds": 7200, "MaxWaitTimeInSeconds": 14400}
    assert on_demand["EnableManagedSpotTraining"] is False
    assert on_demand["StoppingCondition"] == {"MaxRuntimeInSeconds": 7200}


@pytest.mark.parametrize(
    ("attempt", "takes_key"),
    [
        (SPOT, False),
        (ON_DEMAND, True),
        (TrainingAttempt(instance_type="ml.g5.2xlarge"), False),
        (TrainingAttempt(instance_type="ml.g5.2xlarge", has_local_nvme=False), True),
    ],
)
def test_the_volume_key_is_left_out_for_local_nvme_disks(attempt: TrainingAttempt, takes_key: bool) -> None:
    assert ("VolumeKmsKeyId" in request(attempt)["ResourceConfig"]) is takes_key


def test_several_nodes_share_a_zone_and_encrypt_their_traffic() -> None:
    assert request(TWO_NODES)["VpcConfig"]["Subnets"] == ["subnet-a"]
    assert "EnableInterContainerTrafficEncryption" not in request(ON_DEMAND)
    assert request(TWO_NODES)["EnableInterContainerTrafficEncryption"] is True
    assert (
        request(TWO_NODES, encrypt_inter_container_traffic=False)["EnableInterContainerTrafficEncryption"]
        is False
    )


def test_the_entry_point_hands_every_word_to_the_command_unread(tmp_path: Path) -> None:
    words = ("printf", "%s\\n", "two words", "*", "&& exit 1", "$(exit 1)", "'")
    body = request(SPOT, code=TrainingCode(key_prefix="code", command=words))
    entrypoint = [
        word.replace("/opt/ml/input/data/code", str(tmp_path))
        for word in body["AlgorithmSpecification"]["ContainerEntrypoint"]
    ]
    ended = subprocess.run(entrypoint, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == list(words[2:])
    assert (
        subprocess.run([*entrypoint[:4], "pwd"], capture_output=True, text=True, check=True).stdout
        == f"{tmp_path}\n"
    )


def test_maps_are_sorted_so_that_the_template_is_stable() -> None:
    assert list(request(SPOT)["HyperParameters"]) == ["epochs", "lr"]
    assert request(SPOT, job_tags={"b": "2", "a": "1"})["Tags"] == [
        {"Key": "a", "Value": "1"},
        {"Key": "b", "Value": "2"},
    ]


def test_what_is_not_asked_for_is_absent() -> None:
    body = request(ON_DEMAND, **ON_DEMAND_ALONE)
    assert "ContainerEntrypoint" not in body["AlgorithmSpecification"]
    absent = {"InputDataConfig", "CheckpointConfig", "HyperParameters", "Environment", "Tags"}
    assert not absent & set(body)
