"""What is wrong with a measurement, said as for the rest of the configuration."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from sizewell.config.faults import Fault, near_match, show_value, value_fault
from sizewell.config.kind import ConfigKind
from sizewell.config.measured_instance import (
    ENDPOINT_KEYS,
    TRAINING_KEYS,
    MeasuredInstance,
    MeasurementsFile,
)
from sizewell.config.model_faults import type_hint
from sizewell.config.schema_words import expected_words
from sizewell.config.tree import Node
from sizewell.kinds.registry import facet, kind_names


def kind_faults(measured: MeasuredInstance, kind: str | None) -> Iterator[tuple[str, str]]:
    """Yield the keys that do not go with the kind of a workload, and why; none when the kind is not known."""
    if kind is None or kind not in kind_names():
        return
    workload = facet(kind, ConfigKind).model
    if workload.unmeasured_keys:
        for key, why in workload.unmeasured_keys.items():
            if getattr(measured, key) is not None:
                yield key, f"has no effect: {why}"
        return
    for key in (*ENDPOINT_KEYS, "concurrency") if workload.trains else TRAINING_KEYS:
        if getattr(measured, key) is not None:
            other = "an endpoint" if workload.trains else "a training job"
            yield key, f"is measured of {other}, but this workload is of the kind {kind}"
    if not workload.trains and measured.instance_count != 1:
        yield (
            "instance_count",
            "what is measured of an endpoint is of one instance: divide, and remove the key",
        )


def measured_key_fault(key: str, value: Any) -> tuple[str, str | None]:
    """Return what a value of a key must be, in words, and a hint for the value that came in."""
    schema = MeasuredInstance.model_json_schema()["properties"][key]
    words = expected_words(schema)
    return f"expected {words}", type_hint(key, value, schema) or schema.get("description")


def measurement_model_faults(error: ValidationError, root: Node) -> Iterator[Fault]:
    """Yield the faults behind the errors of pydantic, at their lines."""
    keys = {0: tuple(MeasurementsFile.model_fields), 3: tuple(MeasuredInstance.model_fields)}
    for details in error.errors(include_url=False):
        path = tuple(str(part) for part in details["loc"] if part != "[key]")
        node = root.nearest(path)
        if details["type"] == "extra_forbidden":
            allowed = keys[len(path) - 1]
            match = near_match(path[-1], allowed)
            message, hint = (
                ("unknown key", f"did you mean {match}?") if match else ("unknown key; allowed", None)
            )
            yield value_fault(node.position, path, message, allowed=() if match else allowed, hint=hint)
        elif details["type"] == "missing":
            yield value_fault(node.position, path, f"is missing; {measured_key_fault(path[-1], None)[0]}")
        elif details["type"] == "rule":
            yield value_fault(node.position, path, details["ctx"]["reason"])
        elif "[key]" in details["loc"]:
            message = "the name is not allowed; expected that of a workload, such as support-bert"
            yield value_fault(node.position, path, message)
        elif len(path) > 3:
            message, hint = measured_key_fault(path[3], details["input"])
            yield value_fault(node.position, path, message, value=show_value(details["input"]), hint=hint)
        else:
            kind = ("a map", "a map of workloads", "a list", "a map")[len(path)]
            hint = (
                "a measurement is an item of a list: begin it with - instance_type:"
                if len(path) > 1
                else None
            )
            yield value_fault(
                node.position, path, f"expected {kind}", value=show_value(details["input"]), hint=hint
            )
