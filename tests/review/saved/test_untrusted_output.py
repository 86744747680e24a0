"""An output of a stranger, as a pull request from a fork brings it: a review shows nothing that lies outside of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizewell.review.cluster_objects import FOLDER
from sizewell.review.saved.assets import asset_digests
from sizewell.review.saved.errors import SavedOutputError
from sizewell.review.saved.reading import OutputReader
from tests.review.outputs import plan_document, write_assembly

BUCKET = {"A": {"Type": "AWS::S3::Bucket", "Properties": {}}}
#: A file of the machine that reviews, which is a template and a plan to whoever reads it as one.
SECRET = {"Resources": {"Secret": {"Type": "Custom::Key", "Properties": {"Value": "of this machine"}}}}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    (tmp_path / "secret.json").write_text(json.dumps(SECRET), "utf-8")
    return write_assembly(tmp_path / "output", {"web": BUCKET}, plan=plan_document("prod"))


def change(path: Path, edit: Any) -> None:
    document = json.loads(path.read_text("utf-8"))
    edit(document)
    path.write_text(json.dumps(document), "utf-8")


def refusal(output: Path) -> str:
    with pytest.raises(SavedOutputError) as caught:
        OutputReader().read(output, "head")
    (fault,) = caught.value.faults
    return fault


@pytest.mark.parametrize("absolute", [False, True])
def test_a_template_outside_is_not_read(output: Path, absolute: bool) -> None:
    file = str(output.parent / "secret.json") if absolute else "../secret.json"
    change(
        output / "manifest.json",
        lambda manifest: manifest["artifacts"]["web"]["properties"].update(templateFile=file),
    )
    assert refusal(output) == f"{output / file}: leads out of the output, so it is not read"


def test_a_nested_template_outside_is_not_read(output: Path) -> None:
    nested = {
        "Type": "AWS::CloudFormation::Stack",
        "Properties": {},
        "Metadata": {"aws:asset:path": "../secret.json"},
    }
    change(output / "web.template.json", lambda template: template["Resources"].update(N=nested))
    assert refusal(output).endswith("secret.json: leads out of the output, so it is not read")


def test_an_assembly_outside_is_not_read(output: Path) -> None:
    write_assembly(output.parent / "other", {"other": BUCKET})
    stage = {"type": "cdk:cloud-assembly", "properties": {"directoryName": "../other"}}
    change(output / "manifest.json", lambda manifest: manifest["artifacts"].update(stage=stage))
    assert refusal(output).endswith("other/manifest.json: leads out of the output, so it is not read")


@pytest.mark.parametrize("name", ["web.template.json", "plan.json", "config.json", "manifest.json"])
def test_a_link_out_of_the_output_is_not_followed(output: Path, name: str) -> None:
    (output / name).unlink(missing_ok=True)
    (output / name).symlink_to(output.parent / "secret.json")
    assert refusal(output) == f"{output / name}: leads out of the output, so it is not read"


def test_metadata_outside_are_not_read(output: Path) -> None:
    metadata = {"/web": [{"type": "aws:cdk:acknowledged-rules", "data": {"R": "of this machine"}}]}
    (output.parent / "metadata.json").write_text(json.dumps(metadata), "utf-8")
    change(
        output / "manifest.json",
        lambda manifest: manifest["artifacts"]["web"].update(additionalMetadataFile="../metadata.json"),
    )
    stack = OutputReader().read(output, "head").assemblies["prod"].stacks["web"]
    assert stack.acknowledgements == {}


def test_no_digest_tells_of_a_file_outside(output: Path) -> None:
    key = "ab" * 32
    manifest = output / "web.assets.json"
    digests = []
    for source in ("../secret.json", "asset"):
        manifest.write_text(json.dumps({"files": {key: {"source": {"path": source}}}}), "utf-8")
        (output / "asset").mkdir(exist_ok=True)
        (output / "asset" / "file").unlink(missing_ok=True)
        (output / "asset" / "file").symlink_to(output.parent / "secret.json")
        before = asset_digests(output)[key]
        (output.parent / "secret.json").write_text(f"changed {source}", "utf-8")
        assert asset_digests(output)[key] == before
        digests.append(before)
    assert digests[0] == key[:12]
    assert digests[1] != key[:12]


def test_assets_beside_the_assembly_of_a_stage_are_read(output: Path) -> None:
    # CDK stages all assets in the output itself.
    key = "cd" * 32
    stage = write_assembly(output / "assembly-stage", {"api": BUCKET})
    (output / "asset.x").write_text("one", "utf-8")
    (stage / "api.assets.json").write_text(
        json.dumps({"files": {key: {"source": {"path": "../asset.x"}}}}), "utf-8"
    )
    before = asset_digests(stage, output)[key]
    (output / "asset.x").write_text("two", "utf-8")
    assert asset_digests(stage, output)[key] != before


def manifest_of_a_cluster(output: Path) -> Path:
    path = output / FOLDER / "cluster" / "web" / "deployment.yaml"
    path.parent.mkdir(parents=True)
    return path


def test_a_manifest_outside_is_not_read(output: Path) -> None:
    (output.parent / "kubeconfig").write_text("kind: Config\ntoken: of this machine\n", "utf-8")
    path = manifest_of_a_cluster(output)
    path.symlink_to(output.parent / "kubeconfig")
    assert refusal(output) == f"{path}: leads out of the output, so it is not read"


def test_aliases_of_a_manifest_do_not_multiply(output: Path) -> None:
    lines = ["kind: Deployment", "a0: &a0 [x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 30)]
    path = manifest_of_a_cluster(output)
    path.write_text("\n".join(lines), "utf-8")
    assert (
        refusal(output) == f"{path}: has an alias, which Sizewell never writes; write the value in its place"
    )


def test_an_ampersand_in_a_text_is_no_alias(output: Path) -> None:
    manifest_of_a_cluster(output).write_text("kind: Deployment\nspec: {text: a && b}\n", "utf-8")
    stacks = OutputReader().read(output, "head").assemblies["prod"].stacks
    (stack,) = (stack for name, stack in stacks.items() if "cluster" in name and stack.resources)
    assert stack.resources["Deployment"].properties["spec"] == {"text": "a && b"}
