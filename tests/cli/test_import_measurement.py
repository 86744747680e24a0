"""``sizewell import-measurement``: the file, the table, and every refusal without a trace in the file."""

import json
from pathlib import Path

import pytest

from sizewell.config.measurements_writer import HEADER
from sizewell.planning.load import load_inputs
from sizewell.planning.measurements import measurements_by_workload
from tests.cli.conftest import Sizewell

CSV = (
    "instance_type,concurrency,p95_latency_ms,max_requests_per_second,date,source\n"
    "ml.g4dn.xlarge,8,31,240,2026-11-03,load test\n"
    "ml.g5.xlarge,8,18.5,,,\n"
)
WRITTEN = """\
workloads:
  support-bert:
    - instance_type: ml.g4dn.xlarge
      concurrency: 8
      p95_latency_ms: 31
      max_requests_per_second: 240
      date: "2026-11-03"
      source: load test
    - instance_type: ml.g5.xlarge
      concurrency: 8
      p95_latency_ms: 18.5
"""


@pytest.fixture
def results(directory: Path) -> Path:
    """Return the results of a load test, beside the configuration directory."""
    path = directory.parent / "results.csv"
    path.write_text(CSV, "utf-8")
    return path


@pytest.fixture
def file(directory: Path) -> Path:
    return directory / "measurements.yaml"


def failure(sizewell: Sizewell, *arguments: str) -> str:
    result = sizewell("import-measurement", *arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code, result.stdout) == (1, "")
    return result.stderr


@pytest.mark.usefixtures("results")
def test_results_are_written_and_shown(file: Path, sizewell: Sizewell) -> None:
    result = sizewell("import-measurement", "results.csv", "--workload", "support-bert")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "support-bert: 2 added in config/measurements.yaml"
    assert lines[2].split() == ["instance", "type", "concurrency", "p95", "requests/s", "date", "source"]
    assert lines[4].split() == [
        "added",
        "ml.g4dn.xlarge",
        "8",
        "31",
        "ms",
        "240",
        "2026-11-03",
        "load",
        "test",
    ]
    assert lines[5].split() == ["added", "ml.g5.xlarge", "8", "18", "ms"]
    text = file.read_text("utf-8")
    assert text == HEADER + WRITTEN
    assert [path.name for path in file.parent.iterdir() if "measurements" in path.name] == [
        "measurements.yaml"
    ]


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize("place", ["", "../.sizewell/", "https://example.com/"])
def test_a_new_file_names_the_schema_beside_that_of_the_configuration(
    directory: Path, file: Path, sizewell: Sizewell, place: str
) -> None:
    base = directory / "base.yaml"
    base.write_text(f"# yaml-language-server: $schema={place}schema.json\n{base.read_text('utf-8')}", "utf-8")
    assert sizewell("import-measurement", "results.csv", "--workload", "support-bert").exit_code == 0
    line = f"# yaml-language-server: $schema={place}measurements.schema.json\n#\n"
    assert file.read_text("utf-8") == line + HEADER + WRITTEN


@pytest.mark.usefixtures("results")
def test_what_is_written_reaches_the_selection(directory: Path, sizewell: Sizewell) -> None:
    assert sizewell("import-measurement", "results.csv", "--workload", "support-bert").exit_code == 0
    loaded = load_inputs(directory, "dev").loaded
    measured = measurements_by_workload(loaded.measurements, loaded.environment)
    assert measured.keys() == {"support-bert"}
    assert [(one.instance_type, one.p95_latency_ms, one.source) for one in measured["support-bert"]] == [
        ("ml.g4dn.xlarge", 31, "load test"),
        ("ml.g5.xlarge", 18.5, ""),
    ]


@pytest.mark.usefixtures("results")
def test_second_import_replaces_and_says_so(file: Path, sizewell: Sizewell) -> None:
    file.write_text(
        "# ours\n"
        + WRITTEN.replace("31", "45 # was cold").replace(
            "- instance_type: ml.g5", "# new\n    - instance_type: ml.g6"
        ),
        "utf-8",
    )
    result = sizewell("import-measurement", "results.csv", "--workload", "support-bert")
    assert result.stdout.splitlines()[0] == "support-bert: 1 added, 1 replaced in config/measurements.yaml"
    text = file.read_text("utf-8")
    assert text.startswith("# ours\nworkloads:\n")
    assert "p95_latency_ms: 31 # was cold\n" in text
    assert "    # new\n    - instance_type: ml.g6.xlarge\n" in text
    assert text.count("instance_type") == 3
    again = sizewell("import-measurement", "results.csv", "--workload", "support-bert")
    assert again.stdout.splitlines()[0] == "support-bert: 2 unchanged in config/measurements.yaml"
    assert file.read_text("utf-8") == text


@pytest.mark.usefixtures("results")
def test_dry_run_writes_nothing(file: Path, sizewell: Sizewell) -> None:
    result = sizewell("import-measurement", "results.csv", "--workload", "support-bert", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == (
        "support-bert: 2 added in config/measurements.yaml (dry run: nothing is written)"
    )
    assert not file.exists()


@pytest.mark.usefixtures("results")
def test_environment_is_kept_apart(file: Path, sizewell: Sizewell) -> None:
    for arguments in ((), ("--env", "dev")):
        assert (
            sizewell("import-measurement", "results.csv", "--workload", "support-bert", *arguments).exit_code
            == 0
        )
    assert file.read_text("utf-8").count("environment: dev") == 2
    assert file.read_text("utf-8").count("instance_type") == 4


def test_notes_stand_below_the_table(directory: Path, sizewell: Sizewell) -> None:
    job = {
        "JobName": "b [bold]7",
        "InferenceRecommendations": [
            {
                "EndpointConfiguration": {"InstanceType": "ml.g5.xlarge"},
                "Metrics": {"MaxInvocations": 600, "ModelLatency": 20},
            }
        ],
    }
    (directory.parent / "job.json").write_text(json.dumps(job), "utf-8")
    result = sizewell("import-measurement", "job.json", "--workload", "support-bert")
    assert "inference-recommender job b [bold]7" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("ModelLatency is the latency at the highest load")


@pytest.mark.usefixtures("results")
def test_unknown_workload(file: Path, sizewell: Sizewell) -> None:
    assert failure(sizewell, "results.csv", "--workload", "suport-bert") == (
        'there is no workload "suport-bert" in config; it has: support-bert, nightly-lora\n'
        "did you mean support-bert?\n"
    )
    assert 'there is no workload "suport-bert" in dev' in failure(
        sizewell, "results.csv", "--workload", "suport-bert", "--env", "dev"
    )
    assert not file.exists()


@pytest.mark.usefixtures("results")
def test_unknown_environment(sizewell: Sizewell) -> None:
    message = failure(sizewell, "results.csv", "--workload", "support-bert", "--env", "dve")
    assert message.startswith('config/dve.yaml\n  there is no environment "dve"')


@pytest.mark.usefixtures("directory")
def test_missing_file(sizewell: Sizewell) -> None:
    assert failure(sizewell, "absent.json", "--workload", "support-bert") == (
        "absent.json\n  the file cannot be read: No such file or directory\n"
    )


@pytest.mark.usefixtures("directory")
def test_missing_directory(results: Path, sizewell: Sizewell) -> None:
    message = failure(sizewell, str(results), "--workload", "support-bert", "--config", "nowhere")
    assert message == "nowhere/base.yaml\n  the file cannot be read: No such file or directory\n"


def test_binary_file(results: Path, sizewell: Sizewell) -> None:
    results.write_bytes(b"instance_type\xff")
    assert failure(sizewell, "results.csv", "--workload", "support-bert") == (
        "results.csv:1\n  the byte at offset 13 is not UTF-8\n  save the file as UTF-8\n"
    )


def test_mistake_in_the_results_leaves_the_file_alone(results: Path, file: Path, sizewell: Sizewell) -> None:
    file.write_text(WRITTEN, "utf-8")
    results.write_text(CSV.replace("31", "-31").replace("ml.g5.xlarge", "ml.g5.xlrge"), "utf-8")
    message = failure(sizewell, "results.csv", "--workload", "support-bert")
    assert "results.csv:2  p95_latency_ms\n  got -31.0; expected a number of at least 0.001" in message
    assert 'results.csv:3  instance_type\n  SageMaker has no instance type "ml.g5.xlrge"' in message
    assert "did you mean ml.g5.xlarge" in message
    assert file.read_text("utf-8") == WRITTEN


@pytest.mark.usefixtures("results")
def test_mistake_in_the_file_comes_first(file: Path, sizewell: Sizewell) -> None:
    file.write_text("workload: {}\n", "utf-8")
    message = failure(sizewell, "results.csv", "--workload", "support-bert")
    assert message == "config/measurements.yaml:1  workload\n  unknown key\n  did you mean workloads?\n"


@pytest.mark.usefixtures("results")
def test_aliases_are_not_changed_in_several_places(file: Path, sizewell: Sizewell) -> None:
    text = (
        "workloads:\n"
        "  support-bert: &same\n"
        "    - {instance_type: ml.g5.xlarge, concurrency: 8, peak_accelerator_memory_gib: 3}\n"
        "  nightly-lora: *same\n"
    ).replace("concurrency: 8, ", "")
    file.write_text(text, "utf-8")
    assert failure(sizewell, "results.csv", "--workload", "support-bert") == (
        "config/measurements.yaml\n"
        "  the file cannot be changed without changing more\n"
        "  write aliases and anchors out\n"
    )
    assert file.read_text("utf-8") == text


@pytest.mark.usefixtures("results")
def test_latency_is_not_measured_of_a_training_job(sizewell: Sizewell) -> None:
    message = failure(sizewell, "results.csv", "--workload", "nightly-lora")
    assert "results.csv:2  p95_latency_ms\n  is measured of an endpoint" in message


def test_plan_refuses_a_type_that_does_not_exist(file: Path, sizewell: Sizewell) -> None:
    file.write_text(WRITTEN.replace("ml.g5.xlarge", "ml.g5.xlrge"), "utf-8")
    result = sizewell("plan", "--env", "dev")
    assert result.exit_code == 1
    assert result.stderr.startswith(
        "config/measurements.yaml:9  workloads.support-bert.1.instance_type\n"
        '  SageMaker has no instance type "ml.g5.xlrge", in any region\n'
        "  did you mean ml.g5.xlarge"
    )


@pytest.mark.usefixtures("directory")
def test_measurements_are_no_environment(file: Path, sizewell: Sizewell) -> None:
    file.write_text(WRITTEN, "utf-8")
    result = sizewell("plan", "--env", "measurements")
    assert result.stderr == (
        "config/measurements.yaml\n"
        '  there is no environment "measurements"; environments with a file: dev\n'
        "  measurements.yaml holds what was measured; it is no environment\n"
    )
