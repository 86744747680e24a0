import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.config import load_environment
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.configuration import compare_configurations
from sizewell.review.model import ConfigChange, Place
from sizewell.review.saved.output import Assembly

Change = Callable[[Any], object]
GONE = "nothing manages it any more, and its stack keeps running until somebody deletes it"


def side(environment: Mapping[str, Any] | None, name: str = "dev") -> Assembly:
    config = None if environment is None else {"schema_version": 1, "environment": environment}
    return Assembly(Path("cdk.out"), name, {}, config=config)


def compare(base: Mapping[str, Any], head: Mapping[str, Any], *names: str) -> tuple[ConfigChange, ...]:
    return compare_configurations(
        [EnvironmentPair(name, side(base, name), side(head, name)) for name in names or ("dev",)]
    )


@pytest.fixture(scope="module")
def prod(project_root: Path) -> dict[str, Any]:
    return load_environment(project_root / "config", "prod").environment.model_dump(mode="json")


def changed(environment: Mapping[str, Any], change: Change) -> dict[str, Any]:
    head = copy.deepcopy(dict(environment))
    change(head)
    return head


def lines(changes: tuple[ConfigChange, ...]) -> list[str]:
    return [f"{c.change} {c.key_path}: {c.base} → {c.head} ({c.meaning})" for c in changes]


def test_the_same_change_of_several_environments_is_one(prod: dict[str, Any]) -> None:
    head = changed(prod, lambda e: e["workloads"]["support-bert"]["latency"].update(max_p95_ms=50.0))
    assert compare(prod, head, "prod", "dev", "staging") == (
        ConfigChange(
            key_path="workloads.support-bert.latency.max_p95_ms",
            change="changed",
            base="100",
            head="50",
            environments=("prod", "dev", "staging"),
            meaning="stricter: may need a faster type",
        ),
    )


def test_other_values_of_the_same_key_stay_apart(prod: dict[str, Any]) -> None:
    dev = changed(prod, lambda e: e["policy"].update(budget_usd_per_month=100))
    heads = [changed(e, lambda e: e["policy"].update(budget_usd_per_month=10_000)) for e in (prod, dev)]
    pairs = [
        EnvironmentPair(name, side(base), side(head))
        for name, base, head in zip(("prod", "dev"), (prod, dev), heads, strict=True)
    ]
    assert [(c.base, c.head, c.environments) for c in compare_configurations(pairs)] == [
        ("100", "10000", ("dev",)),
        ("8000", "10000", ("prod",)),
    ]


def test_a_meaning_that_differs_says_where(prod: dict[str, Any]) -> None:
    dev = changed(prod, lambda e: e["policy"].update(production=False))
    lower: Change = lambda e: e["workloads"]["assistant"]["scaling"].update(min_instances=1)  # noqa: E731
    pairs = [
        EnvironmentPair(name, side(e), side(changed(e, lower))) for name, e in (("prod", prod), ("dev", dev))
    ]
    assert lines(compare_configurations(pairs)) == [
        "added workloads.assistant.scaling.min_instances:  → 1 "
        "(loses the second zone: one failure away from an outage (prod); loses the second zone (dev))"
    ]


def test_a_workload_is_one_change(prod: dict[str, Any]) -> None:
    def change(e: Any) -> None:
        del e["workloads"]["assistant"], e["workloads"]["assistant-tune"]
        e["workloads"]["photos"] = e["workloads"].pop("plant-id")
        e["workloads"]["support-bert"] |= {"kind": "training-job"}
        e["workloads"]["risk"] = {
            "kind": "real-time-endpoint",
            "model": {"architecture": "gradient-boosting"},
        }

    assert lines(compare(prod, changed(prod, change))) == [
        f"removed workloads.assistant: real-time-endpoint of llama-3.1-8b →  ({GONE})",
        f"removed workloads.assistant-tune: training-job of llama-3.1-8b →  ({GONE})",
        "added workloads.photos:  → real-time-endpoint of resnet-50 (plant-id under another name: it is created anew)",
        f"removed workloads.plant-id: real-time-endpoint of resnet-50 →  ({GONE})",
        "added workloads.risk:  → real-time-endpoint of gradient-boosting ()",
        "changed workloads.support-bert: real-time-endpoint of bert-base → training-job of bert-base "
        "(it is deleted, and created anew as another kind)",
    ]


def test_without_a_configuration_nothing_is_said(prod: dict[str, Any]) -> None:
    other = side({})
    for missing in (
        None,
        side(None),
        Assembly(Path("x"), "dev", {}, config={"schema_version": 2, "environment": {}}),
    ):
        assert compare_configurations([EnvironmentPair("dev", missing, other)]) == ()
        assert compare_configurations([EnvironmentPair("dev", other, missing)]) == ()
    assert compare({}, prod) != ()


@pytest.mark.parametrize(
    "config",
    [
        {"schema_version": 1},
        {"schema_version": 1, "environment": []},
        {"schema_version": 1, "environment": None},
    ],
)
def test_a_configuration_of_another_shape_is_none(config: Any, prod: dict[str, Any]) -> None:
    pair = EnvironmentPair("dev", side(prod), Assembly(Path("x"), "dev", {}, config=config))
    assert compare_configurations([pair]) == ()


def test_parts_of_another_shape_do_no_harm() -> None:
    base = {
        "policy": {"production": True},
        "network": {"mode": "new"},
        "workloads": {"a": 1, "b": {"kind": "x"}},
    }
    head: dict[str, Any] = {
        "policy": [],
        "network": None,
        "workloads": {"b": {"kind": "x", "scaling": {"min_instances": "two"}}},
    }
    assert lines(compare(base, head)) == [
        "removed network: {mode: new} →  ()",
        "changed policy: {production: true} → [] ()",
        "added workloads.b.scaling:  → {min_instances: two} ()",
    ]


def test_a_key_means_what_it_means_in_its_kind() -> None:
    def headroom(kind: str, share: float) -> dict[str, Any]:
        return {"workloads": {"it": {"kind": kind, "scaling": {"headroom": share}}}}

    meanings = {
        kind: compare(headroom(kind, 0.3), headroom(kind, 0.5))[0].meaning
        for kind in ("real-time-endpoint", "serverless-endpoint")
    }
    assert meanings["real-time-endpoint"] == "more capacity stays free: scales out earlier"
    assert meanings["serverless-endpoint"].startswith("more provisioned concurrency stays free")


def test_a_map_without_keys_is_as_good_as_none(prod: dict[str, Any]) -> None:
    # As in the output of a release that does not know the key.
    without = changed(prod, lambda e: e.pop("tags"))
    assert compare(without, prod) == compare(prod, without) == ()
    tagged = changed(prod, lambda e: e["tags"].update(team="ml"))
    (change,) = compare(prod, tagged)
    assert (change.key_path, change.meaning) == ("tags.team", "everything carries it")


def test_the_order_of_sets_is_no_change(prod: dict[str, Any]) -> None:
    prod["network"]["interface_endpoints"] = ["sagemaker.runtime", "logs"]

    def reorder(e: Any) -> None:
        e["policy"]["nag_packs"].reverse()
        e["network"]["interface_endpoints"].reverse()

    def reorder_command(e: Any) -> None:
        e["workloads"]["plant-id-train"]["container"]["code"]["command"].reverse()

    assert compare(prod, changed(prod, reorder)) == ()
    assert [c.key_path for c in compare(prod, changed(prod, reorder_command))] == [
        "workloads.plant-id-train.container.code.command"
    ]


def test_long_values_are_cut_where_they_still_differ() -> None:
    lists = [{"network": {"x": [f"service-{i}" for i in range(20)] + [end]}} for end in ("one", "two")]
    (change,) = compare(lists[0], lists[1])
    assert change.base.endswith("one]")
    assert change.head.endswith("two]")
    (change,) = compare({"a": "x" * 200}, {"a": "y" * 200})
    assert (change.base, change.head) == tuple(letter * 80 + "… (120 more characters)" for letter in "xy")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
configurations = st.dictionaries(
    st.sampled_from(["policy", "network", "workloads", "storage"]),
    values | st.dictionaries(st.sampled_from(["a", "name", "emails"]), values),
)


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(list(value))}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@given(configurations)
def test_equal_configurations_have_no_changes_whatever_the_order_of_keys(
    configuration: dict[str, Any],
) -> None:
    assert compare(configuration, copy.deepcopy(configuration)) == ()
    assert compare(configuration, reordered(configuration)) == ()


@given(configurations, configurations)
def test_the_order_of_keys_never_matters(base: dict[str, Any], head: dict[str, Any]) -> None:
    assert compare(base, head) == compare(reordered(base), reordered(head))


@given(configurations, configurations)
def test_there_and_back_are_the_same_keys(base: dict[str, Any], head: dict[str, Any]) -> None:
    there, back = compare(base, head), compare(head, base)
    assert [(c.key_path, c.base, c.head) for c in there] == [(c.key_path, c.head, c.base) for c in back]


def test_a_change_says_where_head_writes_its_key_or_the_one_around_it(prod: dict[str, Any]) -> None:
    head = changed(
        prod, lambda e: (e["policy"].update(margin=0.5), e["network"].update(availability_zones=2))
    )
    lines = {"policy": "prod.yaml:3", "policy.margin": "prod.yaml:9", "network": "nonsense"}
    config = {"schema_version": 1, "environment": head, "lines": lines}
    sides = side(prod, "prod"), Assembly(Path("cdk.out"), "prod", {}, config=config)
    found = compare_configurations([EnvironmentPair("prod", *sides)])
    assert {change.key_path: change.places for change in found} == {
        "policy.margin": (Place(environment="prod", file="prod.yaml", line=9),),
        "network.availability_zones": (),
    }
    del lines["policy.margin"]
    (margin,) = (
        change for change in compare_configurations([EnvironmentPair("prod", *sides)]) if change.places
    )
    assert margin.places[0].line == 3
