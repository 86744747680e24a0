"""A platform with managed node groups: it deploys, each change replaces a group or goes alone, and EKS's refusal holds."""

import shutil
from pathlib import Path

import pytest

from sizewell_localcloud.clusters import make_missing
from tests.integration.emulator.lab import Json, Lab
from tests.integration.harness import Cloud, Deployment
from tests.integration.readers.compare import assert_reads_back
from tests.synthesis import PROJECT_ROOT, synthesize
from tests.targets.eks.node_groups import with_node_groups

TOGETHER = "Version and ReleaseVersion updates cannot be combined with other updates"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("platform") / "config"
    shutil.copytree(PROJECT_ROOT / "examples" / "eks-deployment" / "config", directory)
    base = directory / "base.yaml"
    base.write_text(with_node_groups(base.read_text("utf-8")), "utf-8")
    return directory


def deployed(cloud: Cloud, config: Path, folder: Path) -> Deployment:
    folder.mkdir()
    synthesize("dev", folder / "cdk.out", config=str(config))
    deployment = Deployment(cloud=cloud, assembly=folder / "cdk.out", folder=folder)
    deployment.bootstrap()
    deployment.make_clusters()
    deployment.deploy()
    return deployment


def groups_of(deployment: Deployment) -> set[str]:
    return set(deployment.client("eks").list_nodegroups(clusterName="company-ml")["nodegroups"])


def test_tags_and_volumes_replace_groups_and_a_release_does_not(
    cloud: Cloud, config: Path, tmp_path: Path
) -> None:
    first = deployed(cloud, config, tmp_path / "first")
    assert_reads_back(first)
    before = groups_of(first)
    assert len(before) == 4

    base = config / "base.yaml"
    base.write_text(base.read_text("utf-8").replace("20260917", "20261007"), "utf-8")
    second = deployed(cloud, config, tmp_path / "second")
    assert groups_of(second) == before

    tagged = base.read_text("utf-8").replace("platform: shop\n", "platform: shop\ntags: {team: ml}\n")
    base.write_text(tagged.replace("size_gib: 15", "size_gib: 90"), "utf-8")
    third = deployed(cloud, config, tmp_path / "third")
    assert_reads_back(third)
    after = groups_of(third)
    assert len(after) == 4
    assert not after & before

    third.destroy()
    assert groups_of(third) == set()


def group(cluster: str, release: str, most: int) -> Json:
    properties = {
        "ClusterName": cluster,
        "NodeRole": "arn:aws:iam::444455556666:role/company-ml-node",
        "Subnets": ["subnet-0123456789abcdef0"],
        "ReleaseVersion": release,
        "ScalingConfig": {"MinSize": 0, "DesiredSize": 0, "MaxSize": most},
    }
    return {"Group": {"Type": "AWS::EKS::Nodegroup", "Properties": properties}}


def test_a_release_changes_alone(lab: Lab) -> None:
    cluster, stack = lab.name("cluster"), lab.name("nodes")
    make_missing(lab, [f"eks/{cluster}=1.35"])
    assert lab.stack("create", stack, group(cluster, "1.35.2-20260917", 1))[0] == "CREATE_COMPLETE"
    status, reasons = lab.stack("update", stack, group(cluster, "1.35.2-20261007", 2))
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert TOGETHER in reasons
    assert lab.stack("update", stack, group(cluster, "1.35.2-20261007", 1))[0] == "UPDATE_COMPLETE"
    assert lab.stack("delete", stack, {})[0] == "DELETE_COMPLETE"
