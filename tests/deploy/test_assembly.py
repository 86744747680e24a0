"""Which stacks of an output are deployed, in which order."""

import json
from pathlib import Path

import pytest

from sizewell.cli.deploy_command import next_steps, split_arguments
from sizewell.deploy.assembly import Assembly, AssemblyError, read_assembly

ABOVE = {"demo-a": ["demo-z", "demo-z.assets"], "demo-b": ["demo-a"], "demo-z": [], "own": []}


@pytest.fixture
def assembly(tmp_path: Path) -> Assembly:
    artifacts: dict[str, object] = {
        "Tree": {"type": "cdk:tree"},
        "demo-z.assets": {"type": "cdk:asset-manifest"},
    }
    for name, dependencies in ABOVE.items():
        (tmp_path / f"{name}.template.json").write_text(json.dumps({"Description": name}), "utf-8")
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": "aws://unknown-account/unknown-region"
            if name == "own"
            else "aws://111122223333/eu-west-1",
            "properties": {"templateFile": f"{name}.template.json", "stackName": f"{name}-stack"},
            "dependencies": dependencies,
        }
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": artifacts}), "utf-8")
    return read_assembly(tmp_path)


def test_a_stack_comes_after_all_that_it_depends_on(assembly: Assembly) -> None:
    assert list(assembly.stacks) == ["demo-z", "demo-a", "demo-b", "own"]
    assert assembly.above("demo-b") == {"demo-a", "demo-z"}


def test_account_and_region_may_be_left_to_the_shell(assembly: Assembly) -> None:
    ours, own = assembly.stacks["demo-a"].stack, assembly.stacks["own"].stack
    assert (ours.name, ours.account, ours.region) == ("demo-a-stack", "111122223333", "eu-west-1")
    assert (own.account, own.region) == (None, None)


@pytest.mark.parametrize(
    ("patterns", "exclusively", "expected"),
    [
        ((), False, ["demo-z", "demo-a", "demo-b", "own"]),
        (("demo-a",), False, ["demo-z", "demo-a"]),
        (("demo-a",), True, ["demo-a"]),
        (("demo-*",), True, ["demo-z", "demo-a", "demo-b"]),
        (("own-stack",), False, ["own"]),
    ],
)
def test_stacks_are_chosen_by_id_or_name(
    assembly: Assembly, patterns: tuple[str, ...], exclusively: bool, expected: list[str]
) -> None:
    found = assembly.select(patterns, exclusively=exclusively)
    assert [one.stack_id for one in found] == expected


def test_a_name_that_no_stack_has_is_refused_with_those_that_there_are(assembly: Assembly) -> None:
    with pytest.raises(AssemblyError, match=r"demo-x: no stack of .* there are demo-z, demo-a, demo-b, own"):
        assembly.select(["demo-a", "demo-x"], exclusively=False)


@pytest.mark.parametrize(
    "manifest", [None, "{", '{"artifacts": {"a": {"type": "aws:cloudformation:stack"}}}']
)
def test_a_directory_without_output_is_refused_in_one_sentence(tmp_path: Path, manifest: str | None) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest, "utf-8")
    with pytest.raises(AssemblyError, match="holds no output of cdk synth that can be read"):
        read_assembly(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ([], [])),
        (["--all"], ([], [])),
        (["a", "b", "--require-approval", "never"], (["a", "b"], ["--require-approval", "never"])),
        (["--force", "a"], ([], ["--force", "a"])),
    ],
)
def test_stacks_come_before_the_flags_of_cdk(
    arguments: list[str], expected: tuple[list[str], list[str]]
) -> None:
    assert split_arguments(arguments) == expected


def test_what_is_left_to_do_is_told(tmp_path: Path) -> None:
    assert next_steps(tmp_path) == []
    folder = tmp_path / "manifests" / "main"
    folder.mkdir(parents=True)
    in_cluster = f"Next, in the cluster main: bash {folder}/smoke.sh, then kubectl apply -k {folder}"
    assert next_steps(tmp_path) == [in_cluster]
    (tmp_path / "plan.json").write_text('{"environment": "prod"}', "utf-8")
    verify = "To see whether what runs is what was planned: sizewell verify --env prod"
    assert next_steps(tmp_path) == [in_cluster, verify]
