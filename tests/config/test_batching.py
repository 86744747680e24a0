"""Batching that would have no effect, or be set twice, is refused at its line."""

from collections.abc import Callable

import pytest

MessageFor = Callable[[str], str]
BERT = "workloads:\n  support-bert:\n"
BATCHING = BERT + "    batching: {max_batch_size: 8, max_delay_ms: 10}\n"


def test_an_llm_engine_batches_by_itself(message_for: MessageFor) -> None:
    decoder = "    model: {architecture: decoder}\n    request: {output_tokens: 8}\n    engine: llm-engine\n"
    message = message_for(f"{BATCHING}{decoder}")
    assert message == (
        "config/dev.yaml:3  workloads.support-bert.batching\n"
        "  has no effect: an llm-engine batches by itself; remove it, or write batching: null in the environment's file "
        "to drop what base.yaml says"
    )


def test_rows_of_a_table_are_not_batched(message_for: MessageFor) -> None:
    nothing = "layers: null, hidden_size: null, parameters_millions: null"
    linear = f"    model: {{architecture: linear, features: 10, {nothing}}}\n"
    message = message_for(f"{BATCHING}{linear}    request: {{input_tokens: null, rows: 1}}\n")
    assert "workloads.support-bert.batching\n  has no effect: rows of a table" in message


def test_a_delay_must_leave_time_to_answer(message_for: MessageFor) -> None:
    message = message_for(f"{BATCHING}    latency: {{max_p95_ms: 10}}\n")
    assert "config/dev.yaml:3  workloads.support-bert.batching.max_delay_ms\n" in message
    assert "leaves nothing of max_p95_ms (10)" in message


@pytest.mark.parametrize("size", ["1", "0", "2.5"])
def test_a_batch_is_of_two_at_least(message_for: MessageFor, size: str) -> None:
    message = message_for(BERT + f"    batching: {{max_batch_size: {size}, max_delay_ms: 10}}\n")
    assert "workloads.support-bert.batching.max_batch_size" in message


def test_a_variable_that_batching_sets_is_not_set_twice(message_for: MessageFor) -> None:
    message = message_for(f"{BATCHING}    container:\n      environment: {{SAGEMAKER_TS_BATCH_SIZE: '4'}}\n")
    assert "workloads.support-bert.container.environment.SAGEMAKER_TS_BATCH_SIZE\n" in message
    assert "the variable is set for you, by batching; remove it here" in message
