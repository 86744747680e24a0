"""Every pair that AWS refuses is refused by the plan, with the limit and what to do."""

from typing import Any

import pytest

from sizewell.facts.serving_features import (
    Feature,
    Relation,
    ServedAs,
    Support,
    feature_pairs,
    serving_features,
)
from sizewell.instance_selection.catalog import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.legality import legality_faults, refusals
from tests.planning.builders import endpoint, environment, on_type

PATH = ("some", "key")
ILLEGAL = [row for row in serving_features() if row.supported is Support.NO]
EXCLUDED = [pair for pair in feature_pairs() if pair.relation is Relation.EXCLUDES]
NEEDED = [pair for pair in feature_pairs() if pair.relation is Relation.NEEDS]


@pytest.mark.parametrize("row", ILLEGAL, ids=lambda row: f"{row.mode}-{row.feature}")
def test_a_feature_that_a_mode_does_not_have(row: Any) -> None:
    fault = next(iter(refusals("it", row.mode, {row.feature: PATH})))
    assert fault.key_path == ("workloads", "it", *PATH)
    assert fault.reason == f"{row.mode} has no {row.feature.words}: {row.because}"
    assert fault.hint == row.instead != ""


@pytest.mark.parametrize("pair", EXCLUDED, ids=lambda pair: f"{pair.feature}-{pair.other}")
def test_features_that_do_not_go_together(pair: Any) -> None:
    mode = min(pair.modes)
    faults = list(refusals("it", mode, {pair.feature: PATH, pair.other: ("other",)}))
    (found,) = (one for one in faults if "does not go with" in one.reason)
    assert found.key_path == ("workloads", "it", *PATH)
    assert found.reason == f"{pair.feature.words} does not go with {pair.other.words}: {pair.because}"
    assert found.hint == pair.instead != ""


@pytest.mark.parametrize("pair", NEEDED, ids=lambda pair: f"{pair.feature}-{pair.other}")
def test_a_feature_without_what_it_needs(pair: Any) -> None:
    mode = min(pair.modes)
    reasons = [one.reason for one in refusals("it", mode, {pair.feature: PATH})]
    assert f"{pair.feature.words} needs {pair.other.words}: {pair.because}" in reasons
    both = [one.reason for one in refusals("it", mode, {pair.feature: PATH, pair.other: ("other",)})]
    assert not any(f"needs {pair.other.words}" in reason for reason in both)


def test_what_is_not_known_is_not_refused() -> None:
    unknown = next(row for row in serving_features() if row.supported is Support.UNKNOWN)
    assert list(refusals("it", unknown.mode, {unknown.feature: PATH})) == []


def test_a_plan_is_asked_about_its_hardware_and_its_rollout() -> None:
    catalog = load_catalog("us-east-1")
    stated = endpoint(rollout={"strategy": "linear"}, scaling={"min_instances": 2})
    (plan,) = build_plan(environment({"plants": stated}), catalog).endpoints
    assert list(legality_faults(plan, catalog)) == []
    on_inf1 = on_type(plan, "ml.inf1.xlarge")
    found = {fault.key_path: fault.reason for fault in legality_faults(on_inf1, catalog)}
    assert found["workloads", "plants", "rollout", "strategy"].startswith(
        "blue/green, linear does not go with Inf1: Inf1 has no deployment guardrails"
    )


def test_every_mode_and_feature_has_words() -> None:
    assert all(feature.words for feature in Feature)
    assert all(str(mode) for mode in ServedAs)
