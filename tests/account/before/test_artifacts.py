"""Models and data in their buckets."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sizewell.account.before.artifacts import ARTIFACTS
from sizewell.account.finding import Finding, Outcome
from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan
from sizewell.planning.build import build_plan
from sizewell.planning.plan import DeploymentPlan
from tests.account.builders import Call, Refusal, ScriptedAccount, example, findings
from tests.instance_selection.builders import catalog, cpu_instance
from tests.planning.builders import container, endpoint, environment, training_job

BUCKET, KEY = "demo-dev-artifacts-111122223333-us-east-1", "models/plants/model.tar.gz"
GIB = 2**30


def plan(**changes: Any) -> DeploymentPlan:
    """An endpoint on a type with a volume, whose artifact has 2 GiB: 30 GiB, and the artifact twice."""
    artifact = {"key": KEY, "size_gib": 2}
    stated = environment({"plants": endpoint(container=container(artifact=artifact))}, **changes)
    made = build_plan(stated, catalog(cpu_instance(), usd_per_hour={cpu_instance().name: 1.0}))
    assert made.endpoints[0].volume_size_gib == 34
    return made


def listed(*objects: tuple[str, int], **more: Any) -> dict[str, Any]:
    return {"Contents": [{"Key": key, "Size": size, **more} for key, size in objects]}


def found(answer: Any, of: DeploymentPlan | None = None) -> Finding:
    asked = {"Bucket": BUCKET, "Prefix": KEY, "OptionalObjectAttributes": ["RestoreStatus"]}
    (finding,) = findings(
        ARTIFACTS, of or plan(), ScriptedAccount({"s3": [("list_objects_v2", answer, asked)]})
    )
    return finding


@pytest.mark.parametrize(
    ("size", "outcome", "says"),
    [
        (2 * GIB, Outcome.PASS, "exists, 2 GiB"),
        (int(2.3 * GIB), Outcome.PASS, "exists, 2.3 GiB"),
        (3 * GIB, Outcome.WARN, "it has 3 GiB, and the plan has taken it for 2 GiB at most"),
        (35 * GIB, Outcome.FAIL, "it has 35 GiB, and the volume 34 GiB"),
    ],
)
def test_a_model_is_beside_what_the_plan_has_taken_it_for(size: int, outcome: Outcome, says: str) -> None:
    finding = found(listed((KEY, size)))
    assert (finding.subject, finding.outcome, finding.says) == (f"s3://{BUCKET}/{KEY}", outcome, says)


@pytest.mark.parametrize("answer", [{}, listed((KEY + ".old", GIB))], ids=["nothing", "a longer key"])
def test_a_model_that_is_missing_fails(answer: Any) -> None:
    finding = found(answer)
    assert finding.outcome is Outcome.FAIL
    assert finding.says == "there is no such object; plants reads it: its endpoint would not start"
    assert finding.to_do == f"aws s3 cp FILE s3://{BUCKET}/{KEY}"


@pytest.mark.parametrize("storage", ["GLACIER", "DEEP_ARCHIVE"])
def test_an_archived_model_fails_until_it_is_restored(storage: str) -> None:
    archived = found(listed((KEY, GIB), StorageClass=storage))
    assert (archived.outcome, archived.says) == (
        Outcome.FAIL,
        f"1 of 1 objects are archived ({storage}), and cannot be read",
    )
    restored = {"IsRestoreInProgress": False, "RestoreExpiryDate": datetime(2026, 12, 1, tzinfo=UTC)}
    assert found(listed((KEY, GIB), StorageClass=storage, RestoreStatus=restored)).outcome is Outcome.PASS
    assert found(listed((KEY, GIB), StorageClass="GLACIER_IR")).outcome is Outcome.PASS


def test_before_the_first_deployment_the_bucket_is_no_failure() -> None:
    finding = found(Refusal("NoSuchBucket"))
    assert (finding.subject, finding.outcome) == (f"s3://{BUCKET}", Outcome.WARN)
    assert finding.to_do == "deploy demo-dev-foundation first, put them there, and deploy the rest"


def test_a_bucket_that_exists_by_the_configuration_must_be_there() -> None:
    of = plan(existing={"artifact_bucket": BUCKET})
    finding = found(Refusal("NoSuchBucket"), of)
    assert (finding.outcome, finding.says) == (Outcome.FAIL, f"there is no such bucket, which has {KEY}")


def test_a_bucket_that_may_not_be_listed_is_unknown() -> None:
    assert found(Refusal("AccessDenied")).outcome is Outcome.UNKNOWN


def test_what_a_job_reads_may_come_later_and_is_there_with_its_first_object() -> None:
    job = training_job(container=container(code={"prefix": "code/plants/", "command": ["bash", "launch.sh"]}))
    of = build_plan(
        environment({"plants": job}), catalog(cpu_instance(), usd_per_hour={cpu_instance().name: 1.0})
    )
    calls: list[Call] = [
        (
            "list_objects_v2",
            listed(("datasets/plants/", 0), ("datasets/plants/1", GIB)) | {"IsTruncated": False},
        ),
        ("list_objects_v2", listed(("code/plants/", 0))),
    ]

    data, code = findings(ARTIFACTS, of, ScriptedAccount({"s3": calls}))
    assert (data.outcome, data.says) == (Outcome.PASS, "exists")
    assert (code.outcome, code.says) == (
        Outcome.WARN,
        "there is no such object; plants reads it: its next run would fail",
    )


def test_what_only_begins_as_the_data_of_a_job_is_not_its_data() -> None:
    of = build_plan(
        environment({"plants": training_job()}),
        catalog(cpu_instance(), usd_per_hour={cpu_instance().name: 1.0}),
    )
    calls: list[Call] = [
        ("list_objects_v2", listed(("datasets/plants-old/1", GIB), ("datasets/plants", GIB)))
    ]

    (data,) = findings(ARTIFACTS, of, ScriptedAccount({"s3": calls}))
    assert (data.outcome, data.to_do) == (
        Outcome.WARN,
        f"aws s3 cp --recursive DIRECTORY s3://{BUCKET}/datasets/plants/",
    )


def test_what_another_job_writes_is_not_looked_for() -> None:
    aws = ScriptedAccount({"s3": [("list_objects_v2", {}) for _ in range(4)]})

    read = {
        finding.subject.rpartition("us-east-1/")[2]
        for finding in findings(ARTIFACTS, example("pipeline"), aws)
    }
    assert read == {"orders/week/", "code/clean-orders/", "code/evaluate-orders/", "code/train-orders/"}


def test_a_model_package_has_its_model_in_its_own_bucket() -> None:
    aws = ScriptedAccount(
        {"s3": [("list_objects_v2", listed(("fraud/a", GIB), ("models/churn", 1))) for _ in range(3)]}
    )

    subjects = [finding.subject for finding in findings(ARTIFACTS, example("inference-pipeline"), aws)]
    assert subjects[-1] == "s3://company-registry/fraud/"


def test_what_begins_as_the_output_of_another_job_is_looked_for() -> None:
    made = example("pipeline")
    (clean,) = [job for job in made.of(ProcessingJobPlan) if job.name == "clean-orders"]
    (written, *_) = clean.written_prefixes
    longer = clean.inputs["orders"].model_copy(update={"prefix": f"{written}-of-others"})
    workloads = tuple(
        workload.model_copy(update={"inputs": {"orders": longer}}) if workload is clean else workload
        for workload in made.workloads
    )
    aws = ScriptedAccount({"s3": [("list_objects_v2", {}) for _ in range(4)]})

    found = findings(ARTIFACTS, made.model_copy(update={"workloads": workloads}), aws)
    assert any(finding.subject.endswith(f"{written}-of-others/") for finding in found)


def test_a_model_that_a_job_writes_must_be_there_before_its_endpoint() -> None:
    key = "output/train/first/model.tar.gz"
    workloads = {"plants": endpoint(container=container(artifact={"key": key})), "train": training_job()}
    of = build_plan(environment(workloads), catalog(cpu_instance(), usd_per_hour={cpu_instance().name: 1.0}))
    aws = ScriptedAccount({"s3": [("list_objects_v2", {}) for _ in range(2)]})

    outcomes = {
        finding.subject.partition(f"{BUCKET}/")[2]: finding.outcome
        for finding in findings(ARTIFACTS, of, aws)
    }
    assert outcomes == {key: Outcome.FAIL, "datasets/plants/": Outcome.WARN}
