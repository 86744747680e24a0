"""The row of a type follows from what EC2 says of it, and nothing is guessed."""

from copy import deepcopy
from typing import Any

import pytest

from sizewell.instance_selection.catalog.tables import read_table
from sizewell.price_list.described_types import UnknownAcceleratorError, row_of

#: As ec2:DescribeInstanceTypes answers for g5.12xlarge, of which only what is read is here.
G5: dict[str, Any] = {
    "InstanceType": "g5.12xlarge",
    "CurrentGeneration": False,
    "BurstablePerformanceSupported": False,
    "VCpuInfo": {"DefaultVCpus": 48},
    "MemoryInfo": {"SizeInMiB": 196608},
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
    "InstanceStorageInfo": {"TotalSizeInGB": 3800, "NvmeSupport": "required"},
    "GpuInfo": {
        "Gpus": [{"Name": "A10G", "Manufacturer": "NVIDIA", "Count": 4, "MemoryInfo": {"SizeInMiB": 22888}}]
    },
    "NetworkInfo": {
        "NetworkPerformance": "40 Gigabit",
        "EfaSupported": True,
        "Ipv4AddressesPerInterface": 50,
        "MaximumNetworkInterfaces": 15,
        "DefaultNetworkCardIndex": 0,
        "NetworkCards": [
            {
                "NetworkCardIndex": 0,
                "MaximumNetworkInterfaces": 15,
                "BaselineBandwidthInGbps": 40.0,
                "PeakBandwidthInGbps": 40.0,
            }
        ],
    },
}
PROVENANCE = {"source_ids", "as_of_date", "note"}


def changed(**parts: Any) -> dict[str, Any]:
    return {**deepcopy(G5), **parts}


def test_the_row_is_that_of_the_package() -> None:
    (packaged,) = (row for row in read_table("instances") if row["instance_type"] == "ml.g5.12xlarge")
    row = row_of(G5, packaged["usages"].split(";"))
    assert list(row) == list(packaged)
    assert [key for key in row if row[key] != packaged[key] and key not in PROVENANCE] == []


@pytest.mark.parametrize(
    ("said", "cards", "rates"),
    [
        ("4x 100 Gigabit", [{}] * 4, ("400", "400")),
        ("Up to 25 Gigabit", [{"BaselineBandwidthInGbps": 5.0, "PeakBandwidthInGbps": 25.0}], ("5", "25")),
        ("High", [{"BaselineBandwidthInGbps": 2.5}], ("2.5", "")),
        ("High", [], ("", "")),
    ],
)
def test_network_rates(said: str, cards: list[dict[str, Any]], rates: tuple[str, str]) -> None:
    whole = [{"NetworkCardIndex": i, "MaximumNetworkInterfaces": 2, **card} for i, card in enumerate(cards)]
    network = {**G5["NetworkInfo"], "NetworkPerformance": said, "NetworkCards": whole}
    row = row_of(changed(NetworkInfo=network), ["hosting"])
    assert (row["network_baseline_gbps"], row["network_peak_gbps"]) == rates


@pytest.mark.parametrize(
    ("name", "mib", "chip"),
    [
        ("A100", 40960, "A100 40GB"),
        ("A100", 81920, "A100 80GB"),
        ("RTX PRO Server 6000", 98304, "RTX PRO 6000 Blackwell"),
    ],
)
def test_a_chip_is_known_by_its_name_and_memory(name: str, mib: int, chip: str) -> None:
    gpu = {"Name": name, "Manufacturer": "NVIDIA", "Count": 8, "MemoryInfo": {"SizeInMiB": mib}}
    row = row_of(changed(GpuInfo={"Gpus": [gpu]}), ["hosting"])
    assert (row["accelerator"], row["accelerator_count"]) == (chip, "8")


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        (
            {"GpuInfo": {"Gpus": [{**G5["GpuInfo"]["Gpus"][0], "Name": "R100"}]}},
            "NVIDIA R100 with 22.3516 GiB",
        ),
        # A slice of an L4 is no L4.
        (
            {
                "GpuInfo": {
                    "Gpus": [{**G5["GpuInfo"]["Gpus"][0], "Name": "L4", "MemoryInfo": {"SizeInMiB": 5722}}]
                }
            },
            "NVIDIA L4 with 5.58789 GiB",
        ),
        (
            {"GpuInfo": {}, "FpgaInfo": {"Fpgas": [{"Manufacturer": "Xilinx", "Name": "VU47P"}]}},
            "Xilinx VU47P",
        ),
        (
            {
                "GpuInfo": {},
                "NeuronInfo": {
                    "NeuronDevices": [{"Name": "Trainium9", "Count": 1, "MemoryInfo": {"SizeInMiB": 98304}}]
                },
            },
            "AWS Trainium9 with 96 GiB",
        ),
    ],
)
def test_an_accelerator_that_no_table_has_is_no_guess(parts: dict[str, Any], named: str) -> None:
    with pytest.raises(UnknownAcceleratorError) as error:
        row_of(changed(**parts), ["hosting"])
    assert str(error.value) == named
