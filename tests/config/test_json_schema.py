"""What editors complete and mark: the published schema against the models, the catalog and the files that there are."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from sizewell.config.ml_model import LinearModel, PresetModel
from sizewell.config.network import ExistingNetwork, NewNetwork
from sizewell.config.traffic import RequestTraffic, UserTraffic
from sizewell.config.yaml_source import parse_yaml
from sizewell.instance_selection.catalog import regions
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.kinds.training_job.config import TrainingJob
from sizewell.kinds.tuning_job.config import TuningJob
from sizewell.planning.editor_schema import editor_schema_text
from tools.benchmarks.every_key import every_key

SCHEMA = json.loads(editor_schema_text())
VALIDATOR = Draft202012Validator(SCHEMA)


def names_of_maps(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield what is said of the names in each map whose names have a form."""
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from names_of_maps(part)
    if isinstance(schema, dict) and "patternProperties" in schema and "propertyNames" in schema:
        yield schema["propertyNames"]


def test_what_a_name_may_be_is_said_in_words() -> None:
    found = list(names_of_maps(SCHEMA))
    assert len(found) > 5
    assert [one for one in found if "description" not in one] == []


def plain(text: str) -> Any:
    root, _ = parse_yaml(text, "f.yaml")
    assert root is not None
    return root.plain()


def errors(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(plain(text))]


def possible(schema: Any, value: Any) -> Iterator[Any]:
    """Yield the alternatives of a schema that a value may still become, as an editor finds them."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    if "anyOf" in schema:
        for alternative in schema["anyOf"]:
            yield from possible(alternative, value)
    elif VALIDATOR.evolve(schema={**schema, "$defs": SCHEMA["$defs"]}).is_valid(value):
        yield schema


def offered(text: str, *path: str) -> set[str]:
    """Return the keys that an editor offers at a place of a file."""
    schemas, value = [SCHEMA], plain(text)
    for key in path:
        value = value[key]
        parts = [
            schema.get("properties", {}).get(key) or next(iter(schema["patternProperties"].values()))
            for schema in schemas
        ]
        schemas = [alternative for part in parts for alternative in possible(part, value)]
    return {key for schema in schemas for key in schema["properties"]}


def test_schema_is_valid() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("text", "path", "model"),
    [
        ("workloads: {a-b: {kind: training-job}}", "workloads.a-b", TrainingJob),
        ("workloads: {a-b: {kind: real-time-endpoint}}", "workloads.a-b", RealTimeEndpoint),
        ("workloads: {a-b: {search: {}}}", "workloads.a-b", TuningJob),
        (
            "workloads: {a-b: {kind: training-job, model: {architecture: linear}}}",
            "workloads.a-b.model",
            LinearModel,
        ),
        ("workloads: {a-b: {model: {preset: bert-base}}}", "workloads.a-b.model", PresetModel),
        ("workloads: {a-b: {traffic: {peak_concurrent_users: 3}}}", "workloads.a-b.traffic", UserTraffic),
        (
            "workloads: {a-b: {traffic: {average_requests_per_second: 3}}}",
            "workloads.a-b.traffic",
            RequestTraffic,
        ),
        ("network: {mode: existing}", "network", ExistingNetwork),
        ("network: {mode: new}", "network", NewNetwork),
    ],
)
def test_only_keys_of_the_chosen_kind_are_offered(text: str, path: str, model: type[BaseModel]) -> None:
    assert offered(text, *path.split(".")) == set(model.model_fields)


def test_names_of_the_catalog_are_offered() -> None:
    names = {
        name: SCHEMA["$defs"][name]["enum"] for name in ("Region", "InstanceFamily", "InstanceType", "Preset")
    }
    assert names["Region"] == list(regions())
    assert "g5" in names["InstanceFamily"]
    assert "ml.g5.xlarge" in names["InstanceType"]
    assert "llama-3.1-8b" in names["Preset"]


def test_every_file_and_every_key_is_valid(project_root: Path) -> None:
    files = [*(project_root / "config").glob("*.yaml")]
    texts = {path.name: path.read_text("utf-8") for path in files if "." not in path.stem}
    assert {"base.yaml", "dev.yaml", "prod.yaml"} <= texts.keys()
    texts |= {name: json.dumps(config) for name, config in every_key().items()}
    assert {name: found for name, text in texts.items() if (found := errors(text))} == {}


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
        "workloads: {support-bert: {model: {preset: meta-llama/Llama-3.1-8B-Instruct}}}",
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
        "policy: {region: us-east-9}",
        "policy: {denied_families: [g55]}",
        "network: {mode: new, interface_endpoints: [sagemaker.runtme]}",
        "workloads: {support-bert: {instances: {instance_type: ml.g5.huge}}}",
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
        "workloads: {support-bert: {checkpoint: {interval_minutes: 15}, traffic: {}}}",
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

    visit(SCHEMA)
    for definition in SCHEMA["$defs"].values():
        visit(definition)
