"""Reading outputs: those of Sizewell, of other apps, and broken ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizewell.planning.saved_files import PLAN_VERSION
from sizewell.review.comparison import have_nothing_in_common, pair_environments
from sizewell.review.saved.errors import SavedOutputError
from sizewell.review.saved.reading import OutputReader
from tests.review.outputs import plan_document, write_assembly

BUCKET = {"A": {"Type": "AWS::S3::Bucket", "Properties": {}}}


def read(directory: Path) -> Any:
    return OutputReader().read(directory, "label")


def test_a_single_output_of_another_app(tmp_path: Path) -> None:
    write_assembly(tmp_path, {"web": BUCKET})
    output = read(tmp_path)
    (assembly,) = output.assemblies.values()
    assert (output.label, assembly.environment, assembly.plan, assembly.config) == (
        "label",
        "app",
        None,
        None,
    )
    stack = assembly.stacks["web"]
    assert (stack.account, stack.region, list(stack.resources)) == ("111122223333", "us-east-1", ["A"])


def test_an_output_for_each_environment(tmp_path: Path) -> None:
    for name in ("prod", "dev"):
        write_assembly(tmp_path / name, {f"{name}-web": BUCKET})
    assert list(read(tmp_path).assemblies) == ["dev", "prod"]


def test_the_plan_names_the_environment(tmp_path: Path) -> None:
    write_assembly(tmp_path, {"demo-prod-foundation": BUCKET}, plan=plan_document("prod"))
    (assembly,) = read(tmp_path).assemblies.values()
    assert (assembly.environment, assembly.plan.platform) == ("prod", "demo")


def test_an_app_that_leaves_its_place_open(tmp_path: Path) -> None:
    write_assembly(tmp_path, {"web": BUCKET}, environment="aws://unknown-account/unknown-region")
    stack = read(tmp_path).assemblies["app"].stacks["web"]
    assert (stack.account, stack.region) == (None, None)


def test_stages_and_nested_stacks_are_read(tmp_path: Path) -> None:
    parent = {
        "Nested": {
            "Type": "AWS::CloudFormation::Stack",
            "Properties": {},
            "Metadata": {"aws:asset:path": "inner.nested.template.json"},
        }
    }
    write_assembly(tmp_path / "assembly-stage", {"parent": parent})
    inner = tmp_path / "assembly-stage" / "inner.nested.template.json"
    inner.write_text(json.dumps({"Resources": BUCKET}), "utf-8")
    stage = {
        "artifacts": {
            "stage": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-stage"}}
        }
    }
    (tmp_path / "manifest.json").write_text(json.dumps(stage), "utf-8")
    stacks = read(tmp_path).assemblies["app"].stacks
    assert list(stacks) == ["parent", "parent/Nested"]
    assert (stacks["parent/Nested"].parent, stacks["parent/Nested"].nested_id) == ("parent", "Nested")


def test_acknowledgements_come_from_the_metadata_file(tmp_path: Path) -> None:
    metadata = {"/web/A": [{"type": "aws:cdk:acknowledged-rules", "data": {"Annotation::R": "because"}}]}
    write_assembly(tmp_path, {"web": BUCKET}, metadata=metadata)
    assert read(tmp_path).assemblies["app"].stacks["web"].acknowledgements == {
        "web/A": {"Annotation::R": "because"}
    }


def test_an_asset_is_its_content_and_not_its_hash(tmp_path: Path) -> None:
    def side(name: str, hash_: str, content: str) -> Any:
        function = {"F": {"Type": "AWS::Lambda::Function", "Properties": {"Code": {"S3Key": f"{hash_}.zip"}}}}
        write_assembly(tmp_path / name, {"web": function})
        code = tmp_path / name / f"asset.{hash_}"
        code.mkdir()
        (code / "index.py").write_text(content, "utf-8")
        manifest = {"files": {hash_: {"source": {"path": f"asset.{hash_}", "packaging": "zip"}}}}
        (tmp_path / name / "web.assets.json").write_text(json.dumps(manifest), "utf-8")
        return read(tmp_path / name).assemblies["app"].stacks["web"].resources["F"].properties

    one = side("one", "1" * 64, "x")
    assert one == side("two", "2" * 64, "x")
    assert one != side("three", "1" * 63 + "3", "y")


def test_templates_that_both_sides_have_are_parsed_once(tmp_path: Path) -> None:
    for name in ("base", "head"):
        write_assembly(tmp_path / name, {"web": BUCKET})
    reader = OutputReader()
    base, head = (reader.read(tmp_path / name, name) for name in ("base", "head"))
    (pair,) = pair_environments(base, head)
    (web,) = pair.stacks
    assert web.base is not None
    assert web.head is not None
    assert web.base.template is web.head.template
    assert web.is_unchanged


def test_nothing_in_common(tmp_path: Path) -> None:
    write_assembly(tmp_path / "a", {"one": BUCKET})
    write_assembly(tmp_path / "b", {"two": BUCKET})
    assert have_nothing_in_common(read(tmp_path / "a"), read(tmp_path / "b"))
    assert not have_nothing_in_common(read(tmp_path / "a"), read(tmp_path / "a"))


def test_a_platform_whose_stacks_have_other_names_is_one_project(tmp_path: Path) -> None:
    plan, other = plan_document("prod"), {**plan_document("prod"), "platform": "another"}
    write_assembly(tmp_path / "a", {"one": BUCKET}, plan=plan)
    write_assembly(tmp_path / "b", {"two": BUCKET}, plan=plan)
    write_assembly(tmp_path / "c", {"two": BUCKET}, plan=other)
    assert not have_nothing_in_common(read(tmp_path / "a"), read(tmp_path / "b"))
    assert have_nothing_in_common(read(tmp_path / "a"), read(tmp_path / "c"))


def test_single_outputs_belong_together_when_one_has_no_plan(tmp_path: Path) -> None:
    write_assembly(tmp_path / "a", {"one": BUCKET})
    write_assembly(tmp_path / "b", {"one": BUCKET}, plan=plan_document("prod"))
    (pair,) = pair_environments(read(tmp_path / "a"), read(tmp_path / "b"))
    assert pair.name == "prod"
    assert pair.base is not None
    assert pair.head is not None


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: (d / "manifest.json").write_text("{", "utf-8"), "manifest.json: is not JSON"),
        (lambda d: (d / "manifest.json").write_text("[]", "utf-8"), "manifest.json: a map was expected"),
        (
            lambda d: (d / "manifest.json").write_text("{}", "utf-8"),
            "the output is empty: no stack in manifest.json",
        ),
        (lambda d: (d / "manifest.json").unlink(), "is no output of cdk synth: there is no manifest.json"),
        (lambda d: (d / "web.template.json").unlink(), "web.template.json: cannot be read: No such file"),
        (lambda d: (d / "web.template.json").write_text("{", "utf-8"), "web.template.json: is not JSON"),
        (lambda d: (d / "web.template.json").write_text("[1]", "utf-8"), "web.template.json: is no template"),
        (
            lambda d: (d / "web.template.json").write_bytes(b"\xff\xfe"),
            "web.template.json: cannot be read: it is not UTF-8",
        ),
    ],
)
def test_what_cannot_be_read_is_told_with_its_file(tmp_path: Path, spoil: Any, message: str) -> None:
    write_assembly(tmp_path, {"web": BUCKET})
    spoil(tmp_path)
    with pytest.raises(SavedOutputError) as error:
        read(tmp_path)
    assert message in str(error.value)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    for name in ("dev", "prod"):
        write_assembly(tmp_path / name, {"web": BUCKET, "api": BUCKET})
        (tmp_path / name / "web.template.json").write_text("{", "utf-8")
        (tmp_path / name / "api.template.json").unlink()
    with pytest.raises(SavedOutputError) as error:
        read(tmp_path)
    assert len(error.value.faults) == 4


def test_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(SavedOutputError, match="there is no such directory"):
        read(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("{", "plan.json: cannot be read: Invalid JSON"),
        (
            json.dumps({"schema_version": PLAN_VERSION}),
            "plan.json: cannot be read: platform: Field required",
        ),
        (
            json.dumps(plan_document("prod") | {"schema_version": 1}),
            "has schema version 1, this release reads 2 to",
        ),
        (json.dumps(plan_document("prod") | {"schema_version": 99}), "has schema version 99"),
    ],
)
def test_a_plan_that_cannot_be_read_is_left_out_and_told(tmp_path: Path, plan: str, words: str) -> None:
    write_assembly(tmp_path, {"web": BUCKET})
    (tmp_path / "plan.json").write_text(plan, "utf-8")
    (assembly,) = read(tmp_path).assemblies.values()
    assert assembly.plan is None
    assert words in assembly.notes[0]
    assert "left out" in assembly.notes[0]


def test_a_plan_of_an_older_version_is_read(tmp_path: Path) -> None:
    document = plan_document("prod") | {"schema_version": 3}
    write_assembly(tmp_path, {"web": BUCKET}, plan=document)
    (assembly,) = read(tmp_path).assemblies.values()
    assert assembly.plan.schema_version == 3
    assert assembly.notes == ()


def test_a_broken_configuration_is_left_out_and_told(tmp_path: Path) -> None:
    write_assembly(tmp_path, {"web": BUCKET})
    (tmp_path / "config.json").write_text("{", "utf-8")
    (assembly,) = read(tmp_path).assemblies.values()
    assert assembly.config is None
    assert "config.json: is not JSON" in assembly.notes[0]


def test_nested_templates_are_found_without_the_metadata_of_the_command_line(tmp_path: Path) -> None:
    hash_ = "3" * 64
    parent = {
        "Nested": {
            "Type": "AWS::CloudFormation::Stack",
            "Properties": {"TemplateURL": {"Fn::Sub": f"https://s3/{hash_}.json"}},
        }
    }
    write_assembly(tmp_path, {"parent": parent})
    (tmp_path / "inner.nested.template.json").write_text(json.dumps({"Resources": BUCKET}), "utf-8")
    manifest = {"files": {hash_: {"source": {"path": "inner.nested.template.json", "packaging": "file"}}}}
    (tmp_path / "parent.assets.json").write_text(json.dumps(manifest), "utf-8")
    assert list(read(tmp_path).assemblies["app"].stacks) == ["parent", "parent/Nested"]


def test_stacks_of_one_name_in_two_regions_are_two(tmp_path: Path) -> None:
    write_assembly(tmp_path, {"one": BUCKET, "two": BUCKET})
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    for artifact in manifest["artifacts"].values():
        artifact["properties"]["stackName"] = "app"
    manifest["artifacts"]["two"]["environment"] = "aws://111122223333/eu-west-1"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    stacks = read(tmp_path).assemblies["app"].stacks
    assert list(stacks) == ["app", "app (111122223333/eu-west-1)"]
    assert [(name, stack.name) for name, stack in stacks.items()] == [(name, name) for name in stacks]


def test_how_an_image_is_built_is_part_of_it(tmp_path: Path) -> None:
    def digest(name: str, **settings: Any) -> Any:
        image = {
            "F": {"Type": "AWS::Lambda::Function", "Properties": {"Code": {"ImageUri": "repo:" + "4" * 64}}}
        }
        write_assembly(tmp_path / name, {"web": image})
        (tmp_path / name / "asset.4").mkdir(exist_ok=True)
        (tmp_path / name / "asset.4" / "Dockerfile").write_text("FROM scratch", "utf-8")
        source = {"directory": "asset.4", **settings}
        manifest = {"dockerImages": {"4" * 64: {"source": source}}}
        (tmp_path / name / "web.assets.json").write_text(json.dumps(manifest), "utf-8")
        return read(tmp_path / name).assemblies["app"].stacks["web"].resources["F"].properties

    assert digest("a") == digest("b")
    assert digest("a", dockerBuildArgs={"V": "1"}) != digest("b", dockerBuildArgs={"V": "2"})


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["artifacts"].update(odd=None),
        lambda m: m["artifacts"].update(odd=[1]),
        lambda m: m["artifacts"]["web"].update(metadata={"/A": None, "/B": [None, {"type": 1}]}),
        lambda m: m["artifacts"]["web"].update(additionalMetadataFile=["x"]),
    ],
)
def test_odd_manifests_are_read_as_far_as_they_make_sense(tmp_path: Path, change: Any) -> None:
    write_assembly(tmp_path, {"web": BUCKET})
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    change(manifest)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert list(read(tmp_path).assemblies["app"].stacks) == ["web"]
