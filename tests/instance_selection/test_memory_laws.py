"""Memory is monotone: more to hold never needs less, and a larger type never holds less."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import Architecture, Catalog, Engine, ModelSpec, Precision
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.endpoint_selection import endpoint_verdicts
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.memory import ENGINES, ServingMemory, serving_memory
from sizewell.instance_selection.estimation.training_memory import kept_bytes_per_example, training_memory
from sizewell.instance_selection.presets import load_presets
from tests.instance_selection.builders import (
    BERT_LARGE,
    LLAMA_3_8B,
    RESNET_50,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    endpoint_columns,
    limits,
)
from tests.instance_selection.strategies import models

laws = settings(derandomize=True, max_examples=150, database=None)
engines = st.sampled_from(Engine)
tokens = st.sampled_from([1.0, 100.0, 2000.0, 32_000.0])
#: Each needs no more than the one before it.
NARROWER = (Precision.FP32, Precision.BF16, Precision.INT8, Precision.INT4)


def serving(
    model: ModelSpec,
    engine: Engine,
    *,
    prompt: float = 100.0,
    answer: float = 100.0,
    sequences: float = 1.0,
    degree: float = 1.0,
) -> ServingMemory:
    return serving_memory(
        model,
        ENGINES[engine],
        kinds="cuda",
        links="nvlink",
        device_bytes=20 * GIB,
        tokens=prompt + answer,
        input_tokens=prompt,
        sequences=sequences,
        degree=degree,
    )


def total(memory: ServingMemory) -> float:
    return float(np.asarray(memory.total))


@laws
@given(models(), engines, tokens, tokens, st.sampled_from([1.0, 4.0, 64.0]), st.sampled_from([1.5, 2.0, 8.0]))
def test_a_longer_prompt_a_longer_answer_or_a_larger_batch_never_need_less(
    model: ModelSpec, engine: Engine, prompt: float, answer: float, sequences: float, factor: float
) -> None:
    before = total(serving(model, engine, prompt=prompt, answer=answer, sequences=sequences))

    assert total(serving(model, engine, prompt=prompt * factor, answer=answer, sequences=sequences)) >= before
    assert total(serving(model, engine, prompt=prompt, answer=answer * factor, sequences=sequences)) >= before
    assert total(serving(model, engine, prompt=prompt, answer=answer, sequences=sequences * factor)) >= before


@laws
@given(models(), engines, tokens, st.sampled_from([1.0, 8.0]))
def test_narrower_numbers_never_need_more(
    model: ModelSpec, engine: Engine, prompt: float, sequences: float
) -> None:
    needed = [
        total(serving(replace(model, precision=p), engine, prompt=prompt, sequences=sequences))
        for p in NARROWER
    ]

    assert needed == sorted(needed, reverse=True)


@laws
@given(models(), engines, tokens, st.sampled_from([1.0, 2.0, 4.0]))
def test_more_devices_never_hold_more_each_but_for_what_they_communicate_with(
    model: ModelSpec, engine: Engine, prompt: float, degree: float
) -> None:
    fewer, more = (serving(model, engine, prompt=prompt, degree=d) for d in (degree, 2 * degree))

    for part in ("weights", "cache", "activations"):
        assert float(np.asarray(getattr(more, part))) <= float(np.asarray(getattr(fewer, part)))


@laws
@given(
    st.sampled_from([BERT_LARGE, LLAMA_3_8B, RESNET_50]),
    st.sampled_from([1.0, 4.0, 32.0]),
    st.sampled_from([128.0, 512.0, 4096.0]),
    st.sampled_from([2.0, 8.0, 64.0]),
)
def test_the_same_of_training(model: ModelSpec, examples: float, length: float, shards: float) -> None:
    def needed(examples: float, length: float, shards: float, *, recompute: bool = False) -> float:
        memory = training_memory(
            model,
            weight_bytes=2.0,
            gradient_bytes=2.0,
            state_bytes=12.0,
            trainable=model.parameters,
            kept_bytes=examples * kept_bytes_per_example(model, length, recompute=recompute),
            shards=shards,
        )
        return float(np.asarray(memory.total))

    before = needed(examples, length, shards)
    assert needed(2 * examples, length, shards) >= before
    assert needed(examples, 2 * length, shards) >= before
    assert needed(examples, length, 2 * shards) <= before
    assert needed(examples, length, shards, recompute=True) <= before
    half = kept_bytes_per_example(replace(model, precision=Precision.BF16), length)
    assert half <= kept_bytes_per_example(replace(model, precision=Precision.FP32), length)


def larger_pairs(types: Sequence[InstanceType]) -> list[tuple[str, str]]:
    """Return pairs of one family of which the second is at least as large in everything."""

    def size(one: InstanceType) -> tuple[float, ...]:
        return (one.vcpus, one.memory_gib, one.accelerator_count, one.accelerator_memory_gib or 0.0)

    return [
        (small.name, large.name)
        for small, large in permutations(types, 2)
        if small.family == large.family and all(b >= a for a, b in zip(size(small), size(large), strict=True))
    ]


@pytest.mark.parametrize("parameters", [5e8, 3e9, 8e9, 14e9, 30e9, 70e9, 150e9])
@pytest.mark.parametrize("engine", [Engine.EAGER, Engine.LLM_ENGINE])
def test_what_a_size_of_a_family_holds_every_larger_one_holds(
    real_catalog: Catalog, parameters: float, engine: Engine
) -> None:
    types = real_catalog.instance_types
    needs = decoder_endpoint(
        model=replace(LLAMA_3_8B, parameters=parameters), engine=engine, limits=limits(allow_burstable=True)
    )
    found = endpoint_verdicts(needs, real_catalog, (t.name for t in types))
    too_small = {name for name, miss in found.items() if miss and miss.filter == "memory"}

    pairs = larger_pairs(types)
    assert len(pairs) > 300
    assert [(a, b) for a, b in pairs if a not in too_small and b in too_small] == []


def test_a_model_that_takes_the_whole_host_gets_one_worker() -> None:
    # 85 % of 128 GiB are usable: 30 x 10^9 weights in fp32 are 111.8 GiB, 5 x 10^9 18.6.
    large = cpu_instance(vcpus=64, memory_gib=128)

    def workers(parameters: float) -> int:
        model = replace(RESNET_50, parameters=parameters, precision=Precision.FP32)
        return int(endpoint_columns(endpoint(model=model), large).layout.replicas[0])

    assert [workers(parameters) for parameters in (1e6, 5e9, 8e9, 14e9, 28e9)] == [4, 4, 3, 1, 1]


def test_workers_do_not_fill_a_host_that_one_of_them_would_not_fill() -> None:
    # Three of 8 x 10^9 weights take 83 % of the host; four would take more than all of it.
    needs = endpoint(model=replace(RESNET_50, parameters=8e9, precision=Precision.FP32))
    columns = endpoint_columns(needs, cpu_instance(vcpus=64, memory_gib=128))

    needed, offered = (
        float(np.asarray(columns.layout.smallest_memory.total)[0]),
        columns.memory.device_bytes[0],
    )
    assert needed < 0.9 * offered


def test_a_pass_of_a_diffusion_takes_what_decoding_of_its_image_takes() -> None:
    """A decoder of latents holds four tensors of 256 channels at full resolution (AutoencoderKL, last blocks)."""
    found = [p for p in load_presets() if p.architecture == Architecture.DIFFUSION.value]

    assert len(found) > 8
    for preset in found:
        side = float(str(preset.input_size).split("x")[0])
        model = replace(
            RESNET_50,
            architecture=Architecture.DIFFUSION,
            activations_per_image=(preset.activations_millions or 0.0) * 1e6,
            guidance=not any(word in preset.name for word in ("flux", "turbo")),
        )
        assert float(np.asarray(serving(model, Engine.EAGER).activations)) >= 4 * 256 * side**2 * 2, (
            preset.name
        )
