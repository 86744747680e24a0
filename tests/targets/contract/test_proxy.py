"""Envoy's configuration as data; what Envoy does with it is shown in tests/integration/test_contract.py."""

import json
import re
from collections.abc import Iterator
from typing import Any

from sizewell.facts.serving_modes import Mode, limit
from sizewell.targets.contract.proxy import proxy_configuration


def found(tree: Any, name: str) -> Iterator[Any]:
    """Yield what stands under a name, wherever it stands."""
    if isinstance(tree, dict):
        yield from (value for key, value in tree.items() if key == name)
        tree = list(tree.values())
    if isinstance(tree, list):
        for below in tree:
            yield from found(below, name)


def test_it_is_json_and_the_same_each_time() -> None:
    assert json.dumps(proxy_configuration()) == json.dumps(proxy_configuration())


def test_the_limits_are_those_of_a_real_time_endpoint() -> None:
    configuration = proxy_configuration()

    (too_long,) = found(configuration, "range_match")
    assert too_long["start"] == limit(Mode.REAL_TIME, "max_payload_mb") * 1024**2 + 1
    assert list(found(configuration, "per_try_idle_timeout")) == [
        f"{limit(Mode.REAL_TIME, 'max_processing_s'):g}s"
    ]


def test_only_the_pod_itself_reaches_the_administration() -> None:
    configuration = proxy_configuration(address="::")

    assert configuration["admin"]["address"]["socket_address"] == {"address": "127.0.0.1", "port_value": 9901}
    listeners = configuration["static_resources"]["listeners"]
    assert {listener["name"]: listener["address"]["socket_address"]["address"] for listener in listeners} == {
        "invocations": "::",
        "metrics": "::",
        "drain": "::",
    }
    clusters = [list(found(listener, "cluster")) for listener in listeners]
    assert clusters == [["ping", "model"], ["admin", "admin"], ["admin"]]


def test_the_objective_of_latency_can_be_a_bound_of_the_histogram() -> None:
    assert list(found(proxy_configuration(time_buckets_ms=(800, 100)), "buckets")) == [[100, 800]]


def test_no_request_is_logged_and_no_name_of_a_metric_is_left_open() -> None:
    configuration = proxy_configuration()

    assert list(found(configuration, "access_log")) == []
    for name in found(configuration["stats_config"], "regex"):
        assert not re.search(r"(?<!\\)\.|\*|\+", name)
