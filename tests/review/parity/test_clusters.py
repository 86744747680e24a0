"""Workloads in clusters: what is smaller elsewhere is no difference of shape, and one change at a time is told as what it is."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sizewell.review.parity import Parity, compare_shape
from sizewell.review.saved.reading import OutputReader
from tests.synthesis import PROJECT_ROOT, synthesize

pytestmark = pytest.mark.cdk
READER = OutputReader()
FOUNDATION = "foundation"


def read(example: str, directory: Path, changes: Mapping[str, Any] | None, *, name: str, like: str) -> Any:
    """Return the output of an environment that is as another one but for what changes."""
    config = shutil.copytree(PROJECT_ROOT / "examples" / example / "config", directory / "config")
    environment = yaml.safe_load((config / f"{like}.yaml").read_text("utf-8"))
    written = merged(environment, changes or {})
    (config / f"{name}.yaml").write_text(yaml.safe_dump(written), "utf-8")
    synthesize(name, directory / name, config=str(config))
    return READER.read_assembly(directory / name, name)


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {**base} | {
        key: merged(base.get(key) or {}, value) if isinstance(value, dict) else value
        for key, value in changes.items()
    }


@pytest.mark.parametrize("example", ["ecs-service", "batch-job"])
def test_a_smaller_environment_has_the_shape_of_prod(tmp_path: Path, example: str) -> None:
    dev, prod = (read(example, tmp_path / name, None, name=name, like=name) for name in ("dev", "prod"))
    assert [one for one in compare_shape(dev, prod).differences if one.workload != FOUNDATION] == []


@pytest.fixture(scope="module")
def compare(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, Any]], Parity]:
    """Return what compares a staging with the prod of an example: the same but for what changes."""
    prod = read("eks-deployment", tmp_path_factory.mktemp("prod"), None, name="prod", like="prod")

    def compare_with(changes: dict[str, Any]) -> Parity:
        directory = tmp_path_factory.mktemp("staging")
        return compare_shape(read("eks-deployment", directory, changes, name="staging", like="prod"), prod)

    return compare_with


SMALLER = {
    "assistant": {"traffic": {"peak_requests_per_second": 0.2, "average_requests_per_second": 0.02}},
    "classify-mail": {"traffic": {"peak_requests_per_second": 2, "average_requests_per_second": 0.2}},
    "score-customers": {"data": {"rows_per_run": 1000000}, "max_instances": 1},
    "train-classifier": {"dataset": {"size_gib": 2, "tokens_millions": 20}},
}


def test_what_is_smaller_is_no_difference_of_shape(compare: Callable[[dict[str, Any]], Parity]) -> None:
    parity = compare({"workloads": SMALLER})
    assert parity.differences == ()
    assert {one.workload for one in parity.allowed} == {f"{name}/main" for name in SMALLER}


IMAGE = {"account": "763104351884", "repository": "huggingface-pytorch-inference"}
CPU = {**IMAGE, "tag": "2.6.0-transformers5.5.2-cpu-py312-ubuntu22.04"}
CUDA = {**IMAGE, "tag": "2.6.0-transformers5.5.3-gpu-py312-cu124-ubuntu22.04"}
KARPENTER, AUTO_MODE = "Kubernetes::EC2NodeClass", "Kubernetes::NodeClass"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, set(), id="nothing"),
        pytest.param(
            {"clusters": {"main": {"version": "1.33"}}},
            {("setting", "foundation: clusters.main", "version", "1.33", "1.35")},
            id="version",
        ),
        pytest.param(
            {"clusters": {"main": {"ami": "al2023@v20261107"}}},
            {
                ("image", f"{name}/main: NodeClass", "alias", "al2023@v20261107", "al2023@v20260917")
                for name in ("assistant", "classify-mail", "score-customers", "train-classifier")
            },
            id="machine image",
        ),
        pytest.param(
            {"clusters": {"main": {"nodes": "auto-mode", "ami": None}}},
            {
                ("type", f"{name}/main: NodeClass", "", AUTO_MODE, KARPENTER)
                for name in ("assistant", "classify-mail", "score-customers", "train-classifier")
            },
            id="what launches nodes",
        ),
        pytest.param(
            {"workloads": {"train-classifier": {"spot": {"enabled": False}}}},
            {("setting", "train-classifier/main: NodePool", "values", "on-demand", "on-demand and spot")},
            id="Spot",
        ),
        pytest.param(
            {"workloads": {"classify-mail": {"container": {"images": {"cpu_x86_64": CPU}}}}},
            {
                ("image", "classify-mail/main: Deployment", "image", *(
                    f"763104351884.dkr.ecr.us-east-1.amazonaws.com/{CPU['repository']}:{tag}"
                    for tag in (CPU["tag"], CPU["tag"].replace("5.5.2", "5.5.3"))
                ))
            },
            id="image",
        ),
        pytest.param(
            {"workloads": {"assistant": {"target": None}}},
            {("type", "assistant: shop-prod-assistant", "kind", "real-time-endpoint",
              "eks-deployment in a cluster of Amazon EKS")},
            id="target",
        ),
    ],
)  # fmt: skip
def test_one_change_is_told_as_what_it_is(
    compare: Callable[[dict[str, Any]], Parity], changes: dict[str, Any], expected: set[tuple[str, ...]]
) -> None:
    assert {
        (
            one.kind,
            f"{one.workload}: {one.subject}",
            one.setting.rpartition(".")[2],
            one.value,
            one.reference_value,
        )
        for one in compare(changes).differences
        if not one.subject.startswith("Network/")
    } == expected


def test_another_kind_of_hardware_is_a_difference(compare: Callable[[dict[str, Any]], Parity]) -> None:
    gpu = {
        "instances": {"allowed_families": ["g5"]},
        "container": {"images": {"cpu_x86_64": None, "cuda": CUDA}},
    }
    (found,) = (
        one for one in compare({"workloads": {"classify-mail": gpu}}).differences if one.kind == "hardware"
    )
    assert (found.value, found.reference_value) == (
        "g5.2xlarge, g5.4xlarge and g5.xlarge (cuda)",
        "c6i.xlarge, c8i-flex.xlarge, c8i.xlarge, m6i.xlarge and m8i-flex.xlarge (cpu_x86_64)",
    )
