"""Faults of the plan stand at the line of the file that asks for too much."""

from pathlib import Path

import pytest

from sizewell.config import ConfigError
from sizewell.planning import load_plan

BASE = """\
platform: demo
network: {mode: new}
policy:
  account: "111122223333"
  region: us-east-1
workloads:
  plants:
    kind: real-time-endpoint
    model:
      architecture: cnn
      parameters_millions: 25.6
      layers: 50
      forward_gflops_per_image: 8.2
      activations_millions_per_image: 11.1
    container:
      images:
        cuda: {framework: pytorch, version: "2.6"}
      artifact: {key: models/plants/model.tar.gz}
    request: {images: 1}
    traffic: {peak_requests_per_second: 2, average_requests_per_second: 1}
    latency: {max_p95_ms: 200}
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    directory = Path("config")
    directory.mkdir()
    (directory / "base.yaml").write_text(BASE, "utf-8")
    return directory


def message(directory: Path, text: str) -> str:
    (directory / "dev.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_plan(directory, "dev")
    return raised.value.render()


def test_plan_of_a_directory(directory: Path) -> None:
    (directory / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    plan = load_plan(directory, "dev")
    assert plan.environment == "dev"
    assert [workload.name for workload in plan.workloads] == ["plants"]


def _add_to_base(directory: Path, text: str) -> None:
    (directory / "base.yaml").write_text(BASE + text, "utf-8")


def test_names_without_the_environment_are_those_of_another_one(directory: Path) -> None:
    _add_to_base(
        directory, 'names: {bucket: "{platform}-{purpose}-{account}-{region}", stack: "ml-{workload}"}\n'
    )
    (directory / "prod.yaml").write_text("policy: {removal: destroy}\n", "utf-8")

    text = message(directory, "policy: {removal: destroy}\n")

    assert "config/base.yaml:22  names.bucket" in text
    assert (
        "gives dev and prod one name, demo-access-logs-111122223333-us-east-1: no two buckets in the world have one name"
        in text
    )
    assert "config/base.yaml:22  names.stack" in text
    assert (
        "gives dev and prod one name, ml-foundation: in account 111122223333 and us-east-1, a deployment of one would replace "
        "the other" in text
    )
    assert "write {environment} into the pattern" in text


def test_environments_of_two_accounts_may_share_names_that_hold_the_account(directory: Path) -> None:
    _add_to_base(directory, 'names: {bucket: "{platform}-{purpose}-{account}", stack: "ml-{workload}"}\n')
    (directory / "prod.yaml").write_text('policy: {account: "444455556666"}\n', "utf-8")
    (directory / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")

    assert load_plan(directory, "dev").foundation.stack_name == "ml-foundation"


def test_an_environment_that_cannot_be_read_takes_no_names(directory: Path) -> None:
    _add_to_base(directory, 'names: {bucket: "{platform}-{purpose}-{account}"}\n')
    (directory / "prod.yaml").write_text("polcy: {}\n", "utf-8")
    (directory / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")

    load_plan(directory, "dev")


def test_need_that_nothing_meets_stands_at_its_own_line(directory: Path) -> None:
    lines = message(directory, "workloads:\n  plants:\n    latency:\n      max_p95_ms: 0.1\n").splitlines()
    assert lines[0] == "config/dev.yaml:4  workloads.plants.latency.max_p95_ms"
    assert "meets all requirements; the nearest:" in lines[1]
    assert all(line.startswith("    ml.") and line.endswith(" times)") for line in lines[2:7])
    assert lines[7].startswith("  rejected: ")
    assert lines[8:] == [
        f"  max_p95_ms: {lines[8].split()[1]} is the least that any type reaches; "
        "allow more milliseconds, shorten the request or use a faster engine"
    ]
    assert float(lines[8].split()[1]) > 0.1


def test_need_of_the_base_stands_in_the_base(directory: Path) -> None:
    (directory / "base.yaml").write_text(BASE.replace("max_p95_ms: 200", "max_p95_ms: 0.1"), "utf-8")
    text = message(directory, "policy: {removal: destroy}\n")
    assert text.startswith("config/base.yaml:21  workloads.plants.latency.max_p95_ms\n")


def test_default_that_is_too_small_stands_at_its_workload(directory: Path) -> None:
    text = message(directory, "workloads:\n  plants:\n    traffic: {peak_requests_per_second: 1000000}\n")
    assert text.startswith("config/base.yaml:7  workloads.plants.scaling.max_instances\n")


def test_need_that_only_other_regions_meet_says_so(directory: Path) -> None:
    text = message(
        directory, "policy: {region: ap-east-2}\nworkloads:\n  plants:\n    latency: {max_p95_ms: 100}\n"
    )
    assert "\n  the region is the main reason: it offers 0 of the 57 types that the images run on\n" in text
    assert text.splitlines()[-1].startswith("  use another policy.region; or ")


def test_need_that_this_region_could_meet_does_not_blame_it(directory: Path) -> None:
    assert "the region is" not in message(
        directory, "workloads:\n  plants:\n    latency: {max_p95_ms: 0.1}\n"
    )


def test_secret_in_the_place_of_a_region_is_not_repeated(directory: Path) -> None:
    secret = "AKIA" + "ABCDEFGH23456777"
    text = message(directory, f"policy:\n  region: {secret}\n")
    assert text.count("policy.region") == 1
    assert secret not in text


def test_region_without_prices_has_near_matches(directory: Path) -> None:
    assert message(directory, "policy:\n  region: us-esat-1\n") == (
        "config/dev.yaml:2  policy.region\n"
        '  got "us-esat-1" (text); AWS publishes no SageMaker prices for this region\n'
        "  did you mean us-west-1 or us-east-1 or us-west-2?"
    )


def test_region_without_a_near_match_lists_all(directory: Path) -> None:
    _, sentence = message(directory, "policy:\n  region: xx-nowhere-9\n").splitlines()
    assert "; regions with prices: af-south-1, " in sentence


def test_region_is_reported_with_all_other_faults(directory: Path) -> None:
    text = message(
        directory,
        "policy:\n  region: us-est-1\n  removal: keep\nworkloads:\n  plants:\n    latency: {max_p95_ms: fast}\n",
    )
    assert [line for line in text.splitlines() if line.startswith("config/")] == [
        "config/dev.yaml:2  policy.region",
        "config/dev.yaml:3  policy.removal",
        "config/dev.yaml:6  workloads.plants.latency.max_p95_ms",
    ]


def test_budget_can_be_left_out(directory: Path) -> None:
    text = message(directory, "policy:\n  budget_usd_per_month: 1\n")
    assert text.startswith("config/dev.yaml:2  policy.budget_usd_per_month\n")
    found = load_plan(directory, "dev", within_budget=False).bill.usd_per_month
    assert found is not None
    assert found > 1


def keys_of(directory: Path, text: str) -> list[str]:
    (directory / "dev.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_plan(directory, "dev")
    return [".".join(fault.key_path) for fault in raised.value.faults]


def endpoint(name: str, preset: str, more: str) -> str:
    return f"""\
  {name}:
    kind: real-time-endpoint
    model: {{preset: {preset}}}
    container:
      images: {{cuda: {{framework: pytorch, version: "2.6"}}}}
      artifact: {{key: models/plants/model.tar.gz}}
    request: {{images: 1}}
    traffic: {{peak_requests_per_second: 2, average_requests_per_second: 1}}
    latency: {{max_p95_ms: 200}}
    {more}
"""


INFEASIBLE = "workloads:\n  plants: {latency: {max_p95_ms: 0.1}}\n"
BROKEN_RULE = endpoint("stones", "resnet-50", "scaling: {min_instances: 40}")


def test_sound_workloads_are_planned_beside_faulty_ones(directory: Path) -> None:
    rule = "workloads.stones.scaling.min_instances"
    assert keys_of(directory, INFEASIBLE + BROKEN_RULE) == ["workloads.plants.latency.max_p95_ms", rule]
    # A name that the schema does not know, and behind it a rule, a preset and a need.
    unknown = endpoint("animals", "no-such-model", "") + endpoint("water", "resnet-50", "latncy: {}")
    assert keys_of(directory, INFEASIBLE + BROKEN_RULE + unknown) == [
        "workloads.plants.latency.max_p95_ms",
        rule,
        "workloads.animals.model.preset",
        "workloads.water.latncy",
    ]


def test_what_concerns_all_workloads_is_mended_first(directory: Path) -> None:
    assert keys_of(directory, f"policy: {{allow_spt: true}}\n{INFEASIBLE}") == ["policy.allow_spt"]


def test_a_pipeline_is_not_blamed_for_the_fault_of_what_it_runs(directory: Path) -> None:
    job = """\
workloads:
  clean:
    kind: processing-job
    container: {images: {cpu_x86_64: {account: "111122223333", repository: a, tag: "1"}}}
    outputs: {made: {prefix: made/}}
    vcpus: 2
    memory_gib: four
    deadline_hours: 1
  steps: {kind: pipeline, steps: {first: {runs: clean}}}
"""
    assert keys_of(directory, job) == ["workloads.clean.memory_gib"]
