"""``sizewell add KIND``: a starter in a configuration that somebody has written."""

import re
from pathlib import Path

import pytest

from sizewell.config import environment_names
from sizewell.config.cluster import TargetKind
from sizewell.kinds.registry import kind_names
from sizewell.planning import load_for_synth
from sizewell.targets.registry import target_facet, target_names
from tests.cli.conftest import Sizewell

LATER = "\n# Of the company.\ntags: {team: a}\n"


@pytest.fixture
def config(tmp_path: Path, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the configuration of a platform, in whose directory the command runs."""
    monkeypatch.setattr("sizewell.synthesis.installed.addresses", lambda _: ())
    monkeypatch.chdir(tmp_path)
    assert sizewell("init", ".", "--name", "demo", "--workload", "batch-transform").exit_code == 0
    return tmp_path / "config"


def read(config: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in config.glob("*.yaml")}


def without(after: str, before: str) -> list[str]:
    """Return the lines that are new, which all stand together; everything else is as it was."""
    new, old = after.splitlines(keepends=True), before.splitlines(keepends=True)
    begin = next((n for n, (one, other) in enumerate(zip(new, old, strict=False)) if one != other), len(old))
    end = begin + len(new) - len(old)
    assert new[:begin] + new[end:] == old
    return new[begin:end]


@pytest.mark.parametrize("kind", kind_names())
def test_a_starter_of_every_kind_joins_what_is_there(sizewell: Sizewell, config: Path, kind: str) -> None:
    base = config / "base.yaml"
    base.write_text(base.read_text("utf-8") + LATER, "utf-8")
    if kind == "notebook":
        dev = config / "dev.yaml"
        dev.write_text(
            dev.read_text("utf-8").replace("policy:\n", "policy:\n  allow_notebooks: true\n"), "utf-8"
        )
    before = read(config)
    result = sizewell("add", kind)
    assert (result.exit_code, result.stderr) == (0, "")
    after = read(config)
    assert [name for name in after if after[name] != before[name]] == [
        name for name in after if f"config/{name}: " in result.stdout
    ]
    for name, text in after.items():
        without(text, before[name])
    assert after["base.yaml"].endswith(LATER)
    for name in environment_names(config):
        plan = load_for_synth(config, name).plan
        assert len(plan.workloads) > 1 or (kind, name) == ("notebook", "prod")


def test_names_that_are_taken_get_a_number(sizewell: Sizewell, config: Path) -> None:
    for added in ("score-customers-2", "score-customers-3"):
        result = sizewell("add", "batch-transform")
        assert result.stdout.splitlines()[0] == f"config/base.yaml: {added}"
        assert f"models/{added}/model.tar.gz" in read(config)["base.yaml"]
    plan = load_for_synth(config, "dev").plan
    assert len(plan.workloads) == 3


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        # Another indentation, and a comment that belongs to the next key.
        (
            "workloads:  # ours\n    first: {kind: x}\n\n# about tags\ntags: {a: b}\n",
            "workloads:  # ours\n    first: {kind: x}\n    added:\n      kind: y\n\n# about tags\ntags: {a: b}\n",
        ),
        ("workloads:\n  first: {kind: x}\n\n  # next\n  second: {kind: x}", None),
        ("platform: demo\n", "platform: demo\n\nworkloads:\n  added:\n    kind: y\n"),
        ("workloads:\ntags: {a: b}\n", "workloads:\n  added:\n    kind: y\ntags: {a: b}\n"),
        (
            "workloads:\r\n  first: {kind: x}\r\n",
            "workloads:\r\n  first: {kind: x}\r\n  added:\r\n    kind: y\r\n",
        ),
    ],
)
def test_a_file_keeps_its_form(
    sizewell: Sizewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str, expected: str | None
) -> None:
    monkeypatch.setattr(
        "sizewell.cli.add_command.starter_text",
        lambda _kind, layer: "  added:\n    kind: y\n" if layer == "base" else "  # nothing\n",
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "base.yaml").write_bytes(base.encode())
    assert sizewell("add", "notebook").exit_code == 0
    written = read(tmp_path / "config")["base.yaml"]
    assert written == (expected or f"{base}\n\n  added:\n    kind: y\n")


@pytest.mark.parametrize(
    "workloads",
    [
        "workloads: {score: {kind: x}}\n",
        "workloads: &all\n  score: {kind: x}\n",
        '"workloads":\n  score: {kind: x}\n',
    ],
)
def test_workloads_in_another_form_are_left_alone(sizewell: Sizewell, config: Path, workloads: str) -> None:
    (config / "base.yaml").write_text(f"platform: demo\n{workloads}", "utf-8")
    before = read(config)
    result = sizewell("add", "training-job")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "config/base.yaml: its workloads are not written one below the other" in result.stderr
    assert read(config) == before


def test_what_the_configuration_lacks_for_it_is_said(sizewell: Sizewell, config: Path) -> None:
    result = sizewell("add", "notebook")
    assert result.exit_code == 0
    assert "config/dev.yaml: explore" in result.stdout.splitlines()
    assert "policy.allow_notebooks: true" in result.stderr


@pytest.mark.usefixtures("config")
def test_an_unknown_kind_is_refused(sizewell: Sizewell) -> None:
    result = sizewell("add", "training-jobs")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("did you mean training-job?\n")


def test_without_a_configuration_nothing_is_written(
    sizewell: Sizewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = sizewell("add", "training-job")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "config/base.yaml" in result.stderr
    assert list(tmp_path.iterdir()) == []


RUN_IN_TARGETS = [
    (target, kind) for target in target_names() for kind in target_facet(target, TargetKind).runs
]


@pytest.mark.parametrize(("target", "kind"), RUN_IN_TARGETS)
def test_a_starter_runs_in_each_target_that_runs_its_kind(
    sizewell: Sizewell, config: Path, target: str, kind: str
) -> None:
    first = sizewell("add", kind, "--target", target)
    assert (first.exit_code, first.stderr) == (0, "")
    (cluster,) = re.findall(r"config/base.yaml: [a-z0-9-]+, cluster ([a-z]+)\n", first.stdout)
    for wanted in (cluster, target):
        again = sizewell("add", kind, "--target", wanted)
        assert (again.exit_code, again.stderr) == (0, "")
        assert "cluster" not in again.stdout.splitlines()[0]
    for name in environment_names(config):
        plan = load_for_synth(config, name).plan
        assert [workload.kind for workload in plan.workloads if workload.name != "score-customers"] == [
            target_facet(target, TargetKind).runs[kind].planned_as
        ] * 3


def test_a_new_cluster_stands_beside_those_that_are_there(sizewell: Sizewell, config: Path) -> None:
    base = config / "base.yaml"
    base.write_text(base.read_text("utf-8") + "\nclusters:\n  main: {type: batch}\n" + LATER, "utf-8")
    before = base.read_text("utf-8")
    assert sizewell("add", "training-job", "--target", "batch").exit_code == 0
    added = sizewell("add", "training-job", "--target", "eks")
    assert added.stdout.splitlines()[0] == "config/base.yaml: train-images-2, cluster main-2"
    after = base.read_text("utf-8")
    assert after.startswith(before.split("\nclusters:")[0])
    assert after.endswith(LATER)
    assert "\n  main: {type: batch}\n  # A cluster of Amazon EKS" in after
    assert sizewell("add", "training-job", "--target", "main-2").exit_code == 0
    base.write_text(
        base.read_text("utf-8").replace("main: {type", "more: {type: batch}\n  main: {type"), "utf-8"
    )
    refused = sizewell("add", "training-job", "--target", "batch")
    assert (refused.exit_code, refused.stderr) == (
        1,
        "more and main are clusters of type batch: name one of them\n",
    )


@pytest.mark.parametrize(
    ("kind", "target", "expected"),
    [
        (
            "training-job",
            "ecs",
            "a cluster of Amazon ECS does not run a training-job, but asynchronous-endpoint, real-time-endpoint: without "
            "--target it runs in SageMaker\n",
        ),
        (
            "training-job",
            "ekss",
            'there is no cluster "ekss"; write batch, ecs, eks to add an example of one\ndid you mean eks?\n',
        ),
    ],
)
def test_a_target_that_cannot_be_is_refused(
    sizewell: Sizewell, config: Path, kind: str, target: str, expected: str
) -> None:
    before = read(config)
    result = sizewell("add", kind, "--target", target)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", expected)
    assert read(config) == before
