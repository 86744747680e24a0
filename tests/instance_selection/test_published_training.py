"""Predicted training speeds against numbers that others have measured and published."""

from dataclasses import dataclass, replace

import pytest

from sizewell.instance_selection import Catalog, ModelSpec, Precision
from sizewell.instance_selection.estimation.coefficients import coefficients
from sizewell.instance_selection.estimation.training import step_seconds, training_work
from sizewell.instance_selection.labels import training_labels
from tests.instance_selection.builders import (
    BERT_LARGE,
    LLAMA_3_8B,
    RESNET_50,
)
from tests.instance_selection.measurements import (
    A100_40GB,
    A100_80GB,
    H100,
    RESNET_PYTORCH,
    V100,
    assert_near,
    chip,
)

#: MPT (MosaicML): token embeddings are shared with the output layer, so no weight only looks up.
MPT_7B = replace(LLAMA_3_8B, parameters=6.66e9, kv_hidden_size=4096, embedding_parameters=0.0)
MPT_1B = replace(MPT_7B, parameters=1.32e9, layers=24, hidden_size=2048, kv_hidden_size=2048)
MPT_13B = replace(MPT_7B, parameters=12.9e9, layers=40, hidden_size=5120, kv_hidden_size=5120)

# The sources, as they appear in the names of the tests.
BERT_PYTORCH = "NVIDIA DeepLearningExamples PyTorch BERT"
LLM_FOUNDRY = "MosaicML llm-foundry training benchmarks"


@dataclass(frozen=True, kw_only=True)
class Training:
    """Images or tokens per second and accelerator of a job on ``accelerators`` of one instance."""

    source: str
    instance_type: str
    model: ModelSpec
    accelerators: int
    batch_size_per_accelerator: int
    measured_units_per_second: float
    sequence_length: int = 0
    sharded: bool = False

    def __str__(self) -> str:
        return f"{self.source}, {self.accelerators} of {self.instance_type}"


TRAININGS = [
    Training(
        source=f"{RESNET_PYTORCH} amp",
        instance_type=V100,
        model=RESNET_50,
        accelerators=1,
        batch_size_per_accelerator=256,
        measured_units_per_second=1200,
    ),
    Training(
        source=f"{RESNET_PYTORCH} amp",
        instance_type=V100,
        model=RESNET_50,
        accelerators=8,
        batch_size_per_accelerator=256,
        measured_units_per_second=8322 / 8,
    ),
    Training(
        source=f"{RESNET_PYTORCH} fp32",
        instance_type=V100,
        model=replace(RESNET_50, precision=Precision.FP32),
        accelerators=1,
        batch_size_per_accelerator=128,
        measured_units_per_second=367,
    ),
    Training(
        source=f"{RESNET_PYTORCH} amp",
        instance_type=A100_80GB,
        model=RESNET_50,
        accelerators=1,
        batch_size_per_accelerator=256,
        measured_units_per_second=2470,
    ),
    Training(
        source=f"{BERT_PYTORCH} large, phase 1, amp",
        instance_type=A100_80GB,
        model=BERT_LARGE,
        accelerators=1,
        batch_size_per_accelerator=256,
        sequence_length=128,
        measured_units_per_second=580 * 128,
    ),
    Training(
        source=f"{BERT_PYTORCH} large, phase 2, amp",
        instance_type=A100_80GB,
        model=BERT_LARGE,
        accelerators=8,
        batch_size_per_accelerator=32,
        sequence_length=512,
        measured_units_per_second=1657 * 512 / 8,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-1B",
        instance_type=H100,
        model=MPT_1B,
        accelerators=8,
        batch_size_per_accelerator=14,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=45_455,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-7B",
        instance_type=H100,
        model=MPT_7B,
        accelerators=8,
        batch_size_per_accelerator=6,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=10_643,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-7B",
        instance_type=A100_40GB,
        model=MPT_7B,
        accelerators=8,
        batch_size_per_accelerator=12,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=3679,
    ),
    Training(
        source=f"{LLM_FOUNDRY} MPT-13B",
        instance_type=A100_80GB,
        model=MPT_13B,
        accelerators=8,
        batch_size_per_accelerator=2,
        sequence_length=2048,
        sharded=True,
        measured_units_per_second=2262,
    ),
]


@pytest.mark.parametrize("row", TRAININGS, ids=str)
def test_training_speed(row: Training, real_catalog: Catalog) -> None:
    hardware = chip(real_catalog, row.instance_type, row.model.precision, row.model.architecture)
    labels = training_labels(hardware, row.model.architecture, "pytorch", "shard" if row.sharded else "none")

    step_s = step_seconds(
        training_work(row.model, float(row.sequence_length)),
        hardware,
        coefficients("training").values(labels, 1),
        micro_batch=float(row.batch_size_per_accelerator),
        accumulation=1.0,
        workers=float(row.accelerators),
        split=1.0,
        link_bandwidth=hardware.link_bandwidth,
        trainable_share=1.0,
        frozen=False,
        sharded=row.sharded,
        recompute=row.sharded,
    )

    units = row.batch_size_per_accelerator * max(row.sequence_length, 1)
    assert_near(units / float(step_s[0]), row.measured_units_per_second)
