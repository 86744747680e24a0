"""From what EC2 says of an instance type to its row of ``instances.csv``; what it does not say stays empty."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sizewell.instance_selection.catalog.tables import Row, columns_of, read_table

ENUM_SOURCE, EC2_SOURCE = "sagemaker-api-enums", "ec2-describe-instance-types"
_MIB_PER_GIB = 1024
#: What the API and the table say of one chip differs by less.
_SAME_MEMORY = 0.01
#: 40 Gigabit, 4x 100 Gigabit; not: Up to 25 Gigabit, High.
_FIXED_RATE = re.compile(r"(?:(\d+)x )?([\d.]+) Gigabit")


class UnknownAcceleratorError(Exception):
    """The type has an accelerator that ``accelerators.csv`` does not have; the text names it."""


def row_of(described: Mapping[str, Any], usages: Sequence[str]) -> Row:
    """Return the row of a type of SageMaker that the API accepts for some usages.

    Raises ``UnknownAcceleratorError``: without its chip, nothing could be estimated of the type.
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html
    """
    name: str = described["InstanceType"]
    family, _, size = name.partition(".")
    architectures = described["ProcessorInfo"]["SupportedArchitectures"]
    storage = described.get("InstanceStorageInfo", {})
    baseline, peak = _network_gbps(described["NetworkInfo"])
    cells = {
        "instance_type": f"ml.{name}",
        "family": family,
        "size": size,
        "usages": ";".join(usages),
        "vcpus": described["VCpuInfo"]["DefaultVCpus"],
        "memory_gib": _number(described["MemoryInfo"]["SizeInMiB"] / _MIB_PER_GIB),
        "cpu_architecture": "arm64" if "arm64" in architectures else "x86_64",
        **_accelerators(described),
        "local_storage_gb": storage.get("TotalSizeInGB", 0),
        "local_storage_nvme": int(storage.get("NvmeSupport") in ("required", "supported")),
        "network_baseline_gbps": baseline,
        "network_peak_gbps": peak,
        "efa_supported": int(described["NetworkInfo"].get("EfaSupported", False)),
        "burstable": int(described["BurstablePerformanceSupported"]),
        "current_generation": int(described["CurrentGeneration"]),
        "max_pods": _max_pods(described["NetworkInfo"]),
        "source_ids": f"{EC2_SOURCE};{ENUM_SOURCE}",
    }
    return {column: str(cells.get(column, "")) for column in columns_of("instances")}


def _accelerators(described: Mapping[str, Any]) -> dict[str, Any]:
    found = (
        *described.get("GpuInfo", {}).get("Gpus", ()),
        *(
            {"Manufacturer": "AWS", **device}
            for device in described.get("NeuronInfo", {}).get("NeuronDevices", ())
        ),
    )
    if not found:
        others = described.get("InferenceAcceleratorInfo", {}).get("Accelerators", ())
        others = (*others, *described.get("FpgaInfo", {}).get("Fpgas", ()))
        others = (*others, *described.get("MediaAcceleratorInfo", {}).get("Accelerators", ()))
        if others:
            raise UnknownAcceleratorError(
                f"{others[0].get('Manufacturer', '')} {others[0].get('Name', '')}".strip()
            )
        return {"accelerator_count": 0}
    chip = found[0]
    memory_gib = chip["MemoryInfo"]["SizeInMiB"] / _MIB_PER_GIB
    count = chip["Count"]
    return {
        "accelerator": _chip_of(chip["Manufacturer"], chip["Name"], memory_gib),
        "accelerator_count": count,
        "accelerator_memory_gib": _number(memory_gib),
        "accelerator_memory_gib_total": _number(memory_gib * count),
    }


def _chip_of(vendor: str, name: str, memory_gib: float) -> str:
    """Return the chip of the table with all words of a name and the same memory: the API calls two A100 the same."""
    words = set(name.split()) - {"Server"}
    for row in read_table("accelerators"):
        is_same = abs(float(row["memory_gib"]) - memory_gib) <= _SAME_MEMORY * memory_gib
        if row["vendor"] == vendor and is_same and words <= set(row["accelerator"].split()):
            return row["accelerator"]
    raise UnknownAcceleratorError(f"{vendor} {name} with {_number(memory_gib)} GiB")


def _network_gbps(network: Mapping[str, Any]) -> tuple[str, str]:
    """Return the sustained and the best rate; empty where it says none.

    The text comes before the network cards, because their sums are too high for some types.
    """
    said, cards = network.get("NetworkPerformance", ""), network.get("NetworkCards", ())
    if fixed := _FIXED_RATE.fullmatch(said):
        rate = _number(int(fixed[1] or 1) * float(fixed[2]))
        return rate, rate
    if len(cards) != 1:
        return "", ""
    rates = (cards[0].get(name) for name in ("BaselineBandwidthInGbps", "PeakBandwidthInGbps"))
    baseline, peak = ("" if rate is None else _number(rate) for rate in rates)
    return baseline, peak


def _max_pods(network: Mapping[str, Any]) -> int:
    """Return the most pods of a node with the VPC CNI and no prefix delegation.

    https://github.com/awslabs/amazon-eks-ami/blob/main/templates/shared/runtime/eni-max-pods.txt
    """
    cards = {card["NetworkCardIndex"]: card for card in network.get("NetworkCards", ())}
    card = cards.get(network.get("DefaultNetworkCardIndex", 0), network)
    return int(card["MaximumNetworkInterfaces"] * (network["Ipv4AddressesPerInterface"] - 1) + 2)


def _number(value: float) -> str:
    return f"{value:.6g}"
