"""``measurements.yaml``: what holds where, every mistake at its line, and adding to the text without touching the rest."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sizewell.config import load_environment
from sizewell.config.json_schema import measurements_schema_text
from sizewell.config.measured_instance import MeasuredInstance, MeasurementsFile
from sizewell.config.measurements import read_measurements
from sizewell.config.measurements_writer import HEADER, add_measurements
from sizewell.config.yaml_source import parse_yaml

MessageOf = Callable[[str], str]


@pytest.fixture
def message_of(directory: Path, message_for: MessageOf) -> MessageOf:
    """Return a function that gives the message for a text of measurements.yaml, which is wrong."""

    def message(text: str) -> str:
        (directory / "measurements.yaml").write_text(text, "utf-8")
        return message_for("policy: {allow_spot: true}\n")

    return message


def one(**changes: Any) -> MeasuredInstance:
    return MeasuredInstance.model_validate({"instance_type": "ml.g5.xlarge", "p95_latency_ms": 40, **changes})


def written(text: str) -> dict[str, tuple[MeasuredInstance, ...]]:
    root, faults = parse_yaml(text, "measurements.yaml")
    assert root is not None
    assert faults == []
    return MeasurementsFile.model_validate_json(json.dumps(root.plain()), strict=True).workloads


def added(text: str | None, workload: str, *measured: MeasuredInstance) -> str:
    before = () if text is None else written(text).get(workload, ())
    return add_measurements(text, workload, before, measured)


def test_no_file_is_no_measurement(directory: Path) -> None:
    assert load_environment(directory, "dev").measurements.of("support-bert", "dev") == ()


def test_measurements_are_those_of_the_file(directory: Path) -> None:
    (directory / "measurements.yaml").write_text(
        "workloads:\n"
        "  support-bert:\n"
        "    - {instance_type: ml.g5.xlarge, concurrency: 8, p95_latency_ms: 40, date: 2026-11-03, source: us}\n"
        "    - {instance_type: ml.c7i.xlarge, max_requests_per_second: 5}\n",
        "utf-8",
    )
    assert load_environment(directory, "dev").measurements.of("support-bert", "dev") == (
        one(concurrency=8, date="2026-11-03", source="us"),
        one(instance_type="ml.c7i.xlarge", p95_latency_ms=None, max_requests_per_second=5),
    )


def test_one_of_an_environment_replaces_there_the_one_of_all(directory: Path) -> None:
    (directory / "measurements.yaml").write_text(
        "workloads:\n"
        "  support-bert:\n"
        "    - {instance_type: ml.g5.xlarge, p95_latency_ms: 30, environment: dev}\n"
        "    - {instance_type: ml.g5.xlarge, p95_latency_ms: 40}\n"
        "    - {instance_type: ml.g5.xlarge, p95_latency_ms: 90, concurrency: 8}\n",
        "utf-8",
    )
    measurements, faults = read_measurements(directory)
    assert faults == []

    def latencies(environment: str) -> list[float | None]:
        return [one.p95_latency_ms for one in measurements.of("support-bert", environment)]

    assert latencies("dev") == [30, 90]
    assert latencies("prod") == [40, 90]
    assert measurements.of("another", "dev") == ()


def test_workload_of_another_environment_is_no_mistake(directory: Path) -> None:
    (directory / "prod.yaml").write_text("workloads: {only-prod: {kind: training-job}}\n", "utf-8")
    (directory / "measurements.yaml").write_text(
        "workloads:\n  only-prod:\n    - {instance_type: ml.p5.48xlarge, training_units_per_second: 9}\n",
        "utf-8",
    )
    assert load_environment(directory, "dev").measurements.of("only-prod", "prod")


MISTAKES = {
    "empty": (
        "# nothing yet\n",
        "config/measurements.yaml:1\n"
        "  the file is empty\n"
        "  write the keys of the configuration, for example workloads: {}",
    ),
    "top": (
        "workload: {}\n",
        "config/measurements.yaml:1  workload\n  unknown key\n  did you mean workloads?",
    ),
    "name": (
        "workloads: {Support_BERT: []}\n",
        "config/measurements.yaml:1  workloads.Support_BERT\n"
        "  the name is not allowed; expected that of a workload, such as support-bert",
    ),
    "unknown workload": (
        "workloads:\n  suport-bert: [{instance_type: ml.g5.xlarge, p95_latency_ms: 4}]\n",
        "config/measurements.yaml:2  workloads.suport-bert\n"
        "  no environment has a workload of this name\n"
        "  did you mean support-bert?",
    ),
    "unknown environment": (
        "workloads:\n  support-bert:\n    - instance_type: ml.g5.xlarge\n      p95_latency_ms: 4\n      environment: dve\n",
        "config/measurements.yaml:5  workloads.support-bert.0.environment\n"
        '  got "dve" (text); there is no such environment; environments with a file: dev\n'
        "  did you mean dev?",
    ),
    "no list": (
        "workloads:\n  support-bert: {instance_type: ml.g5.xlarge}\n",
        "config/measurements.yaml:2  workloads.support-bert\n"
        "  got a map; expected a list\n"
        "  a measurement is an item of a list: begin it with - instance_type:",
    ),
    "unknown key": (
        "workloads:\n  support-bert:\n    - instance_type: ml.g5.xlarge\n      p95_latency: 4\n",
        "config/measurements.yaml:4  workloads.support-bert.0.p95_latency\n"
        "  unknown key\n"
        "  did you mean p95_latency_ms?",
    ),
    "missing": (
        "workloads:\n  support-bert:\n    - p95_latency_ms: 4\n",
        "config/measurements.yaml:3  workloads.support-bert.0.instance_type\n"
        "  is missing; expected text of at most 40 characters such as ml.g5.xlarge",
    ),
    "unit": (
        "workloads:\n  support-bert:\n    - {instance_type: ml.g5.xlarge, p95_latency_ms: 4ms}\n",
        "config/measurements.yaml:3  workloads.support-bert.0.p95_latency_ms\n"
        '  got "4ms" (text); expected a number of at least 0.001 and at most 3,600,000\n'
        "  the unit (milliseconds) is in the key's name: write p95_latency_ms: 4",
    ),
    "nothing": (
        "workloads:\n  support-bert:\n    - {instance_type: ml.g5.xlarge, concurrency: 4}\n",
        "config/measurements.yaml:3  workloads.support-bert.0\n"
        "  nothing is measured; give at least one of p95_latency_ms, time_to_first_token_ms, inter_token_ms, "
        "max_requests_per_second, training_units_per_second, peak_accelerator_memory_gib",
    ),
    "training figure of an endpoint": (
        "workloads:\n  support-bert:\n    - {instance_type: ml.g5.xlarge, training_units_per_second: 4}\n",
        "config/measurements.yaml:3  workloads.support-bert.0.training_units_per_second\n"
        "  is measured of a training job, but this workload is of the kind real-time-endpoint",
    ),
    "latency of a training job": (
        "workloads:\n  nightly-lora:\n    - {instance_type: ml.g5.xlarge, p95_latency_ms: 4}\n",
        "config/measurements.yaml:3  workloads.nightly-lora.0.p95_latency_ms\n"
        "  is measured of an endpoint, but this workload is of the kind training-job",
    ),
    "several instances of an endpoint": (
        "workloads:\n  support-bert:\n    - {instance_type: ml.g5.xlarge, p95_latency_ms: 4, instance_count: 2}\n",
        "config/measurements.yaml:3  workloads.support-bert.0.instance_count\n"
        "  what is measured of an endpoint is of one instance: divide, and remove the key",
    ),
    "twice": (
        "workloads:\n"
        "  support-bert:\n"
        "    - {instance_type: ml.g5.xlarge, p95_latency_ms: 4}\n"
        "    - {instance_type: ml.g5.xlarge, p95_latency_ms: 5}\n",
        "config/measurements.yaml:4  workloads.support-bert.1\n"
        "  the same instance type, concurrency and environment are measured on line 3\n"
        "  keep one of the two",
    ),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake(message_of: MessageOf, text: str, expected: str) -> None:
    assert message_of(text) == expected


@pytest.mark.parametrize(
    "value",
    [
        "p95_latency_ms: 0",
        "p95_latency_ms: -1",
        "max_requests_per_second: 1e9",
        "concurrency: 0",
        "date: today",
    ],
)
def test_value_that_cannot_be_right(message_of: MessageOf, value: str) -> None:
    key = value.partition(":")[0]
    message = message_of(
        f"workloads:\n  support-bert:\n    - instance_type: ml.g5.xlarge\n      peak_accelerator_memory_gib: 3\n      {value}\n"
    )
    assert message.startswith(f"config/measurements.yaml:5  workloads.support-bert.0.{key}\n  got ")


def test_mistakes_of_all_files_come_at_once(directory: Path, message_for: MessageOf) -> None:
    (directory / "measurements.yaml").write_text("workloads: {Support_BERT: []}\n", "utf-8")
    message = message_for("polcy: {}\n")
    assert message.count("config/dev.yaml:1  polcy") == 1
    assert message.count("config/measurements.yaml:1  workloads.Support_BERT") == 1


def test_secret_is_found_and_not_repeated(message_of: MessageOf) -> None:
    secret = "hf_" + "Zq9x" * 9
    message = message_of(
        f"workloads:\n  support-bert:\n    - {{instance_type: ml.g5.xlarge, p95_latency_ms: 4, source: {secret}}}\n"
    )
    assert "a secret must not stand in the configuration" in message
    assert "Zq9x" not in message


TEXT = """\
# yaml-language-server: $schema=measurements.schema.json
# ours

workloads:
  # tickets
  support-bert:
    - instance_type: ml.g5.xlarge   # cold
      p95_latency_ms: 40.0
      date: 2026-11-03

  # tuning
  nightly-lora:
    - {instance_type: ml.p5.48xlarge, training_units_per_second: 9}
    - instance_type: 'ml.p4d.24xlarge'
      training_units_per_second: 3
      source: "a run of twelve hours on the data of October: checkpoints every quarter of an hour"
    # to be measured again
"""


def test_new_file_says_what_it_is() -> None:
    text = added(None, "support-bert", one(date="2026-11-03", source="load test"))
    assert text == HEADER + (
        "workloads:\n"
        "  support-bert:\n"
        "    - instance_type: ml.g5.xlarge\n"
        "      p95_latency_ms: 40\n"
        '      date: "2026-11-03"\n'
        "      source: load test\n"
    )


def test_addition_stands_below_its_workload_and_changes_no_other_line() -> None:
    text = added(TEXT, "support-bert", one(instance_type="ml.g6.xlarge"))
    addition = "    - instance_type: ml.g6.xlarge\n      p95_latency_ms: 40\n"
    assert text == TEXT.replace("      date: 2026-11-03\n", f"      date: 2026-11-03\n{addition}")


def test_replacement_stands_where_it_stood_and_keeps_its_comments() -> None:
    text = added(TEXT, "support-bert", one(max_requests_per_second=5))
    assert text == TEXT.replace("p95_latency_ms: 40.0", "p95_latency_ms: 40").replace(
        "      date: 2026-11-03\n", "      max_requests_per_second: 5\n"
    )


def test_other_concurrency_is_another_measurement() -> None:
    assert written(added(TEXT, "support-bert", one(concurrency=8)))["support-bert"] == (
        one(date="2026-11-03"),
        one(concurrency=8),
    )


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("    -", "  -").replace("      ", "    "),
        TEXT.replace("      ", "        ").replace("- ", "-   "),
        TEXT.replace("\n", "\r\n"),
        "workloads: {}\n",
        "workloads:\n  support-bert: []\n",
        "{}\n",
    ],
    ids=["usual", "flat", "wide", "windows", "no workload", "no measurement", "nothing"],
)
def test_any_way_of_writing_is_kept(text: str) -> None:
    new = added(text, "support-bert", one(instance_type="ml.g6.xlarge"))
    assert written(new)["support-bert"][-1] == one(instance_type="ml.g6.xlarge")
    kept = [line for line in text.splitlines() if "instance_type" in line or "#" in line]
    assert [line for line in new.splitlines() if line in kept] == kept
    assert ("\r\n" in new) == ("\r\n" in text)


@given(
    st.lists(
        st.builds(
            one,
            instance_type=st.sampled_from(["ml.g5.xlarge", "ml.c7i.xlarge"]),
            concurrency=st.none() | st.floats(0.001, 1000),
            p95_latency_ms=st.floats(0.001, 1000),
            environment=st.sampled_from([None, "dev"]),
            source=st.none() | st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=20),
        ),
        unique_by=lambda one: one.key,
        max_size=5,
    )
)
@settings(max_examples=60)
def test_what_is_added_is_read_again_and_adding_it_twice_changes_nothing(
    measured: list[MeasuredInstance],
) -> None:
    before = written(TEXT)
    text = added(TEXT, "support-bert", *measured)
    expected = {one.key: one for one in (*before["support-bert"], *measured)}
    assert written(text) == {**before, "support-bert": tuple(expected.values())}
    assert added(text, "support-bert", *measured) == text


@pytest.mark.parametrize(
    ("text", "valid"), [(TEXT, True), ("workloads: {a-b: [{p95_latency_ms: 1}]}", False)]
)
def test_schema_says_what_the_models_say(text: str, valid: bool) -> None:
    root, _ = parse_yaml(text, "measurements.yaml")
    assert root is not None
    assert Draft202012Validator(json.loads(measurements_schema_text())).is_valid(root.plain()) is valid


def test_guide_lists_every_key(project_root: Path) -> None:
    guide = (project_root / "docs" / "guides" / "measurements.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE) == list(MeasuredInstance.model_fields)


def test_example_of_the_guide_is_valid(project_root: Path) -> None:
    guide = (project_root / "docs" / "guides" / "measurements.md").read_text("utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert written(example)
