"""How a model is split over devices, by the words of a row."""

import re
from dataclasses import dataclass

from tools.benchmarks.frameworks import plain_name

#: Words of each kind of parallelism.
TENSOR = r"tp|tensor[-_ ]?(?:model[-_ ]?)?parallel[a-z_]*"
PIPELINE = r"pp|pipeline[-_ ]?(?:model[-_ ]?)?parallel[a-z_]*"
DATA = r"d?dp|(?:distributed[-_ ]?)?data[-_ ]?parallel[a-z_]*"
#: Layers one after the other on all devices, as Accelerate and Neuron's pipelines lay them.
WHOLE_PIPELINE = r"naive|model pipeline"
#: What is divided among copies, in the order in which words decide. ZeRO stage 2 is what FSDP calls SHARD_GRAD_OP.
ZERO_3 = r"zero[-_ ]?(?:stage[-_ ]?)?3"
SHARDINGS = (
    ("grad", r"shard[-_ ]grad|zero[-_ ]?(?:stage[-_ ]?)?2"),
    ("shard", rf"{ZERO_3}|[fh]sdp|full[-_ ]shard"),
    ("zero1", r"zero[-_ ]?(?:stage[-_ ]?)?1"),
    ("shard", r"\bsharded\b"),
)


@dataclass(frozen=True, slots=True)
class Split:
    """Degrees are devices, 0 where none is stated."""

    tensor: int
    pipeline: int
    whole_pipeline: bool
    data: bool
    """Whether copies of the model are named at all."""
    data_first: bool
    """Whether copies are what is said first: their loaders take the batch of one device."""
    sharding: str
    streamed: bool
    """ZeRO-3: every device gathers the weights of each block."""


def split_of(parallelism: str, framework: str) -> Split:
    """Return what the cells say."""
    text, name = parallelism.lower(), plain_name(framework)
    streamed = bool(re.search(ZERO_3, text) or re.search(r"deepspeed-zero(?!-?(?:stage-?)?[012])", name))
    sharding = next((kind for kind, words in SHARDINGS if re.search(words, text)), "none")
    return Split(
        tensor=_degree(TENSOR, text),
        pipeline=_degree(PIPELINE, text),
        whole_pipeline=bool(re.search(WHOLE_PIPELINE, text)),
        data=bool(re.search(rf"(?<![a-z])(?:{DATA})", text)),
        data_first=bool(re.match(rf"(?:\d+[- ]?way[- ])?(?:{DATA})(?![a-z])", text)),
        sharding="shard" if streamed else sharding,
        streamed=streamed,
    )


def _degree(words: str, text: str) -> int:
    """Return the degree after the words, as in ``TP=8`` and ``tensor-parallel size 8``, or before as in ``8-way TP``."""
    after = rf"(?<![a-z])(?:{words})(?:[-_ ](?:size|degree))?[-_ =:(x]*(\d+)"
    found = re.search(after, text) or re.search(rf"(\d+)[- ]?way[- ](?:{words})", text)
    return int(found[1]) if found else 0
