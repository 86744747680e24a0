"""The memory of rows that train: what a device holds of the batch, the split and the adapters that a row states."""

import pytest

from tests.benchmarks.measured_rows import DECODER, ENCODER
from tools.benchmarks.measurements import case_of
from tools.benchmarks.memory_cases import ZERO2_BUCKET_BYTES, MemoryCases

FULL = {
    **DECODER, "task": "training", "metric": "peak_mem_mb", "accelerator": "H200", "accelerator_count": "8", "precision": "bf16",
    "batch_size": "8", "input_len": "2048", "output_len": "", "concurrency": "", "framework": "PyTorch", "parallelism": "DDP",
    "micro_batch": "1", "recompute": "yes",
}  # fmt: skip
ADAPTERS = {**FULL, "precision": "nf4 LoRA", "parallelism": "FULL_SHARD"}


def peak(row: dict[str, str], **changes: str) -> float:
    values, _ = MemoryCases([case_of(row | changes)]).predict()
    return float(values[0])


def test_a_device_holds_its_part_of_the_batch() -> None:
    alone = peak(FULL, accelerator_count="1", batch_size="1", parallelism="")
    assert peak(FULL) == pytest.approx(alone)
    assert peak(FULL, batch_size="16", micro_batch="2") > alone


def test_a_stated_micro_batch_is_what_a_device_holds_however_large() -> None:
    encoder = {**ENCODER, "task": "training", "metric": "peak_mem_mb", "accelerator": "H200"}
    single, half, whole = (peak(encoder, micro_batch=str(size)) for size in (1, 48, 96))

    assert whole - single == pytest.approx(95 / 47 * (half - single))


def test_an_encoder_that_predicts_hidden_words_scores_all_of_them() -> None:
    encoder = {**ENCODER, "task": "training", "metric": "peak_mem_mb", "accelerator": "H200"}

    assert peak(encoder, pretraining="yes") > peak(encoder)


@pytest.mark.parametrize("less", ["ZeRO-1", "ZeRO-2", "FSDP", "TP8"])
def test_what_is_split_takes_less(less: str) -> None:
    assert peak(FULL, parallelism=less) < peak(FULL)


def test_each_stage_of_zero_spreads_more() -> None:
    stages = [peak(FULL, parallelism=f"ZeRO-{stage}") for stage in (1, 2, 3)]
    assert stages == sorted(stages, reverse=True)
    assert len(set(stages)) == 3


def test_deepspeed_keeps_buckets_beside_the_gradients_that_it_spreads() -> None:
    by_deepspeed, by_fsdp = (peak(FULL, parallelism=stage) for stage in ("ZeRO-2", "SHARD_GRAD_OP"))
    assert by_deepspeed - by_fsdp == pytest.approx(ZERO2_BUCKET_BYTES / 1e6)


def test_columns_that_change_what_adapters_need() -> None:
    usual = peak(ADAPTERS)
    assert peak(ADAPTERS, adapters="256") > usual
    assert peak(ADAPTERS, parallelism="FULL_SHARD, CPU offload") < usual
    assert peak(ADAPTERS, recompute="no") > usual
    assert peak(ADAPTERS, precision="bf16 LoRA", data_date="2024-03") > usual
    # Before adapters were wrapped apart, nothing of the frozen weights was spread.
    assert peak(ADAPTERS, precision="bf16 LoRA") > peak(ADAPTERS, precision="bf16 LoRA", data_date="2024-03")


@pytest.mark.parametrize(("release", "fits"), [("0.1.3", 0), ("0.17.0", 1), ("1.0.0", 1)])
def test_an_engine_of_2023_holds_the_cache_of_its_whole_batch_and_later_ones_let_requests_wait(
    release: str, fits: int
) -> None:
    served = {
        **DECODER,
        "metric": "fits_memory",
        "batch_size": "64",
        "input_len": "2048",
        "output_len": "2048",
    }
    assert peak(served, accelerator="A10G", framework=f"TensorRT-LLM {release}") == fits


def test_exllama_by_itself_reads_long_prompts_in_pieces() -> None:
    served = {
        **DECODER,
        "metric": "peak_mem_mb",
        "precision": "int4",
        "input_len": "16384",
        "batch_size": "1",
    }
    assert peak(served, framework="ExLlama v1") < peak(served, framework="transformers/exllama") / 1.5
