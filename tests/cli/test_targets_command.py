"""``sizewell targets``: one workload in SageMaker and in each cluster, side by side."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

EKS = """
  bare:
    type: eks
    name: company-bare
    version: "1.35"
    nodes: auto-mode
    node_role: company-bare-node
    has: [keda, network-policies]
    daemonsets: {cpu: 300m, memory: 800Mi}
    pod_security: baseline
    proxy_image: 111122223333.dkr.ecr.us-east-1.amazonaws.com/envoyproxy/envoy:distroless-v1.36.2
"""


@pytest.fixture
def config(tmp_path: Path, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the configuration of a platform with clusters of two types, in whose directory the command runs."""
    monkeypatch.setattr("sizewell.synthesis.installed.addresses", lambda _: ())
    monkeypatch.chdir(tmp_path)
    kinds = "batch-transform,real-time-endpoint,notebook"
    assert sizewell("init", ".", "--name", "demo", "--workload", kinds).exit_code == 0
    base = tmp_path / "config" / "base.yaml"
    base.write_text(f"{base.read_text('utf-8')}\nclusters:\n  jobs: {{type: batch}}{EKS}", "utf-8")
    return tmp_path / "config"


@pytest.mark.usefixtures("config")
def test_what_stands_in_the_way_of_each_place_is_said_with_its_key(sizewell: Sizewell) -> None:
    lines = sizewell("targets", "score-customers", "--env", "dev").stdout.splitlines()
    begin = lines.index("What stands in the way") + 1
    assert lines[begin].startswith("  jobs: join: has no effect in a cluster of AWS Batch: only SageMaker")
    keys = [line.partition(": ")[2].partition(":")[0] for line in lines[begin:]]
    assert keys[:3] == keys[3:6] == ["join", "input_filter", "output_filter"]
    lines = sizewell("targets", "classify-text", "--env", "dev").stdout.splitlines()
    assert "  jobs: a cluster of AWS Batch does not run a real-time-endpoint" in lines
    (missing,) = (line for line in lines if line.startswith("  bare: "))
    assert missing.startswith("  bare: clusters.bare.has: lacks prometheus, which classify-text needs")


def test_json_has_the_price_of_each_place(sizewell: Sizewell) -> None:
    example = str(PROJECT_ROOT / "examples" / "eks-deployment" / "config")
    found = json.loads(sizewell("targets", "assistant", "--env", "dev", "--config", example, "--json").stdout)
    assert [(one["target"], one["is_taken"], one["misses"]) for one in found] == [
        (None, False, []),
        ("main", True, []),
    ]
    assert found[0]["usd_per_month"] > found[1]["usd_per_month"] > 0


@pytest.mark.usefixtures("config")
def test_what_runs_in_sagemaker_alone_has_no_choice(sizewell: Sizewell) -> None:
    refused = sizewell("targets", "explore", "--env", "dev")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == "explore is of kind notebook, which runs in SageMaker alone\n"
