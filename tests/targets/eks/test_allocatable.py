"""What pods may get of an instance type: Karpenter's own figures."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.targets.eks.allocatable import Allocatable, allocatable

_TABLE = Path(__file__).with_name("published_allocatable.csv").read_text("utf-8")
PUBLISHED = list(csv.DictReader(line for line in _TABLE.splitlines() if not line.startswith("#")))


@pytest.mark.parametrize("row", PUBLISHED, ids=[row["instance_type"] for row in PUBLISHED])
def test_the_formula_gives_what_karpenter_publishes(row: dict[str, str]) -> None:
    offered = allocatable(
        int(row["vcpus"]), int(row["memory_mib"]) / 1024, row["cpu_architecture"], int(row["pods"])
    )
    assert offered == Allocatable(
        cpu_millicores=int(row["allocatable_cpu_millicores"]),
        memory_mib=int(row["allocatable_memory_mib"]),
        pods=int(row["pods"]),
    )


def test_the_published_sample_is_wide() -> None:
    assert len({row["instance_type"] for row in PUBLISHED}) == len(PUBLISHED) >= 30
    assert {row["cpu_architecture"] for row in PUBLISHED} == {"amd64", "arm64"}
    assert {1, 896} <= {int(row["vcpus"]) for row in PUBLISHED}


def test_x86_64_is_another_word_for_amd64() -> None:
    assert allocatable(4, 16, "x86_64", 58) == allocatable(4, 16, "amd64", 58)


def test_an_unknown_architecture_is_an_error() -> None:
    with pytest.raises(ValueError, match="'riscv' is none of amd64, x86_64, arm64"):
        allocatable(4, 16, "riscv", 58)


@given(st.integers(1, 900), st.integers(2, 30_000), st.sampled_from(["amd64", "arm64"]), st.integers(4, 737))
def test_a_larger_type_offers_more_and_never_all(vcpus: int, gib: int, architecture: str, pods: int) -> None:
    offered = allocatable(vcpus, gib, architecture, pods)
    larger = allocatable(vcpus + 1, gib + 1, architecture, pods)
    assert offered.cpu_millicores < larger.cpu_millicores
    assert offered.memory_mib < larger.memory_mib
    assert offered.cpu_millicores < vcpus * 1000
    assert offered.memory_mib < gib * 1024
    assert allocatable(vcpus, gib, architecture, pods + 1).memory_mib == offered.memory_mib - 11
