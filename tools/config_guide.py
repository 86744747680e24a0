"""The tables of keys in docs/guides/configuration.md: ``python -m tools.config_guide`` writes their rows from the models."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from sizewell.config.schema_places import JsonSchema, environment_schema, resolve
from sizewell.config.schema_words import allowed_values, expected_words

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "configuration.md"
_TOP = "The top level"
_TABLE = re.compile(r"^### (.+)\n(?:(?!###).*\n)*?\| key \| value .*\n\|---.*\n((?:\|.*\n)+)", re.MULTILINE)
#: These have the same keys as the images for NVIDIA's hardware, as the network and what exists where the policy says, as
#: the containers before the model or the container itself, also where a pipeline registers it, as the metrics that are tracked,
#: and as the first alarm of their unit.
_SAME_KEYS = (
    ".pipeline.after",
    *(f".pipeline.{side}.{key}" for side in ("before", "after") for key in ("image", "images", "artifact")),
    *(f".steps.<name>.container.{key}" for key in ("image", "images", "images.cuda")),
    *(".images.neuron", ".images.cpu_x86_64", ".images.cpu_arm64"),
    *("places.<name>.network", "places.<name>.network.proxy", "places.<name>.existing"),
    ".scaling.steps.<name>.metrics.<name>",
    *(
        ".alarms.expired_requests",
        ".alarms.response_upload_failures",
        ".alarms.notification_failures",
        ".alarms.provisioned_concurrency_spillover",
        ".alarms.throttles",
    ),
    *(
        ".alarms.model_error_rate",
        ".alarms.client_error_rate",
        ".alarms.error_rate",
        ".alarms.model_latency_p99",
        ".alarms.overhead_latency",
        ".alarms.duration_p99",
    ),
    *(
        ".alarms.gpu_utilization",
        ".alarms.gpu_memory_utilization",
        ".alarms.memory_utilization",
        ".alarms.disk_utilization",
        ".alarms.concurrency_utilization",
    ),
)
#: What is below one component has the keys of an endpoint of one model, beside these.
_AS_OF_ONE_MODEL = re.compile(r"\.components\.<name>\.(?!scaling$|alarms$)")
#: Below a variant stands what stands below its endpoint.
_OF_A_VARIANT = ("workloads.<name>.variants.<name>.", "workloads.<name>.shadow.")
#: Keys that tell the members of a union apart; of traffic, its first key does.
_TAGS = ("kind", "architecture", "mode", "preset", "type")
#: The forms of an image, by the first key of each.
_FORMS = {"account": "written out", "framework": "by name"}

#: By section, by key: the member of a union that has it, its schema there, and whether it must be stated.
Keys = dict[str, dict[str, list[tuple[str, JsonSchema, bool]]]]


def updated_guide(text: str) -> str:
    """Return the guide with the rows of all keys; raises ValueError when a section is missing, or there is one too many."""
    keys = _keys()
    if (sections := {match[1].strip("`") for match in _TABLE.finditer(text)}) != keys.keys():
        raise ValueError(
            f"{GUIDE.name} needs a section, `### `KEY``, with the head of a table and one row, of each of: "
            f"{', '.join(sorted(keys.keys() - sections)) or 'none'}; of these it needs none: "
            f"{', '.join(sorted(sections - keys.keys())) or 'none'}"
        )
    return _TABLE.sub(lambda table: table[0].removesuffix(table[2]) + _rows(keys[table[1].strip("`")]), text)


def _keys() -> Keys:
    found: Keys = defaultdict(lambda: defaultdict(list))

    def visit(schema: JsonSchema, path: str, above: str) -> None:
        members = list(_members(resolve(schema)))
        for member in members:
            properties = member.get("properties", {})
            tag = _tag(properties) if len(members) > 1 else above
            for key, value in properties.items():
                place = (tag, value, key in member.get("required", ()))
                if place not in found[path or _TOP][key]:
                    found[path or _TOP][key].append(place)
                visit(value, f"{path}.{key}".strip("."), tag)
            for value in member.get("patternProperties", {}).values():
                visit(value, f"{path}.<name>", tag)
            if "items" in member:
                visit(member["items"], path, tag)

    visit(environment_schema(), "", "")
    del found[_TOP]["name"]  # it is the name of the file
    return {
        path: dict(keys)
        for path, keys in found.items()
        if not path.endswith(_SAME_KEYS)
        and not _AS_OF_ONE_MODEL.search(path)
        and not path.startswith(_OF_A_VARIANT)
    }


def _members(schema: JsonSchema) -> Iterator[JsonSchema]:
    """Yield the models of a union, and of a union in it; a model is its only member."""
    for member in schema.get("oneOf", [schema]):
        resolved = resolve(member)
        if "oneOf" in resolved:
            yield from _members(resolved)
        else:
            yield resolved


def _tag(properties: JsonSchema) -> str:
    for key in _TAGS:
        if key in properties:
            return "preset" if "preset" in properties else ", ".join(allowed_values(properties[key]))
    first = next(iter(properties))
    return _FORMS.get(first) or first.removeprefix("peak_").replace("_", " ")


def _rows(keys: dict[str, list[tuple[str, JsonSchema, bool]]]) -> str:
    everywhere = {tag for places in keys.values() for tag, _, _ in places}
    return "".join(
        f"| `{key}` | {_value(places)} | {_default(places[0])} | {_meaning(places, everywhere)} |\n"
        for key, places in keys.items()
    )


def _value(places: list[tuple[str, JsonSchema, bool]]) -> str:
    schema = resolve(places[0][1])
    values = dict.fromkeys(value for _, place, _ in places for value in allowed_values(place))
    of_items = allowed_values(schema["items"]) if "items" in schema else ()
    if values or of_items:
        listed = ", ".join(f"`{value}`" for value in values or of_items)
        return f"a list of {listed}" if of_items else listed
    return expected_words(schema)


def _default(place: tuple[str, JsonSchema, bool]) -> str:
    _, schema, required = place
    default = schema.get("default")
    if required:
        return "required"
    return "" if default is None or isinstance(default, dict) else f"`{json.dumps(default)}`"


def _meaning(places: list[tuple[str, JsonSchema, bool]], everywhere: set[str]) -> str:
    """Return the descriptions, each with the members that it holds for unless it holds for all."""
    texts: dict[str, list[str]] = defaultdict(list)
    for tag, schema, _ in places:
        # Beside a preset every key means the same, and is known.
        if tag != "preset" or len(places) == 1:
            texts[schema["description"]].append(tag)
    return " ".join(
        text if set(tags) >= everywhere - {"preset"} else f"({', '.join(tags)}) {text}"
        for text, tags in texts.items()
    )


if __name__ == "__main__":
    GUIDE.write_text(updated_guide(GUIDE.read_text("utf-8")), "utf-8")
