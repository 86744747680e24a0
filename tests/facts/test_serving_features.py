"""What goes with what, as tables."""

import csv
import itertools
import re

import pytest
from botocore.session import Session

from sizewell.facts.endpoint_metrics import NOT_ASYNCHRONOUS
from sizewell.facts.serving_features import (
    TABLE,
    Feature,
    Relation,
    ServedAs,
    Support,
    excluded,
    feature_of,
    feature_pairs,
    missing,
    serving_features,
)
from sizewell.facts.serving_modes import Mode

with TABLE.open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
SOURCE, DATE = re.compile(r"https://\S+"), re.compile(r"20\d\d(-\d\d)?")
#: Fit for an error message: short, without a full stop.
REASON = re.compile(r"[A-Za-z0-9].{5,109}[^.]")
ON_INSTANCES = (
    ServedAs.REAL_TIME,
    ServedAs.ASYNCHRONOUS,
    ServedAs.MULTI_MODEL,
    ServedAs.INFERENCE_COMPONENTS,
    ServedAs.PIPELINE,
)


def test_the_matrix_is_complete_and_in_order() -> None:
    assert [(row["feature"], row["mode"]) for row in ROWS] == list(itertools.product(Feature, ServedAs))


def test_every_row_says_where_it_was_read_and_what_its_mark_asks_for() -> None:
    for row in serving_features():
        assert SOURCE.fullmatch(row.source), row
        assert DATE.fullmatch(row.as_of), row
        assert bool(row.instead) == (row.supported is Support.NO), row
        assert row.because or row.supported is Support.YES, row
        assert not row.because or REASON.fullmatch(row.because), row


def test_every_pair_says_where_it_was_read_and_what_to_do() -> None:
    keys = [(pair.feature, pair.other, pair.modes) for pair in feature_pairs()]
    assert len(keys) == len(set(keys))
    for pair in feature_pairs():
        assert pair.feature is not pair.other, pair
        assert SOURCE.fullmatch(pair.source), pair
        assert DATE.fullmatch(pair.as_of), pair
        assert REASON.fullmatch(pair.because), pair
        assert pair.instead, pair


def test_no_pair_speaks_of_what_its_modes_exclude_anyway() -> None:
    for pair in feature_pairs():
        possible = [
            mode
            for mode in pair.modes
            if Support.NO
            not in {feature_of(mode, pair.feature).supported, feature_of(mode, pair.other).supported}
        ]
        assert possible, pair
        assert len(pair.modes) == len(ServedAs) or len(possible) == len(pair.modes), pair


def test_every_mode_that_is_compared_is_in_the_matrix() -> None:
    assert set(map(str, Mode)) <= set(map(str, ServedAs))
    for mode, feature in itertools.product(Mode, Feature):
        assert feature_of(mode, feature) == feature_of(ServedAs(mode), feature)


def test_what_cannot_be_together_is_found_once_and_in_its_modes_only() -> None:
    together = {Feature.ROLLING, Feature.SEVERAL_VARIANTS, Feature.VPC}
    assert [(pair.feature, pair.other) for pair in excluded(together, Mode.REAL_TIME)] == [
        (Feature.ROLLING, Feature.SEVERAL_VARIANTS)
    ]
    never_idle = {Feature.PROVISIONED_CONCURRENCY, Feature.SCALE_TO_ZERO}
    assert len(list(excluded(never_idle, Mode.SERVERLESS))) == 1
    assert not list(excluded(never_idle, Mode.LAMBDA))
    assert not list(excluded({Feature.ROLLING}, Mode.REAL_TIME))


def test_scale_to_zero_needs_something_that_wakes_it() -> None:
    (wake_up,) = missing({Feature.SCALE_TO_ZERO}, Mode.ASYNCHRONOUS)
    assert wake_up.other is Feature.STEP_SCALING
    assert "HasBacklogWithoutCapacity" in wake_up.instead
    of_components = missing({Feature.SCALE_TO_ZERO}, ServedAs.INFERENCE_COMPONENTS)
    assert {pair.other for pair in of_components} == {
        Feature.STEP_SCALING,
        Feature.MANAGED_INSTANCE_SCALING,
        Feature.COPIES_SCALING,
    }
    assert not list(missing({Feature.SCALE_TO_ZERO}, Mode.SERVERLESS))
    assert not list(missing({Feature.SCALE_TO_ZERO, Feature.STEP_SCALING}, Mode.ASYNCHRONOUS))


@pytest.mark.parametrize(
    "feature",
    [
        # What the template checks find, serverless-excludes and deployment-excludes.
        Feature.DATA_CAPTURE,
        Feature.SHADOW_VARIANT,
        Feature.SEVERAL_VARIANTS,
        Feature.VPC,
        Feature.NETWORK_ISOLATION,
        Feature.PRIVATE_REGISTRY,
        Feature.ROLLING,
    ],
)
def test_the_template_checks_say_the_same_of_serverless(feature: Feature) -> None:
    assert feature_of(Mode.SERVERLESS, feature).supported is Support.NO


def test_a_metric_that_is_not_published_is_not_tracked() -> None:
    row = feature_of(Mode.ASYNCHRONOUS, Feature.TRACKING_INVOCATIONS_PER_INSTANCE)
    assert "InvocationsPerInstance" in NOT_ASYNCHRONOUS
    assert row.supported is Support.NO


def test_no_scaling_of_instances_goes_with_burstable_types() -> None:
    scaled = {
        feature
        for feature in Feature
        if feature.startswith("tracking-") or feature in {Feature.STEP_SCALING, Feature.SCHEDULED_SCALING}
    }
    refused = {pair.feature for pair in feature_pairs() if pair.other is Feature.BURSTABLE}
    assert scaled <= refused


@pytest.mark.parametrize(
    ("feature", "families"),
    [
        (Feature.GPU, {"g5", "g6e"}),
        (Feature.INFERENTIA1, {"inf1"}),
        (Feature.NEURON, {"inf2", "trn1"}),
        (Feature.GRAVITON, {"c6g", "m6g"}),
        (Feature.BURSTABLE, {"t2"}),
    ],
)
def test_hardware_is_what_the_api_takes(feature: Feature, families: set[str]) -> None:
    model = Session().get_service_model("sagemaker")

    def taken(shape: str) -> bool:
        return families <= {name.split(".")[1] for name in model.shape_for(shape).enum}

    assert taken("ProductionVariantInstanceType")
    assert feature_of(Mode.REAL_TIME, feature).supported is Support.YES
    assert (feature_of(Mode.BATCH, feature).supported is Support.YES) == taken("TransformInstanceType")


def test_a_stream_names_a_component_and_no_model_of_a_multi_model_endpoint() -> None:
    members = (
        Session()
        .get_service_model("sagemaker-runtime")
        .shape_for("InvokeEndpointWithResponseStreamInput")
        .members
    )
    for member, mode in (
        ("TargetModel", ServedAs.MULTI_MODEL),
        ("InferenceComponentName", ServedAs.INFERENCE_COMPONENTS),
    ):
        assert (member in members) == (feature_of(mode, Feature.STREAMING).supported is Support.YES)


def test_only_what_runs_on_instances_has_something_of_instances() -> None:
    for feature in (
        Feature.INSTANCE_POOLS,
        Feature.CAPACITY_RESERVATION,
        Feature.INFERENCE_AMI,
        Feature.BURSTABLE,
    ):
        able = {mode for mode in ServedAs if feature_of(mode, feature).supported is not Support.NO}
        assert able == set(ON_INSTANCES), feature


def test_both_relations_are_told() -> None:
    assert {pair.relation for pair in feature_pairs()} == set(Relation)
