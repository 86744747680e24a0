"""Processors of published measurements, also those that no instance type has."""

import csv
import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizewell.instance_selection.estimation.machines import sustained_flops

DATA = Path(__file__).parent / "data"
#: Physical cores of a CPU of which nothing is said: those of a virtual machine with 8 vCPUs.
UNSTATED_CORES = 4.0
#: What that leaves open, as a log standard deviation: servers have 2 to 96 cores; nine of ten machines are taken to lie
#: within a factor of four.
UNSTATED_LOG_SD = math.log(4.0) / 1.645
#: Bandwidth of a device that states none, bytes per second.
MIN_BANDWIDTH = 100e9


class UnknownChipError(ValueError):
    """No table describes a processor of that name."""


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One device: an accelerator, or the cores of a CPU that a measurement used."""

    name: str
    kind: str
    memory_bytes: float
    bandwidth: float
    tera: tuple[tuple[str, float], ...]
    """Peak operations per second by arithmetic."""
    link: str
    link_bandwidth: float
    cores: float
    """Multiprocessors, NeuronCores or physical cores."""
    tdp_watts: float | None
    launch_year: float | None
    unstated_log_sd: float = 0.0
    """How far speed may be off because the source does not say which processor it was, as a log standard deviation."""

    @property
    def cores_per_device(self) -> int:
        """NeuronCores of a chip; every other device works as one."""
        return int(self.cores) if self.kind == "neuron" else 1

    def peak(self, arithmetic: str) -> tuple[float, str]:
        """Return the peak rate and the arithmetic that is used: what a chip lacks falls back to what it has."""
        rates = dict(self.tera)
        for used in {
            "half": ("half", "fp32"),
            "fp8": ("fp8", "half", "fp32"),
            "int8": ("int8", "half", "fp32"),
            "tf32": ("tf32", "fp32", "half"),
            "fp32": ("fp32", "half"),
        }[arithmetic]:
            if used in rates:
                return rates[used], used
        raise UnknownChipError(f"no arithmetic rate of {self.name} is known")

    def sustained(self, arithmetic: str) -> float:
        """Return what the power limit lets the chip sustain."""
        peak, used = self.peak(arithmetic)
        return sustained_flops(peak, self.tdp_watts, self.launch_year, used) if self.kind == "cuda" else peak


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def _table(name: str) -> dict[str, dict[str, str]]:
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        _plain(alias): row for row in rows for alias in (row["name"], *row["aliases"].split(";")) if alias
    }


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def find_chip(name: str, count: int, note: str = "") -> tuple[Chip, int]:
    """Return the device and how many of them; the sockets of a CPU are one device. Raises `UnknownChipError`."""
    row = _table("accelerators").get(_plain(name)) or _table("accelerators").get(
        _plain(re.sub(r"\(.*?\)", "", name))
    )
    if row:
        return _accelerator(row, note), count
    cpu = _cpu_row(name)
    if cpu is None:
        raise UnknownChipError(f"accelerator {name or '(empty)'} is not in the tables")
    return _cpu(cpu, name, count), 1


def _accelerator(row: dict[str, str], note: str) -> Chip:
    half = max(
        filter(None, (_number(row["fp16_dense_tflops"]), _number(row["bf16_dense_tflops"]))), default=None
    )
    fp32 = _number(row["fp32_tflops"]) or (half / 8 if half else None)
    rates = {
        "fp32": fp32,
        "tf32": _number(row["tf32_tflops"]),
        "half": half,
        "fp8": _number(row["fp8_dense_tflops"]),
        "int8": _number(row["int8_dense_tops"]),
    }
    # A slice of a card (MIG) has that many sevenths of its units and eighths of its memory.
    slices = re.search(r"MIG[-_ ]?\w*?(\d)g\.", note)
    share = int(slices[1]) / 7 if slices else 1.0
    memory_share = min(1.0, int(slices[1]) / 8) if slices else 1.0
    return Chip(
        name=row["name"],
        kind=row["kind"] if row["kind"] in ("cuda", "neuron") else "cuda",
        memory_bytes=(_number(row["memory_gib"]) or 16.0) * 2**30 * memory_share,
        bandwidth=(_number(row["memory_bandwidth_gb_s"]) or MIN_BANDWIDTH / 1e9) * 1e9 * memory_share,
        tera=tuple((k, v * 1e12 * share) for k, v in rates.items() if v),
        link=row["interconnect"] or "pcie",
        link_bandwidth=(_number(row["interconnect_gb_s"]) or 16.0) * 1e9,
        cores=(_number(row["cores"]) or 80.0) * (share if row["kind"] != "neuron" else 1.0),
        tdp_watts=_number(row["tdp_watts"]),
        launch_year=_number(row["launch_year"]),
    )


def _cpu_row(name: str) -> dict[str, str] | None:
    table = _table("processors")
    for candidate in (name, re.sub(r"\(.*?\)", "", name)):
        if found := table.get(_plain(candidate)):
            return found
    plain = _plain(re.sub(r"\(.*?\)", "", name))
    prefix = [key for key in table if key and (plain.startswith(key) or key in plain)]
    return table[max(prefix, key=len)] if prefix else None


def _cpu(row: dict[str, str], name: str, sockets: int) -> Chip:
    socket = float(row["cores_per_socket"])
    physical = re.search(r"(\d+)\s*phys", name.lower())
    virtual = re.search(r"(\d+)\s*v?cpu", name.lower())
    unstated = not physical and not virtual and "unspecified" in name.lower()
    if physical:
        cores = float(physical[1])
    elif virtual:
        cores = float(virtual[1]) / 2
    else:
        cores = UNSTATED_CORES if unstated else socket * sockets
    gigahertz = float(row["clock_ghz"])
    rates = {
        arithmetic: _number(row[column])
        for arithmetic, column in (
            ("fp32", "fp32_flops_per_cycle_per_core"),
            ("half", "bf16_flops_per_cycle_per_core"),
            ("int8", "int8_ops_per_cycle_per_core"),
        )
    }
    bandwidth = (_number(row["memory_bandwidth_gb_s_per_socket"]) or 100.0) * 1e9
    return Chip(
        name=f"cpu {row['name']}",
        kind="cpu",
        memory_bytes=8e9 * cores,
        bandwidth=bandwidth * max(cores / socket, min(1.0, 2 * cores / socket)),
        tera=tuple((k, v * gigahertz * 1e9 * cores) for k, v in rates.items() if v),
        link="none",
        link_bandwidth=1e9,
        cores=cores,
        tdp_watts=None,
        launch_year=None,
        unstated_log_sd=UNSTATED_LOG_SD if unstated else 0.0,
    )
