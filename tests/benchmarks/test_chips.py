"""One processor has one description, by each of its names."""

import pytest

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.machines import machines_of
from tests.benchmarks.measured_rows import ENCODER
from tools.benchmarks.cells import UnreadableRowError
from tools.benchmarks.chips import UNSTATED_LOG_SD, Chip, find_chip
from tools.benchmarks.columns import machines_of_cases
from tools.benchmarks.measurements import case_of

ONE_NAME_EACH = [
    ("A100-SXM4-80GB", "A100 80GB SXM", "NVIDIA A100-SXM-80GB", "1x A100 80G", "A100 (80 GB)", "a100-80gb", "ml.p4de.24xlarge"),
    ("A100-SXM4-40GB", "A100", "A100-unspecified", "NVIDIA A100 Tensor Core GPU", "p4d.24xlarge"),
    ("A100-PCIE-80GB", "A100 80GB PCIe", "NVIDIA A100 PCI-E 80 GB"),
    ("H100-80GB-PCIe", "H100 PCIe", "NVIDIA H100 (PCIe)", "H100-PCIE-80GB"),
    ("H100", "H100 SXM5", "H100-80GB-HBM3", "8xH100", "DGX H100", "p5.48xlarge"),
    ("H100 NVL", "NVIDIA H100 94GB"),
    ("Xeon E5-2680 v3", "Xeon-Haswell", "Xeon E5-2670 v3 @ 2.30GHz"),
    ("Xeon-CascadeLake (8 vCPU)", "Intel Xeon Gold 6226R (4 cores)", "Xeon(R) Gold 6226R CPU (8 vCPUs)"),
    ("V100-16GB-PCIe", "Tesla V100-PCIE-16GB", "V100 PCIe"),
    ("L40s", "NVIDIA L40S-48GB", "g6e.xlarge", "4x L40S"),
    ("T4", "Tesla T4", "NVIDIA T4-16GB", "g4dn.xlarge"),
    ("RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "g7e.2xlarge"),
    ("RTX 4090", "GeForce RTX 4090 24GB", "RTX4090", "2x RTX-4090"),
    ("Inferentia2", "inf2", "AWS Inferentia 2", "ml.inf2.xlarge"),
    ("Inferentia1", "inf1", "Inferentia", "inf1.xlarge"),
    ("Trainium2", "trn2", "AWS Trainium2", "trn2.48xlarge"),
    ("B200", "p6-b200", "ml.p6-b200.48xlarge"),
    ("c5.metal", "ml.c5.metal", "c5 (96 vCPU)", "c5 (48 cores, 96 threads)"),
    ("c7g.4xlarge", "ml.c7g.4xlarge", "Graviton3 (16 vCPU)", "AWS Graviton3 (16 cores)"),
    ("Xeon Platinum 8488C (24 cores / 48 threads)", "8488C (48 vCPU)", "Xeon-SapphireRapids (24 phys cores)"),
    ("Xeon Platinum 8380 (2S)", "2x Xeon Platinum 8380", "8380 (2 sockets)"),
    # The most specific name decides.
    ("EPYC 7742 (24 cores)", "AMD EPYC 7352 (24 cores)"),
    ("Threadripper PRO 5995WX (96 cores)", "Ryzen Threadripper PRO 7995WX (96 cores)"),
    ("EPYC 7R13 (16 cores)", "AMD EPYC-Milan (32 vCPU)", "c6a.8xlarge"),
    ("Xeon Platinum 8380 (16 cores)", "Xeon Gold 6348 (16 cores)", "Intel Xeon Silver 4314 (16 cores)"),
]  # fmt: skip


def figures(chip: Chip) -> tuple[float, ...]:
    processors = [chip.processor(arithmetic) for arithmetic in ("fp32", "tf32", "half", "int8")]
    return tuple(
        round(x)
        for processor in processors
        for x in (
            processor.flops,
            processor.peak_flops,
            processor.cores,
            processor.bandwidth,
            processor.per_chip,
            processor.cache_bytes,
        )
    )


@pytest.mark.parametrize("names", ONE_NAME_EACH, ids=lambda names: names[0])
def test_a_processor_is_the_same_in_every_wording(names: tuple[str, ...]) -> None:
    first, *others = [figures(find_chip(name, 1)[0]) for name in names]
    assert dict(zip(names[1:], others, strict=True)) == dict.fromkeys(names[1:], first)


@pytest.mark.parametrize(
    ("name", "instance_type", "threads", "cores"),
    [
        ("c5.metal (1 threads)", "", 0, 1),
        ("c5.metal", "", 8, 8),
        ("c5.metal (96 threads)", "", 96, 48),
        ("Xeon-CascadeLake (48 vCPU)", "c5.12xlarge", 0, 24),
        ("Threadripper 2990WX (8 threads)", "", 0, 8),
        ("Xeon E5-2686v4 (16 phys cores)", "r4.8xlarge", 0, 16),
        ("", "ml.m5.xlarge", 0, 2),
        ("CPU", "m6g.2xlarge", 4, 4),
        ("CPU", "g4dn.2xlarge", 0, 4),
    ],
)
def test_a_row_uses_as_many_cores_as_it_has_threads_and_no_more_than_there_are(
    name: str, instance_type: str, threads: float, cores: float
) -> None:
    found, count = find_chip(name, 1, instance_type=instance_type, threads=threads)
    assert (found.kind, found.cores, count, found.unstated_log_sd) == ("cpu", cores, 1, 0.0)


def test_cores_that_a_measurement_leaves_idle_are_known_where_the_machine_is() -> None:
    part, whole = (find_chip(name, 1)[0] for name in ("c5.metal (8 threads)", "c5.metal"))

    assert (part.cores, part.host_cores) == (8, whole.cores)
    assert find_chip("Graviton3 (8 threads)", 1)[0].host_cores == 0


def test_a_processor_of_which_nothing_is_said_is_unsure() -> None:
    assert [find_chip(name, 1)[0].unstated_log_sd for name in ("CPU", "Xeon")] == [UNSTATED_LOG_SD] * 2


@pytest.mark.parametrize(
    ("name", "count", "devices"),
    [("8xH100", 0, 8), ("4x A100", 0, 4), ("8xH100", 2, 2), ("g5.12xlarge", 0, 4), ("T4", 0, 1)],
)
def test_devices_that_only_the_name_counts(name: str, count: int, devices: int) -> None:
    assert find_chip(name, count)[1] == devices


def test_a_chip_that_is_neither_cuda_nor_neuron_is_refused_with_a_reason() -> None:
    with pytest.raises(UnreadableRowError, match=r"neither CUDA nor Neuron.*no estimate is made for it"):
        find_chip("ml.dl1.24xlarge", 1)


@pytest.mark.parametrize(
    ("name", "instance_type"),
    [("abacus", ""), ("abacus", "g5.xlarge"), ("A100X", ""), ("MI300X", ""), ("", "")],
)
def test_a_stranger_is_not_taken_for_the_host_of_its_instance(name: str, instance_type: str) -> None:
    with pytest.raises(UnreadableRowError, match="is not read: write a chip of the catalog"):
        find_chip(name, 1, instance_type=instance_type)


@pytest.mark.parametrize(
    "name", ["ml.g5.2xlarge", "ml.inf2.xlarge", "ml.c6i.4xlarge", "ml.c7g.2xlarge", "ml.trn2.48xlarge"]
)
def test_a_measured_row_has_the_machine_of_its_instance_type(name: str) -> None:
    product = machines_of([load_catalog("us-east-1").get(name)], "half")
    row = case_of({**ENCODER, "precision": "bf16", "accelerator": name, "accelerator_count": ""})
    measured = machines_of_cases([row])
    for column in ("kinds", "chips", "arithmetic", "links"):
        assert getattr(measured, column) == getattr(product, column), column
    for column in (
        "flops", "tile_flops", "cores", "bandwidth", "link_bandwidth", "memory_bytes", "count", "value_bytes", "cache_bytes",
    ):  # fmt: skip
        assert getattr(measured, column)[0] == pytest.approx(getattr(product, column)[0]), column
