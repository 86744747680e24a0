"""How a model is split over devices, and what a training step does besides: the column ``parallelism``."""

import re
from dataclasses import dataclass

from tools.benchmarks.cells import Cells, without

#: The parts of a cell, the last of which change nothing.
_PARTS = re.compile(
    r"(?<![a-wyz])(?:(?P<degree>(?P<kind>[tpdecs]p) ?[=-]? ?(?P<count>\d+)|dp|ep)(?![a-wyz0-9])"
    r"|(?:(?P<copies>\d+) (?:instances?|process(?:es)?|copies) x )?(?P<threads>\d+) (?:threads?|cores)\b"
    r"|(?P<data>ddp|data[ -]parallel(?:ism)?)(?![a-z0-9])"
    r"|(?P<pipeline>pipeline|pp)(?![a-z0-9])"
    r"|zero[ -]?(?:stage[ -]?)?(?P<zero>[123])(?!\d)"
    r"|(?P<fsdp>fsdp\d?|hsdp|full_shard|sharded)(?![a-z0-9])"
    r"|(?P<grad>shard_grad_op)(?![a-z0-9])"
    r"|(?P<recompute>act-ckpt|(?:activation|gradient)[ -]checkpointing)(?![a-z0-9])"
    r"|(?P<offload>(?:cpu )?offload)(?![a-z0-9])"
    r"|neuroncores\b|\d+ ?x ?nc\b|\d+ ?(?:nodes|vcpus?)\b)"
)
_SHARDINGS = {"1": "zero1", "2": "zero2", "3": "shard"}


@dataclass(frozen=True, slots=True)
class Split:
    """Degrees are devices, 0 where none is stated."""

    tensor: int = 0
    pipeline: int = 0
    whole_pipeline: bool = False
    """Layers one after the other on all devices, as Accelerate and Neuron's pipelines lay them."""
    data: bool = False
    """Whether copies of the model are named at all."""
    data_alone: bool = False
    """Whether copies are all that is said: their loaders take the batch of one device."""
    sharding: str = "none"
    """What is divided among copies: ``zero1`` states, ``zero2`` and, by FSDP, ``grad`` gradients too, ``shard`` weights too."""
    recompute: bool = False
    offload: bool = False
    threads: int = 0
    """Threads of a CPU that work."""


def split_of(cells: Cells, default: str = "") -> Split:
    """Return what the cell of a row says, or a default where it is empty."""
    text = (cells["parallelism"] or default).lower()
    found = list(_PARTS.finditer(text))
    cells.ignore("parallelism", without(text, found))
    degrees = {part["kind"]: int(part["count"]) for part in found if part["kind"]}
    said = {group: text for part in reversed(found) for group, text in part.groupdict().items() if text}
    data = "data" in said or "dp" in degrees or any(part["degree"] == "dp" for part in found)
    sharding = (
        "grad" if "grad" in said else "shard" if "fsdp" in said else _SHARDINGS.get(said.get("zero", ""))
    )
    return Split(
        tensor=degrees.get("tp", 0),
        pipeline=degrees.get("pp", 0),
        whole_pipeline="pipeline" in said,
        data=data,
        data_alone=data and not degrees.keys() & {"tp", "pp"},
        sharding=sharding or "none",
        recompute="recompute" in said,
        offload="offload" in said,
        threads=int(said.get("copies", 1)) * int(said.get("threads", 0)),
    )
