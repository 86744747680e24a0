"""A request that is longer than a context is a fault that names the limit, at the key that sets it."""

from typing import Any

import pytest

from sizewell.planning.context_length import context_faults
from tests.planning.builders import DECODER, container, endpoint, llm_endpoint, llm_training_job

ARTIFACT = {"artifact": {"key": "models/plants/model.tar.gz"}}


def faults(
    input_tokens: int, output_tokens: int, model: dict[str, Any], **variables: str
) -> list[tuple[str, str]]:
    """Return key, below the workload, and reason of each fault of a decoder."""
    asked = llm_endpoint(
        model=model,
        request={"input_tokens": input_tokens, "output_tokens": output_tokens},
        container=container(**ARTIFACT, environment=variables),
    )
    return [
        (".".join(fault.key_path[2:]), fault.reason)
        for fault in context_faults(("workloads", "plants"), asked)
    ]


@pytest.mark.parametrize("model", [{"preset": "llama-2-7b"}, {**DECODER, "max_context_tokens": 4096}])
def test_a_decoder_reads_and_writes_within_one_context(model: dict[str, Any]) -> None:
    assert faults(4000, 96, model) == []
    whose = f"the model {model['preset']}" if "preset" in model else "the model"
    assert faults(4000, 97, model) == [
        (
            "request.input_tokens",
            f"{whose} has a context of 4,096 tokens, but a request has 4,097 (input_tokens 4,000 + output_tokens 97)",
        )
    ]


def test_the_length_beside_a_preset_wins() -> None:
    assert faults(100_000, 1, {"preset": "llama-2-7b", "max_context_tokens": 131_072}) == []


def test_an_unknown_context_is_not_judged() -> None:
    assert faults(10_000_000, 1, DECODER) == []
    assert faults(10_000_000, 1, {"preset": "mpt-7b"}) == []


def test_an_encoder_decoder_has_a_context_on_either_side() -> None:
    model = {"preset": "bart-large"}
    assert faults(1024, 1024, model) == []
    assert [key for key, _ in faults(1025, 1025, model)] == ["request.input_tokens", "request.output_tokens"]


def test_an_encoder_reads_no_more_than_it_has_positions() -> None:
    long = endpoint(model={"preset": "bert-base"}, request={"input_tokens": 513})
    (fault,) = context_faults(("workloads", "plants"), long)
    assert fault.key_path == ("workloads", "plants", "request", "input_tokens")
    assert (
        fault.reason == "the model bert-base has a context of 512 tokens, but a request has input_tokens 513"
    )


@pytest.mark.parametrize(
    ("variable", "just_enough"),
    [
        ("OPTION_MAX_MODEL_LEN", 4096),
        ("SM_VLLM_MAX_MODEL_LEN", 4096),
        ("SM_SGLANG_CONTEXT_LENGTH", 4096),
        ("MAX_TOTAL_TOKENS", 4096),
        ("OPTION_N_POSITIONS", 4096),
        ("MAX_INPUT_TOKENS", 4000),
        ("MAX_INPUT_LENGTH", 4000),
        ("OPTION_MAX_OUTPUT_LEN", 96),
    ],
)
def test_an_engine_takes_no_more_than_it_is_configured_for(variable: str, just_enough: int) -> None:
    assert faults(4000, 96, DECODER, **{variable: str(just_enough)}) == []
    ((key, reason),) = faults(4000, 96, DECODER, **{variable: str(just_enough - 1)})
    assert key == f"container.environment.{variable}"
    assert reason.startswith(f"the engine takes {just_enough - 1:,} tokens, but a request has ")


@pytest.mark.parametrize("text", ["auto", "", "-1", "8k"])
def test_what_is_no_number_of_tokens_bounds_nothing(text: str) -> None:
    assert faults(4000, 96, DECODER, OPTION_MAX_MODEL_LEN=text) == []


def test_what_has_no_context_is_not_judged() -> None:
    assert list(context_faults(("workloads", "plants"), endpoint())) == []
    assert list(context_faults(("workloads", "plants"), llm_training_job())) == []
