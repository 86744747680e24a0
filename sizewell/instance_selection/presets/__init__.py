"""Find the published facts of a common model by any of the spellings of its name."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizewell.instance_selection.catalog.tables import items, record

TABLE = Path(__file__).parent / "models.csv"

_SEPARATORS = re.compile(r"[-_ /:]+")
_WITHOUT_SEPARATORS = str.maketrans("", "", "-_ /:")
_PARENTHESIS = re.compile(r"\([^)]*\)")
# Endings that tell how a model was tuned, stored or published, but not how large it is.
_SUFFIX = re.compile(
    r"hf|instruct|chat|it|pt|base|sft|dpo|rlhf|tuned|finetuned|preview|original|online|"
    r"cased|uncased|english|en|squad|sst2|ner|training|tuning|fine|pre|inference|"
    r"fp32|tf32|fp16|bf16|fp8|nvfp4|mxfp4|fp4|int8|int4|w8a8|w8a16|w4a16|dynamic|quantized|awq|gptq|gguf|"
    r"bnb|[348]bit|q[2-8]|onnx|trt|neuron|\d+k|\d{4}|v\d+(\.\d+)*"
)


@dataclass(frozen=True, slots=True)
class Preset:
    """Published facts of a model; None where they are unknown or mean nothing for its architecture.

    ``parameters`` counts every weight. ``active_parameters`` are those that one token, or one denoising step, is
    multiplied with, look-up tables included: fewer in a mixture of experts and in a diffusion pipeline, more in a
    model that uses one layer several times, None where they are all. ``embedding_parameters`` sit in look-up
    tables that do no arithmetic; a table that is also the output head is not counted.

    ``layers`` are transformer blocks, those of encoder and decoder together, or convolutions and matrices of a CNN.
    ``kv_hidden_size`` is the width of K and of V, so that a cached token takes twice as many values in each layer;
    one latent that stands for both counts half. ``intermediate_size`` is that of one expert in a mixture.

    ``max_context_tokens`` are the positions that the configuration of the model has (max_position_embeddings, without
    those of padding); None too where models of other lengths go by the same name. ``patch_length`` are the steps of a
    time series that make one token.

    ``forward_gflops`` (10^9 operations, a multiply-add being two) and ``activations_millions`` (outputs of the
    matrices and convolutions, in 10^6 values) belong to one pass over one input of ``input_size``: an image,
    a clip, or one denoising step of one image without guidance.
    """

    name: str
    aliases: tuple[str, ...]
    architecture: str
    parameters: int
    active_parameters: int | None
    embedding_parameters: int | None
    layers: int | None
    hidden_size: int | None
    kv_hidden_size: int | None
    intermediate_size: int | None
    vocabulary_size: int | None
    max_context_tokens: int | None
    patch_length: int | None
    forward_gflops: float | None
    activations_millions: float | None
    input_size: str | None
    source: str

    @property
    def pixels(self) -> int:
        """Height x width of an image; 0 of what reads none."""
        size = re.fullmatch(r"(\d+)x(\d+)", self.input_size or "")
        return int(size[1]) * int(size[2]) if size else 0


class UnknownPresetError(ValueError):
    """A model that the table does not hold; ``near_matches`` names up to three similar ones, best first."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches  # only here: a name that is found need not wait for it

        self.name = name
        self.near_matches = tuple(get_close_matches(name.lower(), list(known), n=3))
        hint = (
            f"did you mean {' or '.join(self.near_matches)}?" if self.near_matches else "no name is similar."
        )
        super().__init__(
            f"unknown model preset {name!r}: {hint} A model without a preset needs its parameters."
        )


def find_preset(name: str) -> Preset:
    """Return the preset of a model.

    Upper case, separators, the organisation before a slash and endings such as ``-instruct`` or ``-fp16`` make no
    difference, unless the table holds the longer name itself. Raises ``UnknownPresetError`` where it holds no spelling.
    """
    positions = _positions_by_spelling()
    for spelling in _spellings(name):
        if spelling in positions:
            return _preset(positions[spelling])
    raise UnknownPresetError(name, (cells[0] for cells in _rows()[1:]))


def matching_presets(text: str) -> tuple[Preset, ...]:
    """Return the presets that have a text in their name, an alias or their architecture, in the order of the table.

    Upper case and separators make no difference.
    """
    part = normalised(text)
    return tuple(
        preset
        for preset in load_presets()
        if any(part in normalised(name) for name in (preset.name, *preset.aliases, preset.architecture))
    )


@cache
def load_presets() -> tuple[Preset, ...]:
    """Return all presets in the order of the table."""
    return tuple(_preset(position) for position in range(1, len(_rows())))


@cache
def _rows() -> tuple[list[str], ...]:
    """Return the cells of the table, its header first; it is read once per process."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(csv.reader(file))


@cache
def _preset(position: int) -> Preset:
    return record(Preset, dict(zip(_rows()[0], _rows()[position], strict=True)))


@cache
def _positions_by_spelling() -> dict[str, int]:
    """Return where the preset of each name and alias stands in the table, and that of each alias without its owner."""
    positions: dict[str, int] = {}
    without_owner: dict[str, int] = {}
    for position, (name, aliases, *_) in enumerate(_rows()[1:], 1):
        positions[normalised(name)] = position
        for alias in items(aliases):
            positions[normalised(alias)] = position
            without_owner.setdefault(normalised(alias.rpartition("/")[2]), position)
    return without_owner | positions


def normalised(name: str) -> str:
    """Return a name in lower case and without separators, the form in which names are compared."""
    return name.lower().translate(_WITHOUT_SEPARATORS)


def _spellings(name: str) -> Iterator[str]:
    """Yield the forms under which a name may be known, the most exact first."""
    yield normalised(name)
    plain = _PARENTHESIS.sub("", name).strip()
    yield normalised(plain)
    for whole in (plain, plain.rpartition("/")[2]):
        words = [word for word in _SEPARATORS.split(whole.lower()) if word]
        yield "".join(words)
        while len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
            words.pop()
            yield "".join(words)
