import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sizewell.config.json_schema import SCHEMA_FILE, layer_schema, schema_text
from sizewell.config.yaml_source import parse_yaml


def errors(text: str) -> list[str]:
    root, _ = parse_yaml(text, "f.yaml")
    assert root is not None
    return [error.message for error in Draft202012Validator(layer_schema()).iter_errors(root.plain())]


def test_committed_schema_is_fresh() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == schema_text(), "run: make schema"


def test_schema_is_valid() -> None:
    Draft202012Validator.check_schema(json.loads(schema_text()))


def test_base_is_valid(base_text: str) -> None:
    assert errors(base_text) == []


@pytest.mark.parametrize(
    "text",
    [
        "policy: {allow_spot: true}",
        "policy: {budget_usd_per_month: null}",
        "workloads: {support-bert: null}",
        "workloads: {support-bert: {latency: {max_p95_ms: 50}}}",
        "workloads: {support-bert: {description: same key in both kinds}}",
        "workloads: {support-bert: {traffic: {peak_requests_per_second: null, peak_concurrent_users: 5}}}",
        "workloads: {support-bert: {model: {layers: 12}}}",
        "workloads: {support-bert: {model: {preset: bert-base, precision: int8}}}",
        "workloads: {support-bert: {model: {architecture: gradient-boosting, features: 5, layers: null}}}",
        "workloads: {support-bert: {model: {architecture: cnn, preset: null}}}",
        "workloads: {support-bert: {objective: least-latency, margin: 0.1, max_usd_per_month: 500}}",
        "policy: {savings_plan: {discount_percent: 30}}",
        "network: {availability_zones: 3}",
        "network: {mode: existing, cidr: null, vpc_id: vpc-12345678}",
        "storage: {}",
    ],
)
def test_partial_layer_is_valid(text: str) -> None:
    assert errors(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "name: dev",
        "polcy: {}",
        "policy: {regoin: us-east-1}",
        "policy: {region: virginia}",
        "policy: {production: yes}",
        "policy: {nag_packs: [hipaa]}",
        "workloads: {Support_BERT: {}}",
        "workloads: {support-bert: {latency: {max_p95_ms: 100ms}}}",
        "workloads: {support-bert: {latency: {max_p95_ms: 0}}}",
        "workloads: {support-bert: {kind: batch}}",
        "workloads: {support-bert: {model: {preset: bert-base, precision: fp12}}}",
        "workloads: {support-bert: {model: {architecture: gradient-boosting, layers: 5}}}",
        "workloads: {support-bert: {margin: 10}}",
        "policy: {savings_plan: {discount_percent: 70}}",
        "workloads: {support-bert: {spot: {enabled: true}, traffic: {}}}",
        "network: {mode: new, vpc_id: vpc-12345678}",
        "network: {mode: existing, cidr: 10.0.0.0/16}",
    ],
)
def test_wrong_layer_is_invalid(text: str) -> None:
    assert errors(text) != []


def test_every_key_offers_removal() -> None:
    def visit(schema: Any) -> None:
        for value in schema.get("properties", {}).values():
            assert value == {"type": "null"} or {"type": "null"} in value["anyOf"]

    schema = layer_schema()
    visit(schema)
    for definition in schema["$defs"].values():
        visit(definition)
