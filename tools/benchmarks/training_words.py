"""What the words of a row say about a training: how many examples a device takes, what is computed again, real texts."""

import re

_DEVICE = r"(?:gpus?|devices?|cards?|accelerators?|chips?|ranks?|workers?|process(?:es)?|(?:neuron)?cores?)\b"
_PER = r"[- ]?(?:per|/|on each|for each|on every|each)[- ]?"
#: Activations that are computed again in the backward pass, each block whole. Selective recomputation repeats attention
#: alone, 4 % of a step (Korthikanti et al. 2022, table 4), and is not meant.
_RECOMPUTED = re.compile(
    r"(?:act(?:ivation)?s?|gradient|grad|full)[-_ ]?(?:ckpt|checkpoint\w*)|(?:activation|full)[-_ ](?:re-?comput\w+|remat\w*)"
)
_NOT_BEFORE = re.compile(r"(?:\bno|\bnot|without|selective|w/o|disabled?)[-_ ]+(?:\w+[-_ ]+)?$")
_NOT_AFTER = re.compile(r"[-_ =:]*(?:is |are |was )?(?:not|off|disabled|false|unknown)\b")
#: Frameworks that recompute unless they are told not to: LLaMA-Factory (disable_gradient_checkpointing is False), Unsloth
#: (use_gradient_checkpointing="unsloth"), H2O LLM Studio (Gradient Checkpointing is on). PEFT does it for quantized weights
#: (prepare_model_for_kbit_training, use_gradient_checkpointing is True).
RECOMPUTING = r"llama-?factory|unsloth|h2o llm studio"
_HUGGING_FACE = r"hugging ?face|transformers|\bpeft\b|\btrl\b|\bhf\b"
#: Examples of one pass of one device.
_MICRO_BATCHES = tuple(
    re.compile(words)
    for words in (
        r"micro[-_ ]?(?:batch(?:[-_ ]size)?|bsz)[-_ =:]*(?:of )?(\d+)\b",
        rf"batch(?:[-_ ]size)?[ =:]*(?:of )?(\d+)\b(?! ?k\b)(?: \w+)?{_PER}{_DEVICE}",
        r"batch(?:[-_ ]size)?[ =:]*(\d+) ?(?:x|\*|,|with) ?(?:gradient[-_ ])?accumulation",
        rf"per[- ]{_DEVICE}[- ](?:train[- ]|micro[- ]?)?batch(?:[-_ ]size)?[ =:]*(?:of )?(\d+)\b(?! ?k\b)",
        rf"(?<![\d.])(\d+)(?: (?:images|sequences|samples|examples|clips))?{_PER}{_DEVICE}(?![- ]\w*(?:memory|hour|second))",
    )
)
#: A batch without a number that is said to be that of one device.
_PER_DEVICE = re.compile(
    rf"per-device|per[- ]{_DEVICE}[- ]batch(?!(?:[-_ ]size)?[ =:]*(?:of )?\d)|micro-?batch(?: size)? as batch"
    rf"|batch(?:[-_ ]size)? (?:is |counts )?per[- ]{_DEVICE}"
)
#: Texts as they come, up to the stated length, and texts that all have it.
_REAL = re.compile(
    r"(?<!not )(?:the maximum\b|max(?:imum)? (?:sequence )?length|longest|alpaca|guanaco|dolly|oasst|openassistant|sharegpt)"
)
_FULL = re.compile(
    r"dummy|synthetic|random (?:data|tokens)|packed|packing|full length|fixed length|padded to"
)
#: How much a duration covers: one update of the weights, so many, or so many times all examples.
_ONE_UPDATE = re.compile(
    r"\b(?:per|one|an|each) (?:iteration|step|update|forward and backward pass)\b|/(?:iter|step)\b|\b(?:iteration|step) time"
)
_UPDATES = re.compile(
    r"(?<!mean of )(?<!over )(?<!after )(?<!first )(?<!last )\b(\d[\d,]*) ?(k\b)? ?(?:iterations|steps|updates)\b"
)
_EPOCHS = re.compile(r"\b(\d+|one|an|per) epochs?\b")
_EXAMPLES = re.compile(r"(\d[\d,]*) (?:images|interactions|examples|samples|sequences|texts|rows|clips)\b")
#: What predicts the next word, or the words that were hidden, keeps scores of all words.
_PREDICTS_WORDS = re.compile(r"\bpre-?train(?!ed)|\bmasked (?:lm|language|word)")
#: A length that somebody chose is a multiple of this; another one is that of the longest text of the data.
_CHOSEN_LENGTH = 64


def recomputes(text: str, framework: str, *, quantized_adapters: bool) -> bool:
    """Return whether blocks are computed again: from words that do not deny it, or by what a framework does by itself."""
    lower = text.lower()
    said = [
        not _NOT_BEFORE.search(lower[: found.start()]) and not _NOT_AFTER.match(lower[found.end() :])
        for found in _RECOMPUTED.finditer(lower)
    ]
    if said:
        return any(said)
    name = framework.lower()
    return bool(re.search(RECOMPUTING, name)) or (
        quantized_adapters and bool(re.search(rf"{_HUGGING_FACE}|bitsandbytes", name))
    )


def micro_batch(note: str) -> float | None:
    """Return the examples that one device takes at a time, None where none are stated."""
    found = (words.search(note.lower()) for words in _MICRO_BATCHES)
    return next((float(match[1]) for match in found if match), None)


def updates(note: str, batch: float | None) -> float | None:
    """Return the updates of the weights that a duration covers, None where nobody says how much was trained."""
    words = note.lower()
    if _ONE_UPDATE.search(words):
        return 1.0
    if found := _UPDATES.search(words):
        return float(found[1].replace(",", "")) * (1e3 if found[2] else 1.0)
    epochs = _EPOCHS.search(words)
    examples = _EXAMPLES.search(words, epochs.end()) if epochs else None
    if not (epochs and examples and batch):
        return None
    return (float(epochs[1]) if epochs[1].isdigit() else 1.0) * float(examples[1].replace(",", "")) / batch


def predicts_words(text: str) -> bool:
    """Return whether a training of an encoder scores the words of a vocabulary, as pre-training does."""
    return bool(_PREDICTS_WORDS.search(text.lower()))


def is_per_device(note: str, batch: float | None, devices: float) -> bool:
    """Return whether the batch of a row is that of one device: said in words, or the same number as one said to be."""
    return bool(_PER_DEVICE.search(note.lower())) or (
        devices > 1 and batch is not None and batch == micro_batch(note)
    )


def holds_real_texts(note: str, length: float | None) -> bool:
    """Return whether the stated length is the most of texts of many lengths."""
    words = note.lower()
    if _FULL.search(words) or not length:
        return False
    return bool(_REAL.search(words)) or length % _CHOSEN_LENGTH != 0


def adapter_rank(text: str) -> float | None:
    """Return the rank of adapters, None where none is stated."""
    found = re.search(r"\brank[ =:]*(\d+)|(?<![a-z])r ?= ?(\d+)", text.lower())
    return float(found[1] or found[2]) if found else None


def offloads(text: str) -> bool:
    """Return whether weights or states of a training lie in host memory."""
    return bool(
        re.search(
            r"(?<!no )(?:cpu|host)[-_ ]?(?:ram )?offload|offload\w*(?: of \w+)? to (?:the )?(?:cpu|host)",
            text.lower(),
        )
    )


def writes_scores(framework: str, note: str, date: str) -> bool:
    """Return whether attention of decoders is not fused: in PyTorch before 2.0 (March 2023), in Transformers before 4.36.

    The latter appeared in December 2023 (its release notes: SDPA by default). An unknown date is today's.
    """
    text = f"{framework} {note}".lower()
    if not date or re.search(r"flash|xformers|memory[- ]efficient|sdpa|fused attention|unsloth", text):
        return False
    return date[:4] <= "2022" or (date[:4] == "2023" and bool(re.search(_HUGGING_FACE, text)))
