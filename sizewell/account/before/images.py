"""The container images of the plan: they exist, may be pulled, are built for the chosen instance types and fit on them.

BatchGetImage is what a pull begins with, and the one action of reading that registries of others allow with a pull, those of AWS
too: https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_BatchGetImage.html. ECR counts it as a pull
(lastRecordedPullTime). A list of images states for which architecture each is; a single one states it in its configuration,
a file of some kilobytes that is read as a pull reads it, from the address that GetDownloadUrlForLayer gives:
https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_GetDownloadUrlForLayer.html,
https://github.com/opencontainers/image-spec/blob/main/config.md
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.request import urlopen

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, is_unknown, passes
from sizewell.account.parts import parts_of
from sizewell.aws_errors import code_of, is_missing
from sizewell.facts.image_registries import accounts_of_aws
from sizewell.instance_selection import load_catalog
from sizewell.planning.training_plan_model import TrainingAttemptPlan
from sizewell.planning.workload_plan import WorkloadPlan
from sizewell.targets.ecs.tasks_plan_model import EcsTasksPlan
from sizewell.targets.eks.pods_plan_model import EksPlan

IN_ECR = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(?:\.cn)?"
    r"/(?P<repository>[^:@]+)(?::(?P<tag>[^@]+)|@(?P<digest>.+))"
)
#: By the names that the OCI has: https://github.com/opencontainers/image-spec/blob/main/image-index.md
_OF_OCI = {"x86_64": "amd64", "amd64": "amd64", "arm64": "arm64"}
_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
#: ``ImageFailureCode`` that says nothing of the image.
_NOT_TOLD = (
    "KmsError",
    "UpstreamAccessDenied",
    "UpstreamTooManyRequests",
    "UpstreamUnavailable",
)
_READ_TIMEOUT_S = 10
_GB = 1e9


class _NoManifestError(Exception):
    """ECR gives no manifest; the text says why."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


@dataclass(frozen=True)
class _Image:
    uri: str
    architectures: tuple[str, ...]
    """Of the types that it must run on, as the OCI names them; none where any does."""
    room_gib: int | None
    """The volume that it is unpacked on; None where nobody says which that is."""


def _subjects(place: Place) -> Iterator[_Image]:
    found: dict[str, tuple[set[str], list[int]]] = {}
    for uri, types, room_gib in (use for workload in place.workloads for use in _uses(workload)):
        architectures, rooms = found.setdefault(uri, (set(), []))
        architectures |= _architectures(place.aws.region, types)
        rooms += [room_gib] if room_gib is not None else []
    for uri, (architectures, rooms) in found.items():
        yield _Image(uri, tuple(sorted(architectures)), min(rooms, default=None))


def _uses(workload: WorkloadPlan) -> Iterator[tuple[str, tuple[str, ...], int | None]]:
    """Yield images, each with what tells the architecture of its instances, and the volume where that is known to hold it."""
    for attempt in parts_of(workload, TrainingAttemptPlan):
        yield attempt.image.uri, (attempt.instance_type,), None
    runs_on: tuple[str, ...]
    if isinstance(workload, EksPlan):
        runs_on, room_gib = (workload.node_pool.architecture,), workload.node_pool.volume_size_gib
        yield workload.cluster.proxy_image, runs_on, room_gib
        yield workload.image.uri, runs_on, room_gib
        return
    if isinstance(workload, EcsTasksPlan):
        runs_on, room_gib = (workload.task.architecture,), workload.task.volume_size_gib
        yield workload.cluster.proxy_image, runs_on, room_gib
        yield workload.image.uri, runs_on, room_gib
        return
    of_attempts = {attempt.image for attempt in parts_of(workload, TrainingAttemptPlan)}
    for variant in workload.variants:
        # The types of a variant run one image; a function has no type, but an architecture.
        types = getattr(variant, "instance_pools", None) or (getattr(variant, "architecture", ""),)
        for image in variant.images:
            if image not in of_attempts:
                yield image.uri, types, None


def _architectures(region: str, named: tuple[str, ...]) -> set[str]:
    known = {
        instance_type.name: instance_type.cpu_architecture
        for instance_type in load_catalog(region).instance_types
    }
    # AWS Batch runs types of EC2: those of SageMaker are the same hardware.
    names = {known.get(name) or known.get(f"ml.{name}", name) for name in named}
    return {_OF_OCI[name.lower()] for name in names if name.lower() in _OF_OCI}


def _ask(aws: AwsAccount, subject: _Image) -> Iterator[Answer]:
    where = IN_ECR.fullmatch(subject.uri)
    if where is None or where["region"] != aws.region:
        yield is_unknown(subject.uri, f"it is not in Amazon ECR of {aws.region}", "look whether it is there")
        return
    named = {"imageTag": where["tag"]} if where["tag"] else {"imageDigest": where["digest"]}
    try:
        manifest = _manifest(aws, where, named)
    except _NoManifestError as error:
        yield _without_manifest(subject, where, error)
        return
    yield _of_image(subject, *_built_for(aws, where, subject, manifest))


def _without_manifest(subject: _Image, where: re.Match[str], error: _NoManifestError) -> Answer:
    if error.code in _NOT_TOLD:
        return is_unknown(subject.uri, str(error), "try again")
    if where["account"] in accounts_of_aws():
        return fails(subject.uri, str(error), "name an image that AWS publishes: sizewell guide images")
    return fails(subject.uri, str(error), "push it, or name another tag in the configuration")


def _built_for(
    aws: AwsAccount, where: re.Match[str], subject: _Image, manifest: dict[str, Any]
) -> tuple[list[str], float | None]:
    """Return the architectures of an image, none where they cannot be read, and its compressed size in GB."""
    if "manifests" not in manifest:
        return _architecture_of_config(aws, where, manifest), _compressed_gb(manifest)
    built = {
        listed["platform"]["architecture"]: listed["digest"]
        for listed in manifest["manifests"]
        if "platform" in listed
    }
    digest = next((built[name] for name in subject.architectures if name in built), None)
    size_gb = _compressed_gb(_manifest(aws, where, {"imageDigest": digest})) if digest else None
    # What attests how it was built is listed with unknown: https://docs.docker.com/build/metadata/attestations/attestation-storage/
    return sorted(built.keys() - {"unknown"}), size_gb


def _of_image(subject: _Image, architectures: list[str], size_gb: float | None) -> Answer:
    size = f", {size_gb:.1f} GB compressed" if size_gb else ""
    if architectures and not set(subject.architectures) <= set(architectures):
        platforms = ",".join(f"linux/{name}" for name in subject.architectures)
        return fails(
            subject.uri,
            f"it is built for {', '.join(architectures)}, and runs on {' and '.join(subject.architectures)}",
            f"build it with docker buildx build --platform {platforms}",
        )
    if subject.room_gib is not None and size_gb and size_gb * _GB > subject.room_gib * 2**30:
        return fails(
            subject.uri,
            f"it has {size_gb:.1f} GB compressed, and the volume {subject.room_gib} GiB",
            "make the image smaller",
        )
    if architectures:
        return passes(subject.uri, f"exists for {', '.join(architectures)}{size}")
    return passes(subject.uri, f"exists{size}; for which architecture it is built was not read")


def _manifest(aws: AwsAccount, where: re.Match[str], image_id: dict[str, str]) -> dict[str, Any]:
    """Return the manifest of an image."""
    try:
        answer = aws.client("ecr").batch_get_image(
            registryId=where["account"],
            repositoryName=where["repository"],
            imageIds=[image_id],
            acceptedMediaTypes=list(_MANIFESTS),
        )
    except ClientError as error:
        if is_missing(error):
            words = f"there is no repository {where['repository']} in {where['account']}"
            raise _NoManifestError(code_of(error), words) from None
        raise
    for failure in answer["failures"]:
        raise _NoManifestError(
            failure["failureCode"], f"{failure['failureCode']}: {failure['failureReason']}"
        )
    return dict(json.loads(answer["images"][0]["imageManifest"]))


def _compressed_gb(manifest: dict[str, Any]) -> float | None:
    sizes = [layer.get("size", 0) for layer in manifest.get("layers", ())]
    return sum(sizes) / _GB if sizes else None


def _architecture_of_config(aws: AwsAccount, where: re.Match[str], manifest: dict[str, Any]) -> list[str]:
    """Return what a single image was built for; nothing where it cannot be read."""
    digest = manifest.get("config", {}).get("digest")
    if digest is None:
        return []
    try:
        answer = aws.client("ecr").get_download_url_for_layer(
            registryId=where["account"], repositoryName=where["repository"], layerDigest=digest
        )
        return _read_architecture(answer["downloadUrl"])
    except ClientError:
        return []


def _read_architecture(url: str) -> list[str]:
    if not url.startswith("https://"):
        return []
    try:
        with urlopen(url, timeout=_READ_TIMEOUT_S) as answer:
            return [json.load(answer)["architecture"]]
    except (OSError, ValueError, LookupError, TypeError):
        return []


IMAGES = Check(
    name="images",
    actions=("ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"),
    subjects=_subjects,
    ask=_ask,
    named=lambda image: image.uri,
)
