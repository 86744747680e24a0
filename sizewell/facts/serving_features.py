"""What each way to serve a model can be combined with, and what goes with what: two tables, each row with its source.

``serving_features.csv`` has a row for each pair of a mode and a feature, ``serving_feature_pairs.csv`` one for each feature that
excludes or needs another. ``unknown`` is not a guess: its row says what was read. Nothing is read before it is asked for.
"""

import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from sizewell.facts.serving_modes import Mode

TABLE = Path(__file__).with_name("serving_features.csv")
PAIRS_TABLE = Path(__file__).with_name("serving_feature_pairs.csv")


class ServedAs(StrEnum):
    """Each ``Mode`` by the same word, and the two real-time ways that are not compared by price: both enums find a row."""

    REAL_TIME = "real-time"
    ASYNCHRONOUS = "asynchronous"
    SERVERLESS = "serverless"
    MULTI_MODEL = "multi-model"
    INFERENCE_COMPONENTS = "inference-components"
    """Models with copies of their own on the instances of one endpoint."""
    PIPELINE = "pipeline"
    """A serial inference pipeline: containers that hand each request on."""
    BATCH = "batch"
    LAMBDA = "lambda"
    """A function on Lambda's default compute; Lambda Managed Instances, which have types and GPUs, are another way."""


_ALL = frozenset(ServedAs)


class Feature(StrEnum):
    """A feature that a way to serve may have; the order is that of the page."""

    SEVERAL_VARIANTS = "several-variants"
    SHADOW_VARIANT = "shadow-variant"
    INSTANCE_POOLS = "instance-pools"
    CAPACITY_RESERVATION = "capacity-reservation"
    MANAGED_INSTANCE_SCALING = "managed-instance-scaling"

    SCALE_TO_ZERO = "scale-to-zero"
    TRACKING_INVOCATIONS_PER_INSTANCE = "tracking-invocations-per-instance"
    TRACKING_HIGH_RESOLUTION_CONCURRENCY = "tracking-high-resolution-concurrency"
    TRACKING_UTILIZATION = "tracking-utilization"
    """Target tracking on CPU, GPU, memory or another metric of the instances or copies."""
    TRACKING_BACKLOG = "tracking-backlog"
    STEP_SCALING = "step-scaling"
    SCHEDULED_SCALING = "scheduled-scaling"
    PROVISIONED_CONCURRENCY = "provisioned-concurrency"
    PROVISIONED_CONCURRENCY_SCALING = "provisioned-concurrency-scaling"
    COPIES_SCALING = "copies-scaling"

    BLUE_GREEN_ALL_AT_ONCE = "blue-green-all-at-once"
    BLUE_GREEN_CANARY = "blue-green-canary"
    BLUE_GREEN_LINEAR = "blue-green-linear"
    ROLLING = "rolling"
    AUTO_ROLLBACK_ALARMS = "auto-rollback-alarms"
    RETAINED_VARIANT_PROPERTIES = "retained-variant-properties"

    DATA_CAPTURE = "data-capture"
    DATA_QUALITY_MONITOR = "data-quality-monitor"
    MODEL_QUALITY_MONITOR = "model-quality-monitor"
    BIAS_MONITOR = "bias-monitor"
    EXPLAINABILITY_MONITOR = "explainability-monitor"
    ONLINE_EXPLAINER = "online-explainer"
    """SageMaker Clarify's explanations in the answers of an endpoint."""

    NETWORK_ISOLATION = "network-isolation"
    VPC = "vpc"
    PRIVATE_REGISTRY = "private-registry"
    VOLUME_KEY = "volume-key"
    RESOURCE_POLICY = "resource-policy"
    ALIAS = "alias"
    API_GATEWAY = "api-gateway"
    """A REST API of API Gateway that hands requests on, with an integration of an AWS service."""

    GPU = "gpu"
    INFERENTIA1 = "inferentia1"
    NEURON = "neuron"
    """Inferentia2 and Trainium."""
    GRAVITON = "graviton"
    BURSTABLE = "burstable"
    LOCAL_NVME = "local-nvme"

    SERIAL_PIPELINE = "serial-pipeline"
    """Containers before and after that of the model."""
    MODEL_PACKAGE = "model-package"
    MARKETPLACE_CONTAINER = "marketplace-container"
    UNCOMPRESSED_ARTIFACT = "uncompressed-artifact"
    DYNAMIC_BATCHING = "dynamic-batching"
    STREAMING = "streaming"
    LONG_ANSWERS = "long-answers"
    LARGE_PAYLOADS = "large-payloads"
    INFERENCE_AMI = "inference-ami"

    @property
    def words(self) -> str:
        """The feature as a sentence names it."""
        return _WORDS.get(self.value) or self.value.replace("-", " ")


_WORDS = {
    "tracking-invocations-per-instance": "target tracking on invocations per instance",
    "tracking-high-resolution-concurrency": "target tracking on high-resolution concurrency",
    "tracking-utilization": "target tracking on CPU, GPU, memory or a custom metric",
    "tracking-backlog": "target tracking on the backlog",
    "provisioned-concurrency-scaling": "scaling of provisioned concurrency",
    "copies-scaling": "scaling of copies",
    "blue-green-all-at-once": "blue/green, all at once",
    "blue-green-canary": "blue/green, canary",
    "blue-green-linear": "blue/green, linear",
    "rolling": "rolling update",
    "data-quality-monitor": "Model Monitor: data quality",
    "model-quality-monitor": "Model Monitor: model quality",
    "bias-monitor": "Model Monitor: bias",
    "explainability-monitor": "Model Monitor: explainability",
    "online-explainer": "online explainer (Clarify)",
    "vpc": "VPC",
    "volume-key": "key for volumes (KMS)",
    "api-gateway": "API Gateway in front",
    "gpu": "GPU",
    "inferentia1": "Inf1",
    "neuron": "Inferentia2 and Trainium",
    "graviton": "Graviton",
    "burstable": "burstable types",
    "local-nvme": "types with NVMe disks",
    "model-package": "model package (registry)",
    "marketplace-container": "container of AWS Marketplace",
    "streaming": "streamed answers",
    "long-answers": "answers after more than 29 s",
    "large-payloads": "requests or answers above 10 MB",
    "inference-ami": "inference AMI",
}


class Support(StrEnum):
    """What is known of a pair."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Relation(StrEnum):
    """What one feature says of another."""

    EXCLUDES = "excludes"
    NEEDS = "needs"


@dataclass(frozen=True, slots=True)
class ServingFeature:
    """A feature of a mode; ``as_of`` is the month or year of the text that was read."""

    mode: ServedAs
    feature: Feature
    supported: Support
    because: str
    """The limit of AWS where it is not supported, a condition or nothing where it is, what was read where it is unknown."""
    instead: str
    """What to do instead, where it is not supported."""
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class FeaturePair:
    """A feature that excludes or needs another, in some modes or in all."""

    feature: Feature
    relation: Relation
    other: Feature
    modes: frozenset[ServedAs]
    because: str
    instead: str
    source: str
    as_of: str


def serving_features() -> Iterator[ServingFeature]:
    """Yield every row, feature by feature."""
    return map(_serving_feature, _rows().values())


def feature_of(mode: Mode | ServedAs, feature: Feature) -> ServingFeature:
    """Return what is known of a feature in a mode."""
    return _serving_feature(_rows()[mode, feature])


@cache
def _rows() -> dict[tuple[str, str], list[str]]:
    """Return the cells of each row by mode and feature: of 392 rows, a workload asks for a few."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return {(row[0], row[1]): row for row in rows}


def _serving_feature(row: list[str]) -> ServingFeature:
    mode, feature, supported, *texts = row
    return ServingFeature(ServedAs(mode), Feature(feature), Support(supported), *texts)


@cache
def feature_pairs() -> tuple[FeaturePair, ...]:
    """Return every row of the second table; a row that names no mode is for all."""
    with PAIRS_TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return tuple(
        FeaturePair(
            Feature(feature),
            Relation(relation),
            Feature(other),
            frozenset(map(ServedAs, modes.split(";"))) if modes else _ALL,
            *texts,
        )
        for feature, relation, other, modes, *texts in rows
    )


def excluded(features: Collection[Feature], mode: Mode | ServedAs) -> Iterator[FeaturePair]:
    """Yield what cannot be together among ``features`` of one workload."""
    for pair in _pairs(features, mode, Relation.EXCLUDES):
        if pair.other in features:
            yield pair


def missing(features: Collection[Feature], mode: Mode | ServedAs) -> Iterator[FeaturePair]:
    """Yield what ``features`` of one workload need beside them and do not have."""
    for pair in _pairs(features, mode, Relation.NEEDS):
        if pair.other not in features:
            yield pair


def _pairs(features: Collection[Feature], mode: Mode | ServedAs, relation: Relation) -> Iterator[FeaturePair]:
    served_as = ServedAs(mode)
    for pair in feature_pairs():
        if pair.relation is relation and pair.feature in features and served_as in pair.modes:
            yield pair
