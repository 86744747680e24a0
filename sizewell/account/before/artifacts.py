"""The models that are served, and the data of jobs: they lie in their buckets, can be read at once, and fit on the disk.

Objects in S3 Glacier Flexible Retrieval and Deep Archive are read after a restore alone, and ListObjectsV2 says which are:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-class-intro.html#sc-glacier
Archive tiers of S3 Intelligent-Tiering are not in its answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.account.parts import parts
from sizewell.instance_selection.estimation.hardware import BASE_VOLUME_GIB
from sizewell.planning.workload_plan import JobPlan, PlanModel, WorkloadPlan
from sizewell.targets.training.plan_model import TrainedOnEc2Plan
from sizewell.targets.transforming.plan_model import TransformedOnEc2Plan

_ARCHIVED = ("GLACIER", "DEEP_ARCHIVE")
#: Models have a few hundred objects; data sets have millions, of which the first tell that they are there.
_MOST_OBJECTS, _FIRST_OBJECTS = 1000, 10
#: What an artifact may be larger than the plan has taken it for.
_TOLERANCE = 1.2


@dataclass(frozen=True)
class _Artifact:
    workload: str
    bucket: str
    key: str
    """An object, or what the keys of several begin with."""
    is_served: bool
    """Whether a deployment needs it; what a job reads may come later."""
    volume_gib: int | None
    """What it is unpacked on, with room for it twice; None where the plan does not say."""

    @property
    def uri(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


@dataclass(frozen=True)
class _Bucket:
    name: str
    stack_name: str | None
    """What makes it; None where it exists."""
    artifacts: tuple[_Artifact, ...]


def _subjects(place: Place) -> Iterator[_Bucket]:
    foundation = place.foundation
    own = foundation.artifact_bucket_name
    written = tuple(
        f"{prefix.rstrip('/')}/"
        for workload in place.workloads
        if isinstance(workload, JobPlan)
        for prefix in workload.written_prefixes
    )
    found: dict[str, dict[str, _Artifact]] = {}
    for workload in place.workloads:
        for artifact in (*_served(workload, own), *_read(workload, own)):
            # What a job reads and another one writes is there when that has run.
            if artifact.is_served or not artifact.key.startswith(written):
                found.setdefault(artifact.bucket, {}).setdefault(artifact.key, artifact)
    for name, artifacts in found.items():
        is_made = name == own and foundation.existing.artifact_bucket_name is None
        yield _Bucket(name, foundation.stack_name if is_made else None, tuple(artifacts.values()))


def _served(workload: WorkloadPlan, own_bucket: str) -> Iterator[_Artifact]:
    for part in parts(workload):
        key = getattr(part, "artifact_key", None)
        if key is not None:
            yield _Artifact(
                workload=workload.name,
                bucket=getattr(part, "artifact_bucket_name", None) or own_bucket,
                key=key,
                is_served=not isinstance(workload, JobPlan | TransformedOnEc2Plan),
                volume_gib=_volume_gib(part),
            )


def _volume_gib(part: PlanModel) -> int | None:
    # Of many models, those of which somebody asks are loaded; a run has its volume for its data as well.
    if getattr(part, "multi_model", None) is not None or isinstance(part, TransformedOnEc2Plan):
        return None
    return getattr(part, "volume_size_gib", None)


def _read(workload: WorkloadPlan, own_bucket: str) -> Iterator[_Artifact]:
    prefixes: tuple[str, ...] = ()
    if isinstance(workload, JobPlan):
        prefixes = workload.read_prefixes({})
    elif isinstance(workload, TrainedOnEc2Plan):
        prefixes = tuple(workload.downloads.values())
    elif isinstance(workload, TransformedOnEc2Plan):
        prefixes = (workload.data.prefix,)
    models = {artifact.key for artifact in _served(workload, own_bucket)}
    for prefix in prefixes:
        if prefix not in models:
            # Every request for a job ends its prefixes with a slash: what only begins alike is not read.
            folder = f"{prefix.rstrip('/')}/"
            yield _Artifact(workload.name, own_bucket, folder, is_served=False, volume_gib=None)


def _ask(aws: AwsAccount, subject: _Bucket) -> Iterator[Answer]:
    try:
        for artifact in subject.artifacts:
            yield _of_artifact(artifact, _objects(aws, artifact))
    except aws.client("s3").exceptions.NoSuchBucket:
        yield _without_bucket(subject)


def _without_bucket(subject: _Bucket) -> Answer:
    keys = ", ".join(artifact.key for artifact in subject.artifacts)
    if subject.stack_name is not None:
        return warns(
            f"s3://{subject.name}",
            f"the bucket is not there yet, and with it none of {keys}",
            f"deploy {subject.stack_name} first, put them there, and deploy the rest",
        )
    return fails(f"s3://{subject.name}", f"there is no such bucket, which has {keys}", "name another one")


def _of_artifact(subject: _Artifact, objects: list[dict[str, Any]]) -> Answer:
    wrong = fails if subject.is_served else warns
    if not objects:
        when = "its endpoint would not start" if subject.is_served else "its next run would fail"
        return wrong(
            subject.uri,
            f"there is no such object; {subject.workload} reads it: {when}",
            f"aws s3 cp {'--recursive DIRECTORY' if subject.key.endswith('/') else 'FILE'} {subject.uri}",
        )
    archived = [
        entry for entry in objects if entry.get("StorageClass") in _ARCHIVED and not _is_restored(entry)
    ]
    if archived:
        return wrong(
            subject.uri,
            f"{len(archived)} of {len(objects)} objects are archived ({archived[0]['StorageClass']}), and cannot be read",
            f"aws s3api restore-object --bucket {subject.bucket} --key {archived[0]['Key']} --restore-request Days=7, "
            "then copy it to S3 Standard",
        )
    return _of_size(subject, sum(entry["Size"] for entry in objects) / 2**30)


def _objects(aws: AwsAccount, subject: _Artifact) -> list[dict[str, Any]]:
    """Return the objects of an artifact; of what a job reads the first ones."""
    pages = (
        aws.client("s3")
        .get_paginator("list_objects_v2")
        .paginate(
            Bucket=subject.bucket,
            Prefix=subject.key,
            OptionalObjectAttributes=["RestoreStatus"],
            PaginationConfig={"MaxItems": _MOST_OBJECTS if subject.is_served else _FIRST_OBJECTS},
        )
    )
    found = [entry for page in pages for entry in page.get("Contents", ())]
    own = [entry for entry in found if entry["Key"] == subject.key and not subject.key.endswith("/")]
    # An empty object in the place of a folder, which the console makes, is no data.
    below = subject.key.rstrip("/") + "/"
    return own or [entry for entry in found if entry["Key"].startswith(below) and entry["Size"]]


def _is_restored(entry: dict[str, Any]) -> bool:
    return "RestoreExpiryDate" in entry.get("RestoreStatus", {})


def _of_size(subject: _Artifact, size_gib: float) -> Answer:
    size = f"{size_gib:.2g} GiB" if size_gib < 100 else f"{size_gib:,.0f} GiB"
    if subject.volume_gib is None:
        return passes(subject.uri, f"exists, {size}" if subject.is_served else "exists")
    if size_gib > subject.volume_gib:
        return fails(
            subject.uri,
            f"it has {size}, and the volume {subject.volume_gib} GiB",
            "state its size as container.artifact.size_gib: the volume follows",
        )
    planned_gib = (subject.volume_gib - BASE_VOLUME_GIB) / 2
    if size_gib > _TOLERANCE * planned_gib:
        return warns(
            subject.uri,
            f"it has {size}, and the plan has taken it for {planned_gib:g} GiB at most",
            "state its size as container.artifact.size_gib: volume, time to start and pick follow",
        )
    return passes(subject.uri, f"exists, {size}")


ARTIFACTS = Check(
    name="artifacts",
    actions=("s3:ListBucket",),
    subjects=_subjects,
    ask=_ask,
    named=lambda bucket: f"s3://{bucket.name}",
)
