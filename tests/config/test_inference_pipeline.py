"""Containers before and after a model: what contradicts itself is refused at its line, with what to do."""

from collections.abc import Callable

import pytest

MessageFor = Callable[[str], str]
STEP = 'images: {cpu_x86_64: {account: "111122223333", repository: features, tag: "1"}}, processing_ms: 3, memory_gib: 1'
ENDPOINT = """\
workloads:
  churn:
    kind: %s
    model: {architecture: linear, features: 10}
    container:
      images:
        cpu_x86_64: {account: "763104351884", repository: pytorch-inference, tag: "2.6.0-cpu"}
      artifact: {key: models/churn/model.tar.gz}
    request: {rows: 1}
"""
REAL_TIME = (
    ENDPOINT % "real-time-endpoint"
    + "    latency: {max_p95_ms: 50}\n"
    + "    traffic: {peak_requests_per_second: 1, average_requests_per_second: 1}\n"
)
BATCH = (
    ENDPOINT % "batch-transform"
    + "    deadline_hours: 2\n"
    + "    data: {prefix: in, rows_per_run: 10, kb_per_row: 1, content_type: text/csv, split: line}\n"
)


LONG = ", ".join(f"V{n}: {'x' * 1000}" for n in range(6))


def steps(*names: str, more: str = "") -> str:
    return "[" + ", ".join(f"{{name: {name}, {STEP}{more}}}" for name in names) + "]"


@pytest.mark.parametrize(
    ("workload", "pipeline", "key", "reason"),
    [
        (
            REAL_TIME,
            "before: []",
            "pipeline",
            "has no effect without a container before or after; remove it, or write",
        ),
        (
            REAL_TIME,
            f"before: {steps('a')}, after: {steps('A')}",
            "pipeline.after.0.name",
            "A is the name of before.0 already",
        ),
        (
            REAL_TIME,
            f"before: {steps('Model')}",
            "pipeline.before.0.name",
            "Model is the name of the container of the model already",
        ),
        (
            REAL_TIME,
            f"before: {steps(*'abcdefg')}, after: {steps(*'hijklmno')}",
            "pipeline",
            "has 16 containers with that of the model; SageMaker takes 15 at most",
        ),
        (
            REAL_TIME,
            f"before: {steps(*'abcdefghijklmn')}, after: []".replace(
                "processing_ms: 3,", "processing_ms: 4,"
            ),
            "latency.max_p95_ms",
            "is 50, but the containers of pipeline take 56 ms: nothing is left for the model",
        ),
        (
            REAL_TIME,
            f"before: {steps('a')}".replace("cpu_x86_64", "cuda"),
            "pipeline.before.0.images.cuda",
            "unknown key; allowed here: cpu_x86_64, cpu_arm64",
        ),
        (
            REAL_TIME,
            f"before: {steps(*'abcdef', more=f', environment: {{{LONG}}}')}",
            "pipeline",
            "the variables of all containers have 36,072 bytes; SageMaker takes 32,768 at most",
        ),
        (
            BATCH,
            f"before: {steps('a', more=', artifact: {key: models/a.bin}')}",
            "pipeline.before.0.artifact.key",
            "is models/a.bin, but transform jobs load an object that ends in .tar.gz",
        ),
        (
            BATCH,
            f"after: {steps('a', more=', artifact: {key: models/a/, compression: none}')}",
            "pipeline.after.0.artifact.compression",
            "is none, but transform jobs load no plain objects: pack them",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(
    message_for: MessageFor, workload: str, pipeline: str, key: str, reason: str
) -> None:
    message = message_for(f"{workload}    pipeline: {{{pipeline}}}\n")
    assert f"workloads.churn.{key}\n  {reason}" in message


def test_nobody_sees_the_tokens_of_a_model_before_others(message_for: MessageFor) -> None:
    writes = f"{REAL_TIME}    pipeline: {{after: {steps('a')}}}\n"
    for old, new in (
        ("{architecture: linear, features: 10}", "{architecture: decoder, parameters_millions: 1000}"),
        ("{rows: 1}", "{input_tokens: 10, output_tokens: 10}"),
        ("max_p95_ms: 50", "max_p95_ms: 5000, max_time_to_first_token_ms: 400"),
    ):
        writes = writes.replace(old, new)
    assert (
        "workloads.churn.latency.max_time_to_first_token_ms\n  has no effect: the containers of pipeline.after"
        in message_for(writes)
    )


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        (
            "asynchronous-endpoint",
            "runs one container: put the steps into its image, or write kind: real-time-endpoint",
        ),
        (
            "serverless-endpoint",
            "runs one container: put the steps into its image, or write kind: real-time-endpoint",
        ),
    ],
)
def test_modes_of_one_container_say_where_the_steps_go(message_for: MessageFor, kind: str, hint: str) -> None:
    assert hint in message_for(f"{ENDPOINT % kind}    pipeline: {{before: {steps('a')}}}\n")
