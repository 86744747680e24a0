"""How a model is split over devices, and what a training step does besides: the column ``parallelism``."""

import re
from dataclasses import dataclass

from tools.benchmarks.cells import refused

#: The parts of a cell. Whatever stands between them joins them.
_PARTS = re.compile(
    r"(?P<degree>(?P<kind>[tpdecs]p) ?[=-]? ?(?P<count>\d+)|dp|ep)(?![a-wyz0-9])"
    r"|(?:(?P<copies>\d+) (?:instances?|process(?:es)?|copies) x )?(?P<threads>\d+) (?:threads?|cores)\b"
    r"|(?P<data>ddp|data[ -]parallel)(?![a-z0-9])"
    r"|(?P<pipeline>pipeline)(?![a-z0-9])"
    r"|zero[ -]?(?P<zero>[123])(?!\d)"
    r"|(?P<fsdp>fsdp\d?|hsdp|full_shard|sharded)(?![a-z0-9])"
    r"|(?P<grad>shard_grad_op)(?![a-z0-9])"
    r"|(?P<recompute>act-ckpt)(?![a-z0-9])"
    r"|(?P<offload>(?:cpu )?offload)(?![a-z0-9])"
    r"|neuroncores\b"
)
_BETWEEN = re.compile(r"[\s,;+x()]*")
ALLOWED = "parts such as tp4 pp2 dp8 ep8, zero1 zero2 zero3 fsdp, pipeline, act-ckpt, offload, 16 threads"
_SHARDINGS = {"1": "zero1", "2": "grad", "3": "shard"}


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
    """What is divided among copies: ``zero1`` states, ``grad`` gradients too, ``shard`` weights too."""
    recompute: bool = False
    offload: bool = False
    threads: int = 0
    """Threads of a CPU that work."""


def split_of(cell: str) -> Split:
    """Return what the cell says; raises `UnreadableRowError` for a part that is none."""
    text = cell.lower()
    found: list[re.Match[str]] = []
    at = _after_joints(text, 0)
    while at < len(text):
        part = _PARTS.match(text, at)
        if part is None:
            raise refused("parallelism", cell, ALLOWED)
        found.append(part)
        at = _after_joints(text, part.end())
    degrees = {part["kind"]: int(part["count"]) for part in found if part["kind"]}
    zero = next((part["zero"] for part in found if part["zero"]), "")
    grad, sharded = _has(found, "grad"), _has(found, "fsdp")
    data = _has(found, "data") or "dp" in degrees or any(part["degree"] == "dp" for part in found)
    split = any(kind in degrees for kind in ("tp", "pp"))
    threads = next((part for part in found if part["threads"]), None)
    return Split(
        tensor=degrees.get("tp", 0),
        pipeline=degrees.get("pp", 0),
        whole_pipeline=_has(found, "pipeline"),
        data=data,
        data_alone=data and not split,
        sharding="grad" if grad else "shard" if sharded else _SHARDINGS.get(zero, "none"),
        recompute=_has(found, "recompute"),
        offload=_has(found, "offload"),
        threads=int(threads["copies"] or 1) * int(threads["threads"]) if threads else 0,
    )


def _after_joints(text: str, at: int) -> int:
    joints = _BETWEEN.match(text, at)
    return joints.end() if joints else at


def _has(found: list[re.Match[str]], group: str) -> bool:
    return any(part[group] for part in found)
