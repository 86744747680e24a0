"""Each key of the schema, of each kind, goes through the loader with a value that is valid."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sizewell.config import load_environment
from sizewell.config.environment import Environment
from sizewell.config.kind import environment_model
from sizewell.config.measured_instance import MeasurementsFile
from sizewell.config.model_package import ImageRepository, ModelPackage, PackagedArtifact
from tools.benchmarks.every_key import every_key

#: Which kind of workload a model stands in ("" outside of workloads), its class and a key of it.
Key = tuple[str, str, str]
KINDS = {
    "RealTimeEndpoint": "endpoint",
    "ModeEndpoint": "endpoint",
    "AsynchronousEndpoint": "queue",
    "MultiModelEndpoint": "several",
    "ServerlessEndpoint": "serverless",
    "LambdaFunction": "function",
    "InferenceComponentEndpoint": "components",
    "BatchTransform": "transform",
    "ProcessingJob": "script",
    "TrainingJob": "job",
    "TuningJob": "tuning",
    "Pipeline": "pipeline",
}
#: A key that both kinds of endpoints have is one key.
NAMES = {"RealTimeEndpoint": "Endpoint", "ModeEndpoint": "Endpoint"}


#: What runs in SageMaker alone.
WITHOUT_TARGET = (
    ("several", "MultiModelEndpoint"),
    ("serverless", "ServerlessEndpoint"),
    ("function", "LambdaFunction"),
    ("components", "InferenceComponentEndpoint"),
)
#: Keys that a kind refuses, with what to write instead.
REFUSED = {
    *((kind, model, "target") for kind, model in WITHOUT_TARGET),
    ("function", "LambdaContainer", "image"),
    ("function", "NamedImage", "framework"),
    ("function", "NamedImage", "version"),
    *(("several", "ModelPackage", key) for key in ModelPackage.model_fields),
    *(("several", "ImageRepository", key) for key in ImageRepository.model_fields),
    *(("several", "PackagedArtifact", key) for key in PackagedArtifact.model_fields),
    ("several", "MultiModelContainer", "model_package"),
    ("several", "MultiModelEndpoint", "batching"),
    ("several", "Batching", "max_batch_size"),
    ("several", "Batching", "max_delay_ms"),
    ("several", "ServingImages", "neuron"),
    ("components", "RequestTraffic", "active_hours_per_day"),
    ("components", "UserTraffic", "active_hours_per_day"),
    ("components", "Latency", "max_wait_minutes"),
    # Nothing else calls a new fleet back.
    ("queue", "ErrorRateAlarm", "off_because"),
    ("transform", "Request", "payload_mb"),
    ("transform", "Request", "response_mb"),
    ("tuning", "Spot", "max_wait_hours"),
    ("tuning", "Spot", "on_demand_fallback"),
    ("transform", "AcceleratedServingImage", "inference_ami_version"),
}


def keys_of_the_schema() -> set[Key]:
    found = set()
    schema = environment_model().model_json_schema()

    def visit(part: Any, kind: str) -> None:
        if isinstance(part, list):
            for item in part:
                visit(item, kind)
        elif isinstance(part, dict) and "$ref" in part:
            name = part["$ref"].rsplit("/", 1)[-1]
            kind = KINDS.get(name, kind)
            for key, value in schema["$defs"][name].get("properties", {}).items():
                if (kind, NAMES.get(name, name), key) not in found:
                    found.add((kind, NAMES.get(name, name), key))
                    visit(value, kind)
        elif isinstance(part, dict):
            for item in part.values():
                visit(item, kind)

    visit(schema["properties"], "")
    return found


def keys_stated(value: Any, kind: str = "") -> Iterator[Key]:
    if isinstance(value, BaseModel):
        name = type(value).__name__
        kind = KINDS.get(name, kind)
        for key in value.model_fields_set:
            yield kind, NAMES.get(name, name), key
            yield from keys_stated(getattr(value, key), kind)
    elif isinstance(value, dict):
        for item in value.values():
            yield from keys_stated(item, kind)
    elif isinstance(value, tuple):
        for item in value:
            yield from keys_stated(item, kind)


def load(directory: Path, base: dict[str, Any]) -> Environment:
    # JSON is YAML.
    (directory / "base.yaml").write_text(json.dumps(base), "utf-8")
    (directory / "dev.yaml").write_text("policy: {allow_burstable: false}\n", "utf-8")
    return load_environment(directory, "dev").environment


def test_each_key_of_each_kind_loads(tmp_path: Path) -> None:
    stated = {key for base in every_key().values() for key in keys_stated(load(tmp_path, base))}
    assert keys_of_the_schema() - REFUSED <= stated


def unbounded(schema: Any, path: str) -> Iterator[str]:
    """Yield the places of a schema where a number, a text or a list may be as large as anybody likes."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from unbounded(item, f"{path}.{index}")
    elif isinstance(schema, dict):
        chosen = "enum" in schema or "const" in schema
        if schema.get("type") in ("integer", "number") and not chosen:
            least, most = {"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}
            if not (least & schema.keys() and most & schema.keys()):
                yield path
        # A pattern without + and * bounds a text as well.
        pattern = schema.get("pattern", "*")
        if (
            schema.get("type") == "string"
            and not chosen
            and "maxLength" not in schema
            and re.search("[+*]", pattern)
        ):
            yield path
        if schema.get("type") == "array" and "maxItems" not in schema and not chosen:
            yield path
        for key, item in schema.items():
            if key not in ("default", "examples", "patternProperties", "additionalProperties"):
                yield from unbounded(item, f"{path}.{key}")
        for name in ("patternProperties", "additionalProperties"):
            if isinstance(schema.get(name), dict):
                if "maxProperties" not in schema:
                    yield f"{path}.{name}"
                yield from unbounded(schema[name], f"{path}.{name}")


@pytest.mark.parametrize("model", [Environment, MeasurementsFile])
def test_every_number_text_and_list_has_bounds(model: type[BaseModel]) -> None:
    # Names and values of variables and hyperparameters have the limits of each request: sizewell.config.request_members.
    members = (".environment.", ".hyperparameters.")
    found = unbounded(model.model_json_schema(), model.__name__)
    assert [place for place in found if not any(part in place for part in members)] == []


def test_patterns_take_ascii_digits_and_letters_only() -> None:
    r"""In the patterns of pydantic, as in JavaScript's with the flag u, \d and \w stand for those of every script."""
    text = json.dumps(environment_model().model_json_schema()) + json.dumps(
        MeasurementsFile.model_json_schema()
    )
    assert "\\\\d" not in text
    assert "\\\\w" not in text
