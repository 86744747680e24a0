"""The memory of rows that serve: what the version of an engine, the size of an image and the instance type say of it."""

import pytest

from tests.benchmarks.measured_rows import DECODER
from tools.benchmarks.measurements import case_of
from tools.benchmarks.memory_cases import MemoryCases

LONG = {**DECODER, "metric": "peak_mem_mb", "accelerator": "H200", "input_len": "20000", "output_len": "100"}
DRAWN = {
    "task": "inference", "model": "sd-1.5", "architecture": "diffusion", "precision": "fp32", "accelerator": "A100-80GB-SXM4",
    "accelerator_count": "1", "batch_size": "8", "metric": "peak_mem_mb", "framework": "diffusers",
}  # fmt: skip


def predicted(row: dict[str, str], **changes: str) -> float:
    values, _ = MemoryCases([case_of(row | changes)]).predict()
    return float(values[0])


@pytest.mark.parametrize(
    ("framework", "tokens", "whole"),
    [
        ("vLLM 0.4.1", 20_000, True),
        ("vLLM 0.6.4", 20_000, True),
        # From 0.5.4 on, prompts of more than 32,768 tokens were read in pieces.
        ("vLLM 0.5.3", 40_000, True),
        ("vLLM 0.5.4", 40_000, False),
        ("vLLM 0.8.5", 20_000, False),
        ("vLLM 0.11.0", 20_000, False),
        ("vLLM", 20_000, False),
        ("SGLang 0.4.1", 20_000, False),
    ],
)
def test_old_versions_of_vllm_read_prompts_whole(framework: str, tokens: int, whole: bool) -> None:
    row = LONG | {"input_len": str(tokens)}

    assert (predicted(row, framework=framework) > predicted(row, framework="vLLM 1.0")) == whole


def test_llama_cpp_reads_prompts_in_pieces() -> None:
    short, long = (
        predicted(LONG, framework="llama.cpp", input_len=n, output_len="20000") for n in ("512", "20000")
    )
    # The cache of 19,488 more tokens, and nothing of their square.
    assert long - short == pytest.approx(19_488 * 2 * 32 * 4096 * 2 / 1e6, rel=0.02)


def test_scores_that_are_written_to_memory_grow_with_the_square_of_the_pixels() -> None:
    fused, unfused = (predicted(DRAWN, fused_attention=said) for said in ("", "no"))
    larger = predicted(DRAWN, fused_attention="no", image_size="1024x1024")

    # 8 images, twice with guidance, 8 heads, 4,096 positions, three copies in fp32.
    assert unfused > 16 * 8 * 4096**2 * 3 * 4 / 1e6 > fused
    assert larger > 10 * unfused


def test_the_images_of_a_row_are_decoded_at_its_own_size() -> None:
    small, large = (predicted(DRAWN, image_size=f"{side}x{side}") for side in (512, 1024))

    decoded = 8 * 900 * 4 * 512**2 / 1e6
    assert large - small == pytest.approx(3 * decoded * 1.05, rel=0.01)


@pytest.mark.parametrize(("instance_type", "fits"), [("ml.inf2.xlarge", 0), ("ml.inf2.8xlarge", 1), ("", 1)])
def test_a_host_that_weights_do_not_pass_through_decides(instance_type: str, fits: int) -> None:
    row = {**DRAWN, "model": "sdxl", "precision": "bf16", "batch_size": "1", "accelerator": "Inferentia2"}

    assert predicted(row, metric="fits_memory", framework="torch-neuronx", aws_instance=instance_type) == fits


def test_a_table_is_measured_by_its_rows_and_features_on_a_gpu_and_in_its_host() -> None:
    row = {
        "task": "training", "model": "xgboost", "architecture": "gbdt", "precision": "fp32", "accelerator_count": "1",
        "metric": "fits_memory", "framework": "XGBoost 2.1",
    }  # fmt: skip

    def fits(rows: int, accelerator: str, instance_type: str = "") -> float:
        return predicted(
            row, input_len=str(rows), accelerator=accelerator, aws_instance=instance_type, features="100"
        )

    assert fits(10_000_000, "A10G") == 1
    assert fits(100_000_000, "A10G") == 0
    assert fits(10_000_000, "A10G", "ml.g5.xlarge") == 1
    # 12 bytes of 20 million rows of 100 features in the host, 7.8 on the GPU.
    assert fits(20_000_000, "A10G", "ml.g5.xlarge") == 0
    assert fits(20_000_000, "A10G", "ml.g5.4xlarge") == 1
