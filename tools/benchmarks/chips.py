"""Processors of published measurements by the names of the catalog and of the tables beside this file.

An accelerator is ``[4x] NAME``, whose words may stand in any order: ``A100-80GB-SXM4`` is ``NVIDIA A100 (80 GB)``. A CPU
is ``[2x] NAME [(16 cores)]``, where what is in parentheses is the size of the machine: cores, vCPU, threads, sockets. The
name of an instance type stands for its processor.
"""

import math
import re
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache

from sizewell.instance_selection.catalog import Accelerator, Cpu, InstanceType, load_catalog
from sizewell.instance_selection.catalog.loading import accelerator_of, cpu_of
from sizewell.instance_selection.estimation.processors import (
    Processor,
    UnknownRateError,
    logical_cores,
    processor_of,
)
from tools.benchmarks.cells import UnreadableRowError, refused
from tools.benchmarks.tables import DATA, read_table

#: Physical cores of a CPU of which nothing is said: those of a virtual machine with 8 vCPUs.
UNSTATED_CORES = 4.0
#: What that leaves open, as a log standard deviation: servers have 2 to 96 cores; nine of ten machines are taken to lie
#: within a factor of four.
UNSTATED_LOG_SD = math.log(4.0) / 1.645
#: Memory of a server of which nothing is said, GiB per core.
GIB_PER_CORE = 8.0
#: vCPUs of an EC2 size, by the word before and after the dot of ``4xlarge``.
VCPUS_OF_SIZE = {"nano": 2, "micro": 2, "small": 2, "medium": 2, "large": 2, "xlarge": 4}
#: Names that do not say which processor it was.
UNSURE = ("cpu", "x86", "xeon", "intel", "epyc", "amd", "amdepyc", "")
#: Words of a name that tell nothing about the silicon.
IDLE_WORDS = (
    "nvidia", "tesla", "geforce", "aws", "amd", "intel", "amazon", "tensor", "core", "gpu", "gpus", "blackwell", "server",
    "workstation", "edition", "generation", "dgx", "hgx", "hbm2", "hbm2e", "hbm3", "hbm3e", "nvl72", "sxm", "sxm2", "sxm3",
    "sxm4", "sxm5", "sxm6", "unspecified",
)  # fmt: skip
#: Forms of a card that differ from that of the catalog.
FORMS = ("pcie", "nvl")
_MEMORY = re.compile(r"\d+(?:\.\d+)?(?:g|gb|gib)")
_INSTANCE = re.compile(
    r"(?:ml\.)?(?P<family>[a-z]{1,4}\d[a-z]*(?:-[a-z0-9]+)?)"
    r"\.(?P<size>\d*x?large|nano|micro|small|medium|metal(?:-\d+xl)?)"
)
_CELL = re.compile(r"(?:(?P<count>\d+) ?x ?(?=[a-z]))?(?P<name>[^()]*?)(?: ?\((?P<sizes>[^()]*)\))?")
_SIZE = re.compile(r"(?P<number>\d+) ?(?:phys(?:ical)? )?(?P<unit>cores?|vcpus?|threads?|sockets?|s)")
ALLOWED = "a chip of the catalog, accelerators.csv or processors.csv, such as A100-80GB, 8x H100 or Graviton3 (16 cores)"


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One device: an accelerator, or the cores of a CPU that a measurement used."""

    facts: Accelerator | Cpu
    memory_gib: float
    cores: float
    """Multiprocessors, NeuronCores or physical cores."""
    host_cores: float = 0.0
    """Physical cores of the machine, those included that a measurement did not use; 0 where nobody says."""
    unstated_log_sd: float = 0.0
    """How far speed may be off because the source does not say which processor it was, as a log standard deviation."""

    @property
    def name(self) -> str:
        """The name of the tables."""
        return f"cpu {self.facts.name}" if isinstance(self.facts, Cpu) else self.facts.name

    @property
    def kind(self) -> str:
        """``cuda``, ``neuron`` or ``cpu``."""
        return "cpu" if isinstance(self.facts, Cpu) else self.facts.kind

    @property
    def cores_per_device(self) -> int:
        """Logical NeuronCores of a chip; every other device works as one."""
        return 1 if isinstance(self.facts, Cpu) else logical_cores(self.facts)

    @property
    def memory_bytes(self) -> float:
        """The whole memory of the device."""
        return self.memory_gib * 2**30

    @property
    def link_bandwidth(self) -> float:
        """Bytes per second to the other devices."""
        return self.processor("half").link_bandwidth

    def processor(self, arithmetic: str, *, bf16: bool = True) -> Processor:
        """Return the device, or one of its NeuronCores, at an arithmetic."""
        return processor_of(
            self.facts,
            arithmetic,
            memory_gib=self.memory_gib,
            cores=self.cores,
            host_cores=self.host_cores,
            bf16=bf16,
        )

    def peak(self, arithmetic: str) -> tuple[float, str]:
        """Return the peak rate of the device and the arithmetic that is used."""
        found = self.processor(arithmetic)
        return found.peak_flops * found.per_chip, found.arithmetic


def find_chip(cell: str, count: int, *, instance_type: str = "", threads: float = 0.0) -> tuple[Chip, int]:
    """Return the device and how many of them; the sockets of a CPU are one device.

    ``count`` is 0 where it is not stated. ``instance_type`` tells the cores of a CPU that ``cell`` leaves open, ``threads``
    how many of them work, 0 for all. Raises `UnreadableRowError` for a cell that names no chip, or one that no estimate is
    made for.
    """
    bare = re.sub(r"\((?:r|tm)\)|@.*", "", cell.lower().replace("\N{MULTIPLICATION SIGN}", "x"))
    flat = re.sub(r"\((\d+ ?gi?b|pcie|sxm\d?)\)", r" \1", bare)
    text = re.sub(r"[\s_,/;-]+", " ", flat).strip()
    parts = _CELL.fullmatch(text)
    if parts is None:
        raise refused("accelerator", cell, ALLOWED)
    name, type_name = parts["name"].strip(), bare.partition("(")[0].strip()
    sizes = _sizes(parts["sizes"] or "", cell)
    instance = _instance(type_name) or _instance(instance_type.lower())
    by_type = not name or type_name in _families() or bool(_instance(type_name))
    family = type_name if type_name in _families() else instance.family if instance else ""
    accelerator = _of_family(family) if by_type else _accelerator(name)
    if accelerator and not sizes:
        stated = count or int(parts["count"] or 0)
        known = instance.known if instance else None
        of_type = known.accelerator_count if known and known.accelerator == accelerator else 1
        return _device(accelerator), stated or of_type
    cpu = _cpu(name, family, by_type=by_type)
    if cpu is None:
        raise refused("accelerator", cell, ALLOWED)
    sockets = sizes.get("socket", 0) or int(parts["count"] or 0) or count or 1
    return _server(name, cpu, instance, sizes, sockets, threads), 1


def _sizes(text: str, cell: str) -> dict[str, int]:
    """Return the numbers of cores, vCPUs, threads and sockets."""
    found: dict[str, int] = {}
    for part in re.split(r" ?= ?| (?=\d)", text):
        size = _SIZE.fullmatch(part.strip())
        if size:
            unit = size["unit"].rstrip("s") or "socket"
            found[unit] = int(size["number"])
        elif part:
            raise refused("accelerator", cell, ALLOWED)
    return found


@dataclass(frozen=True)
class _Instance:
    family: str
    vcpus: int | None
    """None of a metal size, which has all of its server."""
    known: InstanceType | None


def _instance(text: str) -> _Instance | None:
    found = _INSTANCE.fullmatch(text)
    if not found:
        return None
    family, size = found["family"], found["size"]
    multiple = re.fullmatch(r"(\d+)xlarge|metal-(\d+)xl", size)
    vcpus = 4 * int(multiple[1] or multiple[2]) if multiple else VCPUS_OF_SIZE.get(size)
    known = _instance_types().get(f"{family}.{size}")
    return _Instance(family, known.vcpus if known else vcpus, known)


@cache
def _instance_types() -> dict[str, InstanceType]:
    return {f"{t.family}.{t.size}": t for t in load_catalog("us-east-1").instance_types}


@cache
def _families() -> dict[str, InstanceType]:
    """Return the largest type of each family."""
    return {t.family: t for t in sorted(_instance_types().values(), key=lambda t: t.vcpus)}


@dataclass(frozen=True)
class _Label:
    """What the name of an accelerator says, whatever the order of its words."""

    silicon: str
    form: str
    memory_gb: float | None

    @classmethod
    def of(cls, text: str) -> "_Label":
        words = re.sub(r"(?<=\d) (?=gi?b\b)", "", text.replace("pci e", "pcie")).split()
        memory = next((word for word in words if _MEMORY.fullmatch(word)), "")
        form = next((word for word in words if word in FORMS), "")
        silicon = "".join(w for w in words if w not in IDLE_WORDS and w not in (memory, form))
        plain = re.sub(r"^(inferentia|trainium)1$", r"\1", re.sub(r"[^a-z0-9+]", "", silicon))
        return cls(plain, form, float(memory.rstrip("gib")) if memory else None)


@cache
def _accelerators() -> dict[str, list[tuple[_Label, Accelerator]]]:
    """Return the chips by their silicon, those of the catalog first."""
    chips = {t.accelerator.name: t.accelerator for t in _instance_types().values() if t.accelerator}
    named = [(name, chip) for name, chip in sorted(chips.items())]
    for row in read_table(DATA / "accelerators.csv"):
        chip = accelerator_of(row)
        named += [(name, chip) for name in (chip.name, *row["aliases"].split(";")) if name]
    found: dict[str, list[tuple[_Label, Accelerator]]] = {}
    for name, chip in named:
        label = _Label.of(re.sub(r"[\s_-]+", " ", name.lower()))
        found.setdefault(label.silicon, []).append((label, chip))
    return found


def _accelerator(name: str) -> Accelerator | None:
    """Return the chip of that silicon; its memory and its form decide between variants, as far as they are stated."""
    asked = _Label.of(name)
    variants = _accelerators().get(asked.silicon, [])
    if asked.memory_gb:
        least = min((abs((v[1].memory_gib or 0) - asked.memory_gb) for v in variants), default=0)
        variants = [v for v in variants if abs((v[1].memory_gib or 0) - asked.memory_gb) == least]
    variants = [v for v in variants if v[0].form == asked.form] or variants
    return variants[0][1] if variants else None


def _of_family(family: str) -> Accelerator | None:
    found = _families().get(family)
    return found.accelerator if found else None


def _device(chip: Accelerator) -> Chip:
    if chip.kind not in ("cuda", "neuron"):
        raise UnreadableRowError(f"{chip.name} is neither CUDA nor Neuron: no estimate is made for it")
    device = Chip(facts=chip, memory_gib=chip.memory_gib or 0.0, cores=chip.cores or 80.0)
    try:
        device.processor("half")
    except UnknownRateError as error:
        raise UnreadableRowError(str(error)) from None
    return device


@cache
def _cpus() -> dict[str, Cpu]:
    """Return the processors of the tables by every name that they have, which may have a ``?`` for a digit."""
    found: dict[str, Cpu] = {}
    for row in read_table(DATA / "processors.csv"):
        family = _families()[row["same_as"]].cpu if row["same_as"] else None
        cpu = cpu_of(row, row["processor"]) if family is None else replace(family, name=row["processor"])
        found |= {_key(name): cpu for name in (row["processor"], *row["aliases"].split(";")) if name}
    return found


def _key(name: str) -> str:
    """Return the name of a CPU without its makers and its spaces."""
    words = re.sub(r"(?<=\w) cpu$|^(?:aws|amd|intel|nvidia) (?=\w)", "", name.lower().strip())
    return re.sub(r"[^a-z0-9+?*]", "", words)


def _cpu(name: str, family: str, *, by_type: bool) -> Cpu | None:
    key = _key(name)
    if by_type or key in UNSURE:
        listed = _families().get(family)
        found = listed.cpu if listed else _cpus().get(family)
        if found:
            return found
    if key not in _cpus():
        patterns = [name for name in _cpus() if "?" in name and fnmatch(key, name)]
        # The most specific one: with the most letters and digits.
        key = max(patterns, key=lambda pattern: len(re.sub(r"[?*]", "", pattern)), default="")
    return _cpus().get(key)


def _server(
    name: str, cpu: Cpu, instance: _Instance | None, sizes: dict[str, int], sockets: int, threads: float
) -> Chip:
    per_socket = (cpu.vcpus_per_socket or 2) / cpu.threads_per_core
    if "core" in sizes:
        machine = float(sizes["core"])
    elif "vcpu" in sizes:
        machine = sizes["vcpu"] / cpu.threads_per_core
    elif instance:
        machine = (instance.vcpus or _metal_vcpus(instance.family, cpu)) / cpu.threads_per_core
    else:
        machine = 0.0
    if not machine and _key(name) in UNSURE:
        return Chip(
            facts=cpu,
            memory_gib=GIB_PER_CORE * UNSTATED_CORES,
            cores=UNSTATED_CORES,
            unstated_log_sd=UNSTATED_LOG_SD,
        )
    # Threads that share a core share its units: what they add is within the noise of the measurements that vary them.
    used = threads or sizes.get("thread", 0) or math.inf
    cores = machine or per_socket * sockets
    known = instance.known if instance else None
    return Chip(
        facts=cpu,
        memory_gib=known.memory_gib if known else GIB_PER_CORE * cores,
        cores=float(max(1.0, min(cores, used))),
        host_cores=machine,
    )


def _metal_vcpus(family: str, cpu: Cpu) -> float:
    """Return the vCPUs of a whole server: the sockets that the largest size of the family fills."""
    largest, socket = _families().get(family), cpu.vcpus_per_socket or 1
    return socket * (math.ceil(largest.vcpus / socket) if largest else 2)
