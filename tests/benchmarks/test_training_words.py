"""What notes say of a training, as anybody writes it."""

import pytest

from tools.benchmarks.training_words import (
    adapter_rank,
    holds_real_texts,
    is_per_device,
    micro_batch,
    offloads,
    recomputes,
    writes_scores,
)


@pytest.mark.parametrize(
    "words",
    [
        "FULL_SHARD +act-ckpt", "gradient checkpointing", "Gradient Checkpointing: on", "activation checkpointing",
        "full recompute", "activation recomputation", "gradient_checkpointing=True", "with full activation checkpointing",
        "full re-computation", "activation remat",
    ],
)  # fmt: skip
def test_words_of_recomputation(words: str) -> None:
    assert recomputes(words, "", quantized_adapters=False)


@pytest.mark.parametrize(
    "words",
    [
        "", "no activation checkpointing", "without gradient checkpointing", "activation checkpointing not stated there",
        "gradient checkpointing disabled", "gradient_checkpointing=False", "selective activation recomputation",
        "activation checkpointing is off", "no full activation checkpointing", "checkpoints every 100 steps",
    ],
)  # fmt: skip
def test_words_that_deny_it_or_speak_of_something_else(words: str) -> None:
    assert not recomputes(words, "", quantized_adapters=False)


def test_some_frameworks_recompute_unless_they_are_told_not_to() -> None:
    assert recomputes("", "LLaMA-Factory 0.9", quantized_adapters=False)
    assert recomputes("", "HF PEFT", quantized_adapters=True)
    assert not recomputes("", "HF PEFT", quantized_adapters=False)
    assert not recomputes("no gradient checkpointing", "Unsloth", quantized_adapters=True)


@pytest.mark.parametrize(
    "words",
    [
        "micro-batch 8", "microbatch 8", "micro batch size 8", "micro_batch_size=8", "micro_bsz 8",
        "batch 8 x accumulation 5 x 8 GPUs", "batch 8 per GPU",
        "batch size 8 per device",
        "batch size of 8 per GPU", "per-GPU batch size 8", "per device train batch size 8", "64 images (8 per GPU)",
        "8 sequences per GPU", "8 samples/GPU", "global batch 64, batch 8 per accelerator",
    ],
)  # fmt: skip
def test_words_of_the_batch_of_one_device(words: str) -> None:
    assert micro_batch(words) == 8
    assert is_per_device(words, 8, 8)
    assert not is_per_device(words, 64, 8)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "per-GPU batch 16k tokens",
        "global batch 64",
        "80 GB per GPU",
        "2.5 hours per GPU",
        "batch 16k per GPU",
    ],
)
def test_what_is_no_number_of_examples(words: str) -> None:
    assert micro_batch(words) is None


@pytest.mark.parametrize(
    "words", ["batch is per GPU", "per-device", "micro-batch as batch_size", "batch size per device"]
)
def test_a_batch_may_be_said_to_be_that_of_one_device(words: str) -> None:
    assert is_per_device(words, 64, 8)


def test_texts_have_the_stated_length_unless_it_is_the_longest() -> None:
    assert holds_real_texts("the length is the maximum", 512)
    assert holds_real_texts("Alpaca", 2048)
    assert holds_real_texts("", 1304)
    assert not holds_real_texts("", 2048)
    assert not holds_real_texts("", None)
    assert not holds_real_texts("dummy data of the maximum length", 2048)
    assert not holds_real_texts("Alpaca, packed", 2048)


def test_ranks_and_offloading() -> None:
    assert [adapter_rank(t) for t in ("LoRA rank 16", "LoRA r=64", "lora (r = 8)", "LoRA")] == [
        16,
        64,
        8,
        None,
    ]
    assert offloads("FULL_SHARD, CPU offload")
    assert offloads("states offloaded to CPU")
    assert not offloads("no CPU offload")


def test_scores_are_written_before_kernels_of_attention_were_usual() -> None:
    assert writes_scores("PyTorch", "", "2022-05")
    assert not writes_scores("PyTorch", "flash attention", "2022-05")
    assert writes_scores("Hugging Face PEFT", "", "2023")
    assert not writes_scores("Composer", "", "2023")
    assert not writes_scores("Hugging Face PEFT", "", "2024-03")
    assert not writes_scores("PyTorch", "", "")
