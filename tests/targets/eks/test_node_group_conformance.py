"""Managed node groups go the way of every resource: synthesized, priced to the cent, reviewed."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from sizewell.planning import load_plan
from sizewell.review.compare import compare_outputs
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.reading import OutputReader
from tests.app.test_bill import differences, read
from tests.kinds.test_conformance import unknown_to_the_review
from tests.synthesis import PROJECT_ROOT, synthesize
from tests.targets.eks.node_groups import with_node_groups

pytestmark = pytest.mark.cdk
EXAMPLE = PROJECT_ROOT / "examples" / "eks-deployment" / "config"
GROUP = "NodeGroup75574B76"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("platform") / "config"
    shutil.copytree(EXAMPLE, directory)
    base = directory / "base.yaml"
    base.write_text(with_node_groups(base.read_text("utf-8")), "utf-8")
    return directory


@pytest.fixture(scope="module")
def output(config: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthesized(config, tmp_path_factory.mktemp("output") / "cdk.out")


@pytest.fixture(scope="module")
def assembly(output: Path) -> Assembly:
    return read(output, "dev")


def synthesized(config: Path, directory: Path) -> Path:
    synthesize("dev", directory, config=str(config))
    return directory


def group_of(assembly: Assembly, workload: str) -> dict[str, Any]:
    return dict(assembly.stacks[f"shop-dev-{workload}"].resources[GROUP].properties)


def test_templates_cost_what_the_plan_says(config: Path, assembly: Assembly) -> None:
    assert differences(load_plan(config, "dev").bill, assembly) == []


def test_the_review_knows_all_that_is_emitted(assembly: Assembly) -> None:
    assert unknown_to_the_review(assembly) == set()


def test_a_group_has_what_pods_select_tolerate_and_fit(assembly: Assembly) -> None:
    for workload in ("assistant", "classify-mail", "score-customers", "train-classifier"):
        group = group_of(assembly, workload)
        objects = assembly.stacks[f"shop-dev-{workload}/main"].resources
        owner = objects.get("Deployment")
        spec: Any = (owner or objects["CronJob"]).properties["spec"]
        pod = (spec if owner else spec["jobTemplate"]["spec"])["template"]["spec"]
        assert pod["nodeSelector"].items() <= group["Labels"].items()
        (toleration,), (taint,) = pod["tolerations"], group["Taints"]
        assert (toleration["key"], "NO_SCHEDULE") == (taint["Key"], taint["Effect"])


def test_instances_are_encrypted_and_their_role_is_out_of_reach(assembly: Assembly) -> None:
    (template,) = (
        resource
        for resource in assembly.stacks["shop-dev-assistant"].resources.values()
        if resource.resource_type == "AWS::EC2::LaunchTemplate"
    )
    data: Any = template.properties["LaunchTemplateData"]
    assert data["MetadataOptions"] == {"HttpTokens": "required", "HttpPutResponseHopLimit": "1"}
    assert [volume["Ebs"]["Encrypted"] for volume in data["BlockDeviceMappings"]] == ["true"]
    tags = {each["ResourceType"]: each["Tags"] for each in data["TagSpecifications"]}
    assert tags["instance"] == tags["volume"]
    assert {"Key": "workload", "Value": "assistant"} in tags["instance"]


@pytest.mark.parametrize(
    ("written", "instead", "sentence"),
    [
        ("20260917\n    subnet", "20261007\n    subnet", "EKS replaces all nodes by nodes of the version"),
        (
            "platform: shop\n",
            "platform: shop\ntags: {team: ml}\n",
            "Another group takes the place of this one",
        ),
        (
            "    target: main\n    description: Answers",
            "    description: Answers",
            "EKS drains and terminates all",
        ),
    ],
)
def test_a_review_says_what_happens_to_nodes(
    config: Path, output: Path, tmp_path: Path, written: str, instead: str, sentence: str
) -> None:
    head = tmp_path / "config"
    shutil.copytree(config, head)
    base = head / "base.yaml"
    assert base.read_text("utf-8").count(written) == 1
    base.write_text(base.read_text("utf-8").replace(written, instead), "utf-8")
    reader = OutputReader()
    other = reader.read(synthesized(head, tmp_path / "cdk.out"), "head")
    found = compare_outputs(reader.read(output, "base"), other)
    assert any(
        sentence in hazard.consequence and hazard.stack == "shop-dev-assistant" for hazard in found.hazards
    )
