"""Generation: prompts, steps, experts and tensor parallelism, worked out with round coefficients."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.coefficients import Array, coefficients
from sizewell.instance_selection.estimation.generation import (
    Served,
    decoder_of,
    exchange_seconds,
    experts_read,
    prefill_seconds,
    serve,
    step_seconds,
)
from sizewell.instance_selection.labels import serving_labels
from sizewell.instance_selection.requirements import Architecture, Engine, ModelSpec, Precision
from tests.instance_selection.builders import (
    GPU,
    LLAMA_3_8B,
    MIXTRAL_8X7B,
    ROUND_DECODER,
    gpu_instance,
    machines,
    neuron_instance,
)
from tests.instance_selection.known_coefficients import known

laws = settings(derandomize=True, max_examples=60)
DECODER = decoder_of(ROUND_DECODER)


def chip(**changes: Any) -> InstanceType:
    return gpu_instance(accelerator=replace(GPU, **changes))


PCIE = chip(interconnect="pcie", interconnect_gb_s=30)


def step_s(
    instance_type: InstanceType,
    sequences: float = 1.0,
    degree: float = 1.0,
    context: float = 150.0,
    **k: float,
) -> float:
    """Return the seconds of a step with 150 tokens in the cache of each sequence."""
    found = step_seconds(
        DECODER,
        machines(instance_type),
        known("generation", **k),
        sequences=sequences,
        context=context,
        degree=degree,
    )
    return float(found[0])


def served_round(instance_type: InstanceType | None = None, **changes: Any) -> Served:
    """Return how a GPU serves the round decoder with continuous batching: 1,000 tokens in, 100 out."""
    values = {"input_tokens": 1000.0, "output_tokens": 100.0, "sequences": 1.0, "degree": 1.0} | changes
    columns = machines(instance_type or gpu_instance())
    return serve(DECODER, columns, known("generation"), continuous=True, **values)


def calibrated(instance_type: InstanceType, *, continuous: bool = True, **changes: Any) -> Served:
    """Return how Llama 3 8B is served with the coefficients that ship: 500 tokens in, 100 out."""
    columns = machines(instance_type)
    engine = Engine.LLM_ENGINE if continuous else Engine.EAGER
    k = coefficients("generation").values(serving_labels(columns, LLAMA_3_8B, engine), 1)
    defaults = {"input_tokens": 500.0, "output_tokens": 100.0, "sequences": 1.0, "degree": 1.0}
    return serve(decoder_of(LLAMA_3_8B), columns, k, continuous=continuous, **(defaults | changes))


def test_a_step_reads_all_weights_and_the_cache_of_every_sequence() -> None:
    # 2 x 10^9 bytes of weights and 150 x 40,000 of cache at half of 1,000 GB/s; 0.4 ms of operations overlap.
    assert step_s(gpu_instance()) == pytest.approx(4e-3 + 0.012e-3, rel=1e-3)
    assert step_s(gpu_instance(), sequences=2) == pytest.approx(4e-3 + 0.024e-3, rel=5e-3)


def test_a_large_batch_is_bound_by_arithmetic() -> None:
    # 100 sequences: 2 x 10^11 operations at 5 x 10^12 per second, and 1.2 ms of cache.
    assert step_s(gpu_instance(), sequences=100) == pytest.approx(40e-3 + 1.2e-3, rel=1e-3)


def test_launches_of_the_host_are_a_floor_of_a_step() -> None:
    fast = chip(fp16_dense_tflops=1e5, bf16_dense_tflops=1e5, memory_bandwidth_gb_s=1e6)

    # Ten layers of 1,000 us.
    assert step_s(fast, step_us=1000.0) == pytest.approx(10e-3, rel=1e-3)


def test_each_sequence_costs_bookkeeping() -> None:
    one, ten = (step_s(gpu_instance(), n, sequence_us=100.0) - step_s(gpu_instance(), n) for n in (1, 10))

    assert one == pytest.approx(100e-6, rel=1e-6)
    assert ten == pytest.approx(1e-3, rel=1e-6)


def test_two_devices_share_the_weights_of_a_step() -> None:
    alone, shared = (step_s(gpu_instance(), degree=degree) for degree in (1, 2))

    # The exchange of one token's activations is microseconds.
    assert shared == pytest.approx(alone / 2, rel=1e-3)


def test_all_reduces_wait_longer_over_a_slow_link() -> None:
    k = known("generation", all_reduce_us=10.0)
    nvswitch, pcie = (
        float(exchange_seconds(DECODER, machines(one), k, tokens=1000.0, degree=4.0)[0])
        for one in (gpu_instance(), PCIE)
    )

    # Two in each of ten layers: 10 us, or three steps of a ring, and 2 x 1,000 tokens x 1,000 values x 2 bytes x 3/4.
    assert nvswitch == pytest.approx(20 * (10e-6 + 3e6 / 300e9))
    assert pcie == pytest.approx(20 * (30e-6 + 3e6 / 30e9))


def test_only_a_ring_waits_longer_the_more_devices_it_has() -> None:
    k = known("generation", all_reduce_us=10.0)
    nvswitch, pcie = (
        [float(exchange_seconds(DECODER, machines(one), k, tokens=0.0, degree=n)[0]) for n in (2.0, 8.0)]
        for one in (gpu_instance(), PCIE)
    )

    assert nvswitch == pytest.approx([200e-6, 200e-6])
    assert pcie == pytest.approx([200e-6, 1400e-6])


def test_one_device_exchanges_nothing() -> None:
    k = known("generation", all_reduce_us=10.0)

    assert exchange_seconds(DECODER, machines(PCIE), k, tokens=1000.0, degree=1.0) == [0.0]


def test_a_short_prompt_takes_as_long_as_the_launches_of_a_step() -> None:
    k = known("generation", step_us=2000.0)
    found = prefill_seconds(DECODER, machines(gpu_instance()), k, tokens=1.0, sequences=1.0, degree=1.0)

    # Ten layers of 2 ms and, as the root of squares, 4 ms of weights.
    assert float(found[0]) == pytest.approx((20e-3**2 + 4e-3**2) ** 0.5, rel=1e-3)


def test_a_prompt_is_bound_by_arithmetic() -> None:
    found = prefill_seconds(
        DECODER, machines(gpu_instance()), known("generation"), tokens=1000.0, sequences=1.0, degree=1.0
    )

    # 2 x 10^9 x 1,000 operations and 2 x 10 x 1,000 x 1,000^2 of attention at 5 x 10^12 per second.
    assert float(found[0]) == pytest.approx((2e12 + 0.02e12) / 5e12, rel=1e-3)


def test_without_continuous_batching_all_prompts_are_read_before_the_first_token() -> None:
    together = calibrated(gpu_instance(), continuous=False, sequences=8.0).first_token
    alone = calibrated(gpu_instance(), continuous=False).first_token

    assert together > 4 * alone


def test_prompts_are_read_in_the_steps_of_others() -> None:
    one, two = (served_round(sequences=n) for n in (1.0, 2.0))

    # A prompt of 1,000 tokens takes 404 ms of arithmetic, of which each of 100 steps of 4.2 ms does a hundredth: the ten
    # tokens beside the own two overlap with reading the weights.
    assert one.first_token == pytest.approx(404e-3, rel=1e-3)
    assert two.step == pytest.approx((4e-3**3 + (12 * 0.4e-3 + 0.04e-3) ** 3) ** (1 / 3) + 0.168e-3, rel=1e-2)
    # It waits for half of the step in progress, and two tokens of answers are written with it.
    assert two.first_token == pytest.approx(404e-3 + 0.5 * two.step + 0.8e-3 + 0.168e-3, rel=1e-4)


def test_engines_that_read_prompts_between_the_steps_stop_all_answers_meanwhile() -> None:
    one, two = (served_round(sequences=n, fused=False) for n in (1.0, 2.0))

    # Two prompts for 100 steps each, half of the time read together; the first token waits for half of a step.
    step = step_s(gpu_instance(), 2.0, context=1050.0)
    assert two.step - step == pytest.approx(2 * 404e-3 / 100, rel=1e-3)
    assert two.first_token - one.first_token == pytest.approx(step / 2)


@pytest.mark.parametrize("fused", [True, False])
def test_prompts_that_were_read_before_an_answer_began_do_not_slow_its_tokens(fused: bool) -> None:
    all_between, half, none = (
        served_round(sequences=9.0, fused=fused, interrupted=share).step for share in (1.0, 0.5, 0.0)
    )

    assert none == pytest.approx(step_s(gpu_instance(), 9.0, context=1050.0))
    assert half - none == pytest.approx((all_between - none) / 2, rel=0.1)


def test_an_encoder_decoder_reads_with_one_half_and_writes_with_the_other() -> None:
    whole = decoder_of(LLAMA_3_8B)
    half = decoder_of(replace(LLAMA_3_8B, architecture=Architecture.ENCODER_DECODER))

    for part in ("weights", "layers", "read_bytes"):
        assert getattr(half, part) == getattr(whole, part) / 2
    assert half.stored_bytes == whole.stored_bytes


def test_requests_that_begin_together_read_half_of_the_other_prompts_first() -> None:
    arriving, together = (served_round(sequences=9.0, in_waves=waves) for waves in (False, True))

    assert together.first_token - arriving.first_token == pytest.approx(8 / 2 * 404e-3, rel=1e-2)
    assert together.step == arriving.step
    assert served_round(in_waves=True).first_token == served_round().first_token


@laws
@given(st.floats(1, 4000), st.floats(1, 4000), st.floats(1, 256), st.booleans(), st.booleans())
def test_a_longer_prompt_of_others_never_shortens_a_step(
    one: float, other: float, sequences: float, fused: bool, neuron: bool
) -> None:
    machine = neuron_instance() if neuron else gpu_instance()
    short, long = (
        calibrated(machine, input_tokens=tokens, sequences=sequences, fused=fused)
        for tokens in sorted((one, other))
    )

    assert float(short.step[0]) <= float(long.step[0]) * (1 + 1e-9)
    assert float(short.first_token[0]) <= float(long.first_token[0]) * (1 + 1e-9)


@laws
@given(st.integers(1, 64), st.floats(1, 4000), st.sampled_from([LLAMA_3_8B, MIXTRAL_8X7B]))
def test_prompts_that_are_read_together_cost_their_arithmetic_at_least_and_at_most_a_pass_each(
    prompts: int, tokens: float, model: ModelSpec
) -> None:
    columns = machines(gpu_instance())
    k = coefficients("generation").values(serving_labels(columns, model, Engine.LLM_ENGINE), 1)

    def seconds(sequences: float) -> float:
        found = prefill_seconds(decoder_of(model), columns, k, tokens=tokens, sequences=sequences, degree=1.0)
        return float(found[0])

    arithmetic = 2 * model.multiplied_parameters * prompts * tokens / (columns.flops * k["compute"])
    assert float(arithmetic[0]) <= seconds(prompts) <= prompts * seconds(1) * (1 + 1e-9)


@laws
@given(st.integers(1, 32), st.integers(1, 32))
def test_a_static_graph_computes_all_slots_however_few_requests_there_are(slots: int, sequences: int) -> None:
    def steps_s(machine: InstanceType) -> list[Array]:
        return [
            calibrated(machine, continuous=False, sequences=float(n), slots=float(slots)).step
            for n in (sequences, slots)
        ]

    neuron, gpu = steps_s(neuron_instance()), steps_s(gpu_instance())

    assert neuron[0] >= neuron[1] * (1 - 1e-9)
    # What a GPU computes follows the requests.
    assert (gpu[0] < gpu[1]) == (sequences < slots)


@laws
@given(st.integers(1, 5000), st.integers(1, 5000))
def test_neuron_pads_a_prompt_to_a_power_of_two_and_never_beyond_the_longest_request(
    prompt: int, answer: int
) -> None:
    padded = min(1 << (prompt - 1).bit_length(), prompt + answer)

    for machine, tokens in ((neuron_instance(), padded), (gpu_instance(), prompt)):
        found = served_round(machine, input_tokens=float(prompt), output_tokens=float(answer))
        alone = prefill_seconds(
            DECODER, machines(machine), known("generation"), tokens=float(tokens), sequences=1.0, degree=1.0
        )
        assert found.first_token == pytest.approx(alone, rel=1e-9)


def test_neuron_cores_attend_to_a_cache_of_fixed_length() -> None:
    def request_s(instance_type: InstanceType, output_tokens: float) -> float:
        found = serve(
            replace(DECODER, cache_bytes_per_token=4e6),
            machines(instance_type),
            known("generation"),
            input_tokens=0.0,
            output_tokens=output_tokens,
            sequences=1.0,
            degree=1.0,
            continuous=False,
        )
        return float(found.step[0])

    # Each of 1,000 steps reads the cache of 1,000 tokens, where a GPU reads 500 on average: 4 ms, 2 ms.
    half = neuron_instance(accelerator=replace(GPU, kind="neuron", cores=1))
    assert request_s(half, 1000) - request_s(gpu_instance(), 1000) == pytest.approx(4e-3, rel=1e-2)


def test_a_request_is_its_first_token_and_a_step_for_each_other_token() -> None:
    found = calibrated(gpu_instance(), sequences=4.0)

    assert found.request == found.first_token + 99 * found.step


def test_a_dense_model_reads_its_weights_once_however_many_tokens_there_are() -> None:
    for model in (LLAMA_3_8B, replace(LLAMA_3_8B, active_parameters=LLAMA_3_8B.parameters)):
        assert decoder_of(model).active_share == 1.0
    assert experts_read(1.0, 64.0) == pytest.approx(1.0)


def test_one_token_of_a_mixture_reads_the_active_experts_and_many_read_all() -> None:
    share = decoder_of(MIXTRAL_8X7B).active_share

    assert share == pytest.approx(12.9 / 46.7)
    assert experts_read(share, 1.0) == pytest.approx(1.0)
    assert experts_read(share, 1000.0) == pytest.approx(46.7 / 12.9)
    # Independent choices: two tokens miss an expert with probability (1 - share)^2.
    assert experts_read(share, 2.0) == pytest.approx((1 - (1 - share) ** 2) / share)


@laws
@given(st.floats(1e-3, 1), st.floats(1, 256), st.floats(1, 256))
def test_more_tokens_read_no_fewer_experts_and_never_more_than_there_are(
    share: float, one: float, other: float
) -> None:
    few, many = (float(experts_read(share, n)) for n in sorted((one, other)))

    assert 1 - 1e-9 <= few <= many * (1 + 1e-9)
    assert many <= 1 / share + 1e-9


def test_weights_that_a_kernel_of_its_own_expands_are_written_and_read_again() -> None:
    four_bit = replace(ROUND_DECODER, precision=Precision.INT4)

    assert decoder_of(four_bit).read_bytes == Precision.INT4.bytes * 1e9
    assert decoder_of(four_bit, expanded=True).read_bytes == (Precision.INT4.bytes + 2) * 1e9


@laws
@given(st.integers(1, 256), st.integers(1, 256), st.booleans())
def test_more_sequences_make_each_slower_but_no_request_waits_longer_than_its_turn(
    one: int, other: int, continuous: bool
) -> None:
    few, many = sorted((one, other))
    slow, fast = (
        float(calibrated(gpu_instance(), continuous=continuous, sequences=float(n)).request[0])
        for n in (many, few)
    )

    assert fast <= slow * (1 + 1e-9)
    # Together is never slower than in turns.
    assert slow <= many / few * fast * (1 + 1e-9)


@laws
@given(
    st.floats(1, 100),
    st.sampled_from(["tera", "memory_bandwidth_gb_s", "interconnect_gb_s"]),
    st.sampled_from([1.0, 2.0, 8.0]),
    st.floats(1, 128),
)
def test_a_faster_chip_is_never_slower(factor: float, what: str, degree: float, sequences: float) -> None:
    fields = ("fp16_dense_tflops", "bf16_dense_tflops") if what == "tera" else (what,)
    better = chip(**{name: getattr(GPU, name) * factor for name in fields})
    eight, better_eight = (replace(one, accelerator_count=8) for one in (gpu_instance(), better))

    slow, fast = (
        float(calibrated(one, degree=degree, sequences=sequences).request[0]) for one in (eight, better_eight)
    )
    assert fast <= slow * (1 + 1e-9)


@laws
@given(st.integers(1, 2000), st.integers(1, 2000), st.integers(1, 4000))
def test_longer_answers_and_prompts_take_longer(one: int, other: int, prompt: int) -> None:
    short, long = sorted((float(one), float(other)))
    base = float(calibrated(gpu_instance(), output_tokens=short, input_tokens=float(prompt)).request[0])

    assert base <= float(
        calibrated(gpu_instance(), output_tokens=long, input_tokens=float(prompt)).request[0]
    )
    assert base <= float(
        calibrated(gpu_instance(), output_tokens=short, input_tokens=2.0 * prompt).request[0]
    )


def test_columns_are_answered_as_each_machine_alone() -> None:
    types = [gpu_instance("ml.a9.xlarge"), chip(memory_bandwidth_gb_s=2000)]

    together = step_seconds(
        DECODER,
        machines(*types),
        known("generation"),
        sequences=np.array([[1.0], [8.0]]),
        context=150.0,
        degree=1.0,
    )

    assert together.shape == (2, 2)
    assert together[1, 1] == step_s(types[1], 8.0)
