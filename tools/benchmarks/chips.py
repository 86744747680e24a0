"""Processors of published measurements by whatever name a source gives them.

A name is taken apart into what it says: silicon, memory, form factor, cores, threads, vCPUs, sockets, and the name of an
instance type. Chips that an instance type has are read from the catalog; the tables beside this file hold the others.
"""

import math
import re
from dataclasses import dataclass, replace
from functools import cache

from sizewell.instance_selection.catalog import Accelerator, Cpu, InstanceType, load_catalog
from sizewell.instance_selection.catalog.loading import accelerator_of, cpu_of
from sizewell.instance_selection.estimation.processors import (
    Processor,
    UnknownRateError,
    logical_cores,
    processor_of,
)
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
#: What stands for a processor that no table names: its generation, by the numbering of its maker.
GENERATIONS = (
    (r"\be5 ?\d{4} ?v2\b", "Xeon E5-2650 v2"),
    (r"\be5 ?\d{4} ?v3\b", "Xeon E5-2680 v3"),
    (r"\be5 ?\d{4} ?v4\b", "Xeon E5-2686 v4"),
    (r"\be5 ?\d{4}\b", "Xeon E5-2670"),
    (r"\b[3-8]1\d{2}[a-z+]*\b", "Xeon Platinum 8180"),
    (r"\b[3-8]2\d{2}[a-z+]*\b", "Xeon Gold 6258R"),
    (r"\b[3-8]3\d{2}[a-z+]*\b", "Xeon Platinum 8380"),
    (r"\b[3-8]4\d{2}[a-z+]*\b", "Xeon Platinum 8480+"),
    (r"\b[3-8]5\d{2}[a-z+]*\b", "Xeon Platinum 8592+"),
    (r"\bepyc 7\w\w1\b", "EPYC 7571"),
    (r"\bepyc 7\w\w2\b", "EPYC 7742"),
    (r"\bepyc 7\w\w3\b", "EPYC 7763"),
    (r"\bepyc 9\w\w4\b", "EPYC 9654"),
    (r"\bepyc 9\w\w5\b", "EPYC 9755"),
)
#: Chips that no estimate is made for: their software is not what an ``ml.*`` type runs.
FOREIGN = (
    r"\b(mi\d{2,3}[a-z]?|instinct|radeon|rx \d{4}|gaudi\w*|hl \d{3}|tpus?|v[2-6][ep]|trillium|arc a\d+|ponte vecchio"
    r"|max 1[15]\d0)\b|^m[1-3]$|\bm[1-4] (?:pro|max|ultra)$|^apple m\d$"
)
#: Words of a name that tell nothing about the silicon.
IDLE_WORDS = (
    r"\b(nvidia|tesla|geforce|aws|amd|intel|amazon|tensor core|gpus?|accelerators?|cards?|chips?|unspecified|edition"
    r"|server|workstation|generation|blackwell|dgx|hgx|hbm\d?e?|nvl\d+|on|each)\b"
)
#: Words of the name of a CPU.
CPU_WORDS = r"cpu|core|thread|xeon|epyc|graviton|intel|amd|skylake|lake|rapids"
FORM = r"\b(?:(sxm) ?\d?|(pci) ?e(?: gen ?\d| \d\.\d)?(?: ?x ?\d+)?|(nvl))\b"
MEMORY = r"(?<![\w.])(\d+(?:\.\d+)?) ?(?:gi?b?)\b"
INSTANCE = (
    r"\b(?:ml\.)?([a-z]{1,4}\d[a-z]*(?:-[a-z0-9]+)?)"
    r"\.(\d*x?large|nano|micro|small|medium|metal(?:-\d+xl)?)(?![a-z])"
)
#: A family of EC2 types.
FAMILY = r"[a-z]{1,3}\d[a-z]{0,3}"
#: How many, before and after a name: ``4x A100``, ``A100 x 4``.
BEFORE = r"^\s*(\d{1,3}) ?[x*] ?(?=[a-z])"
AFTER = r"\sx ?(\d{1,2})(?= |$)"


class UnknownChipError(ValueError):
    """No table describes a processor of that name, or no estimate is made for it."""


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


def find_chip(
    name: str, count: int, note: str = "", *, instance_type: str = "", parallelism: str = ""
) -> tuple[Chip, int]:
    """Return the device and how many of them; the sockets of a CPU are one device.

    ``count`` is 0 where it is not stated. ``instance_type`` tells what ``name`` leaves open, ``parallelism`` how many
    threads of a CPU are used. Raises `UnknownChipError`.
    """
    text = _spaced(name)
    instance = _instance(name) or _instance(instance_type)
    found = _accelerator(text) or _accelerator_of_family(text, instance)
    if found:
        return _device(found, f"{note} {name}"), _devices(found, text, instance, count)
    if re.search(FOREIGN, re.sub(IDLE_WORDS, " ", text).strip()):
        raise UnknownChipError(
            f"{name} is neither CUDA nor Neuron nor a server CPU: no estimate is made for it"
        )
    chip = _cpu(text, instance, count, _spaced(parallelism))
    if chip is None:
        raise UnknownChipError(f"accelerator {name or '(empty)'} is not in the tables")
    return chip, 1


def _spaced(text: str) -> str:
    return re.sub(
        r"[\s_/,;-]+", " ", re.sub(r"\((?:r|tm)\)", "", text.lower().replace("\N{MULTIPLICATION SIGN}", "x"))
    ).strip()


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9+]", "", text.lower())


@dataclass(frozen=True)
class _Instance:
    family: str
    vcpus: int | None
    """None of a metal size, which has all of its server."""
    known: InstanceType | None


def _instance(text: str) -> _Instance | None:
    found = re.search(INSTANCE, text.lower())
    if not found:
        return None
    family, size = found.groups()
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
    """What the name of an accelerator says."""

    silicon: str
    form: str
    memory_gb: float | None

    @classmethod
    def of(cls, text: str) -> "_Label":
        form, memory = re.search(FORM, text), re.search(MEMORY, text)
        bare = re.sub(r"\bmig.*|\([^)]*\)", " ", re.sub(INSTANCE, " ", text))
        for pattern in (BEFORE, AFTER, FORM, MEMORY, r"\b\d+ ?w\b", IDLE_WORDS):
            bare = re.sub(pattern, " ", bare.strip())
        plain = re.sub(r"^(inferentia|trainium)1$", r"\1", _plain(bare))
        return cls(
            plain, next(filter(None, form.groups())) if form else "", float(memory[1]) if memory else None
        )


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
        label = _Label.of(_spaced(name))
        found.setdefault(label.silicon, []).append((label, chip))
    return found


def _accelerator(text: str) -> Accelerator | None:
    """Return the chip of that silicon; its memory and its form decide between variants, as far as they are stated."""
    asked = _Label.of(text)
    variants = _accelerators().get(asked.silicon, [])
    if asked.memory_gb:
        least = min((abs((v[1].memory_gib or 0) - asked.memory_gb) for v in variants), default=0)
        variants = [v for v in variants if abs((v[1].memory_gib or 0) - asked.memory_gb) == least]
    form = "" if asked.form == "sxm" else asked.form
    variants = [v for v in variants if v[0].form.replace("sxm", "") == form] or variants
    return variants[0][1] if variants else None


def _accelerator_of_family(text: str, instance: _Instance | None) -> Accelerator | None:
    bare = _plain(re.sub(r"\([^)]*\)", "", re.sub(INSTANCE, " ", text)))
    family = bare if bare in _families() else instance.family if instance and not bare else ""
    found = _families().get(family)
    return found.accelerator if found else None


def _device(chip: Accelerator, note: str) -> Chip:
    if chip.kind not in ("cuda", "neuron"):
        raise UnknownChipError(f"{chip.name} is neither CUDA nor Neuron: no estimate is made for it")
    # A slice of a card (MIG) has that many sevenths of its units and eighths of its memory.
    slices = re.search(r"mig[-_ ]?\w*?(\d)g\.", note.lower())
    if slices:
        units, memory = int(slices[1]) / 7, min(1.0, int(slices[1]) / 8)
        rates = {
            name: getattr(chip, name)
            for name in Accelerator.__dataclass_fields__
            if name.endswith(("tflops", "tops"))
        }
        chip = replace(
            chip,
            **{name: rate * units if rate else rate for name, rate in rates.items()},
            cores=(chip.cores or 0) * units or None,
            memory_gib=(chip.memory_gib or 0) * memory,
            memory_bandwidth_gb_s=(chip.memory_bandwidth_gb_s or 0) * memory or None,
        )
    device = Chip(facts=chip, memory_gib=chip.memory_gib or 0.0, cores=chip.cores or 80.0)
    try:
        device.processor("half")
    except UnknownRateError as error:
        raise UnknownChipError(str(error)) from None
    return device


def _devices(chip: Accelerator, text: str, instance: _Instance | None, count: int) -> int:
    if count:
        return count
    stated = re.search(BEFORE, text) or re.search(AFTER, re.sub(r"[()]", " ", re.sub(FORM, " ", text)))
    if stated:
        return int(stated[1])
    cores = re.search(r"(\d+) ?(?:neuron)? ?cores?\b", text) if chip.kind == "neuron" else None
    if cores:
        return max(1, math.ceil(int(cores[1]) / logical_cores(chip)))
    known = instance.known if instance else None
    return known.accelerator_count if known and known.accelerator == chip else 1


@cache
def _cpus() -> dict[str, Cpu]:
    """Return the processors of the tables by every name that they have."""
    found: dict[str, Cpu] = {}
    for row in read_table(DATA / "processors.csv"):
        family = _families()[row["same_as"]].cpu if row["same_as"] else None
        cpu = replace(family, name=row["processor"]) if family else cpu_of(row, row["processor"])
        found |= {_plain(name): cpu for name in (row["processor"], *row["aliases"].split(";")) if name}
    return found


def _cpu(text: str, instance: _Instance | None, count: int, parallelism: str) -> Chip | None:
    named, sure = _named_cpu(text, instance)
    if named is None:
        return None
    machine, stated = _machine_cores(text, parallelism, named, instance, count)
    if not stated and not sure:
        return Chip(
            facts=named,
            memory_gib=GIB_PER_CORE * UNSTATED_CORES,
            cores=UNSTATED_CORES,
            unstated_log_sd=UNSTATED_LOG_SD,
        )
    # Threads that share a core share its units: what they add is within the noise of the measurements that vary them.
    used = re.search(
        r"(?:(\d+) ?(?:instances|copies|processes|workers) ?(?:x|of|with)? ?)?(\d+) ?threads?\b"
        r"|(?:n ?jobs|nthreads?|num threads) ?=? ?(\d+)",
        f"{parallelism} {text}",
    )
    threads = int(used[1] or 1) * int(used[2] or used[3]) if used else math.inf
    known = instance.known if instance else None
    return Chip(
        facts=named,
        memory_gib=known.memory_gib if known else GIB_PER_CORE * machine,
        cores=float(max(1.0, min(machine, threads))),
        host_cores=machine if stated else 0.0,
    )


def _named_cpu(text: str, instance: _Instance | None) -> tuple[Cpu | None, bool]:
    """Return the processor, and whether the text says which one: a model, an instance type, a generation, a maker."""
    bare = re.sub(r"\([^)]*\)", " ", re.sub(INSTANCE, " ", text))
    plain, cpus = _plain(bare), _cpus()
    # A model number ends where a revision begins: E5-2670 v3 is no E5-2670.
    models = [
        key
        for key in cpus
        if re.search(r"(\d\D?){3}|graviton\d", key) and re.search(re.escape(key) + r"(?!v\d)", _plain(text))
    ]
    if models:
        return cpus[max(models, key=len)], True
    if re.search(r"xeon|epyc|gold|platinum|silver|^e5\b", bare):
        for pattern, name in GENERATIONS:
            if re.search(pattern, bare):
                return cpus[_plain(name)], True
    family = plain if plain in _families() or (plain in cpus and re.fullmatch(FAMILY, plain)) else ""
    listed = _families().get(family or (instance.family if instance else ""))
    if listed and (family or not listed.accelerator or re.search(CPU_WORDS, text)):
        return listed.cpu, True
    if instance and not listed:
        return cpus.get(instance.family), True
    if family:
        return cpus[family], True
    words = [
        key
        for key in cpus
        if not re.fullmatch(FAMILY, key) and (plain.startswith(key) or (len(key) > 3 and key in _plain(text)))
    ]
    if re.fullmatch(r"\d+(vcpus?|cpus?|cores?|threads?)", _plain(text)):
        words = ["cpu"]
    key = max(words, key=len, default="")
    return cpus.get(key), key not in ("cpu", "x86", "xeon", "intel", "epyc", "amd", "amdepyc", "")


def _machine_cores(
    text: str, parallelism: str, cpu: Cpu, instance: _Instance | None, count: int
) -> tuple[float, bool]:
    """Return the physical cores of the machine, and whether something says so."""
    per_socket = (cpu.vcpus_per_socket or 2) / cpu.threads_per_core
    written = re.search(
        r"\b([1248]) ?s\b|\b([1248]) ?sockets?|^([1248]) ?x ?(?=[a-z])|\sx ?([1248])(?= |$)", text
    )
    sockets = next(int(g) for g in written.groups() if g) if written else 2 if "dual" in text else count or 1
    per_part = re.search(r"\b(\d) ?x ?(\d{1,3}) ?(?:phys\w* ?)?cores?\b", text)
    cores = re.search(r"\b(\d{1,3}) ?(?:phys\w* ?)?(?:cores?\b|phys|c ?\d{1,3} ?t\b)", text)
    vcpus = re.search(r"\b(\d{1,3}) ?v? ?cpus?\b", f"{text} {parallelism}")
    if per_part:
        return float(per_part[1]) * float(per_part[2]), True
    if cores:
        of_socket = sockets > 1 and float(cores[1]) == per_socket
        return float(cores[1]) * (sockets if of_socket else 1), True
    if vcpus:
        return float(vcpus[1]) / cpu.threads_per_core, True
    if instance:
        size = instance.vcpus or _metal_vcpus(instance.family, cpu)
        return size / cpu.threads_per_core, True
    return per_socket * sockets, False


def _metal_vcpus(family: str, cpu: Cpu) -> float:
    """Return the vCPUs of a whole server: the sockets that the largest size of the family fills."""
    largest, socket = _families().get(family), cpu.vcpus_per_socket or 1
    return socket * (math.ceil(largest.vcpus / socket) if largest else 2)
