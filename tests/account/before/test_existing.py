"""What the configuration names and no stack makes."""

from typing import Any

import pytest

from sizewell.account.before.existing import EXISTING
from sizewell.account.finding import Outcome
from sizewell.planning.build import build_plan
from sizewell.planning.plan import DeploymentPlan
from tests.account.builders import Call, Refusal, ScriptedAccount, example, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import container, endpoint, environment, policy, queue_endpoint, training_job

KEY = "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"
TOPIC = "arn:aws:sns:us-east-1:111122223333:alarms"
ROLE = "arn:aws:iam::111122223333:role/company/models"
BOUNDARY = "arn:aws:iam::111122223333:policy/boundary"
CATALOG = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})


def plan(workload: Any = None, **changes: Any) -> DeploymentPlan:
    return build_plan(environment({"plants": workload or endpoint()}, **changes), CATALOG)


def outcome(of: DeploymentPlan, service: str, call: Call) -> tuple[str, Outcome, str]:
    (finding,) = findings(EXISTING, of, ScriptedAccount({service: [call]}))
    return finding.subject, finding.outcome, finding.says


def key_call(**metadata: Any) -> Call:
    whole = {"KeyId": KEY, "KeyState": "Enabled", "KeySpec": "SYMMETRIC_DEFAULT", **metadata}
    return "describe_key", {"KeyMetadata": whole}, {"KeyId": KEY}


@pytest.mark.parametrize(
    ("call", "found", "says"),
    [
        (key_call(), Outcome.PASS, "KMS key, exists"),
        (key_call(KeyState="Disabled"), Outcome.FAIL, "the KMS key is Disabled"),
        (key_call(KeyState="PendingDeletion"), Outcome.FAIL, "the KMS key is PendingDeletion"),
        (
            key_call(KeySpec="RSA_2048"),
            Outcome.FAIL,
            "the KMS key is an asymmetric key (RSA_2048), which services cannot encrypt with",
        ),
        (
            ("describe_key", Refusal("NotFoundException")),
            Outcome.FAIL,
            "there is no such KMS key in 111122223333, us-east-1",
        ),
    ],
)
def test_a_key_must_be_enabled_and_symmetric(call: Call, found: Outcome, says: str) -> None:
    assert outcome(plan(existing={"data_key_arn": KEY}), "kms", call) == (KEY, found, says)


@pytest.mark.parametrize(
    ("existing", "service", "call", "subject"),
    [
        (
            {"alarm_topic_arn": TOPIC},
            "sns",
            ("get_topic_attributes", {"Attributes": {}}, {"TopicArn": TOPIC}),
            TOPIC,
        ),
        ({"checkpoint_bucket": "company"}, "s3", ("head_bucket", {}, {"Bucket": "company"}), "company"),
    ],
)
def test_what_is_named_and_there_passes(existing: Any, service: str, call: Call, subject: str) -> None:
    assert outcome(plan(existing=existing), service, call)[:2] == (subject, Outcome.PASS)
    missing = Refusal("404" if service == "s3" else "NotFound")
    assert outcome(plan(existing=existing), service, (call[0], missing))[:2] == (subject, Outcome.FAIL)


def test_a_boundary_must_be_there() -> None:
    of = plan(policy=policy(permissions_boundary_arn=BOUNDARY))
    call: Call = ("get_policy", Refusal("NoSuchEntity"), {"PolicyArn": BOUNDARY})
    assert outcome(of, "iam", call)[:2] == (BOUNDARY, Outcome.FAIL)


def test_roles_that_workloads_run_as_or_that_call_them_must_be_there() -> None:
    answer = {
        "Role": {
            "Path": "/company/",
            "RoleName": "models",
            "RoleId": "AROA0123456789ABCDEF",
            "Arn": ROLE,
            "CreateDate": "2026-01-01",
        }
    }
    call: Call = ("get_role", answer, {"RoleName": "models"})
    assert outcome(plan(endpoint(execution_role_arn=ROLE)), "iam", call)[:2] == (ROLE, Outcome.PASS)
    of = plan(endpoint(access={"callers": [ROLE]}))
    assert outcome(of, "iam", ("get_role", Refusal("NoSuchEntity")))[:2] == (ROLE, Outcome.FAIL)


def test_topics_of_answers_must_be_there_once_each() -> None:
    topics = {"success_topic_arn": TOPIC, "error_topic_arn": TOPIC}
    of = plan(queue_endpoint(notifications=topics))
    assert outcome(of, "sns", ("get_topic_attributes", {"Attributes": {}}))[:2] == (TOPIC, Outcome.PASS)


@pytest.mark.parametrize(("status", "found"), [("ISSUED", Outcome.PASS), ("EXPIRED", Outcome.FAIL)])
def test_a_certificate_must_be_issued(status: str, found: Outcome) -> None:
    of = example("ecs-service")
    assert outcome(of, "acm", ("describe_certificate", {"Certificate": {"Status": status}}))[1] is found


@pytest.mark.parametrize(
    ("kind", "service", "answer"),
    [
        ("efs", "efs", {"LifeCycleState": "error"}),
        ("fsx-lustre", "fsx", {"Lifecycle": "FAILED"}),
    ],
)
def test_a_file_system_must_be_available(kind: str, service: str, answer: dict[str, str]) -> None:
    system_id = "fs-0123456789abcdef0"
    network = {
        "mode": "existing",
        "vpc_id": "vpc-0123456789abcdef0",
        "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    }
    system = {
        "type": kind,
        "id": system_id,
        "directory": "/fsx/plants",
        "security_group_id": "sg-0123456789abcdef0",
        **({"subnet_id": "subnet-0123456789abcdef0"} if kind == "fsx-lustre" else {}),
    }
    job = training_job(
        dataset={"file_system": system, "size_gib": 10, "examples": 1000}, container=container()
    )
    made = build_plan(environment({"plants": job}, network=network), CATALOG)
    of_efs = {
        "OwnerId": "111122223333",
        "CreationToken": "token",
        "FileSystemId": system_id,
        "CreationTime": "2026-01-01",
        "NumberOfMountTargets": 1,
        "SizeInBytes": {"Value": 1},
        "PerformanceMode": "generalPurpose",
        "Tags": [],
    }
    whole = {"FileSystems": [{**(of_efs if service == "efs" else {}), **answer}]}

    found = outcome(made, service, ("describe_file_systems", whole))
    assert found[:2] == (system_id, Outcome.FAIL)


def test_a_model_package_must_be_approved_and_its_key_enabled() -> None:
    def package(approval: str) -> dict[str, Any]:
        return {
            "ModelPackageName": "fraud",
            "ModelPackageArn": "arn:aws:sagemaker:us-east-1:444455556666:model-package/fraud/3",
            "CreationTime": "2026-01-01",
            "ModelPackageStatus": "Completed",
            "ModelPackageStatusDetails": {"ValidationStatuses": []},
            "ModelApprovalStatus": approval,
        }

    for approval, expected in (("Approved", Outcome.PASS), ("PendingManualApproval", Outcome.FAIL)):
        key_of_package: Call = ("describe_key", {"KeyMetadata": {"KeyId": KEY, "KeyState": "Enabled"}})
        aws = ScriptedAccount(
            {
                "sagemaker": [("describe_model_package", package(approval))],
                "kms": [key_of_package],
                "s3": [("head_bucket", Refusal("403"))],
            }
        )
        found = {
            finding.subject.rpartition(":")[2]: finding.outcome
            for finding in findings(EXISTING, example("inference-pipeline"), aws)
        }
        assert found["model-package/fraud/3"] is expected
        # The bucket of another account may be one that the caller may not look at.
        assert found["company-registry"] is Outcome.UNKNOWN


def test_nothing_is_named_and_nothing_is_asked() -> None:
    assert findings(EXISTING, plan(), ScriptedAccount({})) == []
