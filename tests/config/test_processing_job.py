"""What contradicts itself in a processing job is refused at its line, with what to do."""

from collections.abc import Callable

import pytest

from sizewell.config.measured_instance import MeasuredInstance
from sizewell.config.measurement_faults import kind_faults
from sizewell.kinds.processing_job.config import NeuronCompilation

MessageFor = Callable[[str], str]
IMAGE = '{account: "111122223333", repository: scripts, tag: "1"}'
#: What a test replaces, and what it states beside it.
STATED = {
    "container": f"{{images: {{cpu_x86_64: {IMAGE}}}, code: {{prefix: code/clean, command: [python, clean.py]}}}}",
    "inputs": "{orders: {prefix: orders/in}}",
    "outputs": "{clean: {prefix: orders/out}}",
    "vcpus": "4",
    "memory_gib": "16",
    "deadline_hours": "2",
}
NEURON = "{target: inf2, cores: 2, precision: bf16, shapes: {input_ids: [1, 128]}}"


def clean(**changes: str) -> str:
    lines = "".join(f"    {key}: {value}\n" for key, value in (STATED | changes).items())
    return f"workloads:\n  clean:\n    kind: processing-job\n{lines}"


def images(**of: str) -> str:
    stated = ", ".join(f"{kind}: {image}" for kind, image in of.items())
    return f"{{images: {{{stated}}}}}"


@pytest.mark.parametrize(
    ("changes", "key", "reason"),
    [
        (
            {"container": images(cpu_x86_64=IMAGE, cuda=IMAGE)},
            "container.images.cuda",
            "has no effect: the job runs on x86 CPUs: neither accelerators nor neuron is stated",
        ),
        ({"accelerators": "1"}, "container.images.cpu_x86_64", "has no effect: accelerators are asked for"),
        ({"neuron": NEURON}, "container.images.cpu_x86_64", "has no effect: neuron compiles a model"),
        ({"container": images(neuron=IMAGE)}, "container.images.neuron", "neither accelerators nor neuron"),
        (
            {"neuron": NEURON, "accelerators": "1", "container": images(neuron=IMAGE)},
            "accelerators",
            "has no effect: a compilation for Neuron runs on CPUs",
        ),
        (
            {"neuron": NEURON, "container": '{image: {framework: pytorch, version: "2.9"}}'},
            "container.image",
            "write it as container.images.neuron",
        ),
        (
            {"accelerators": "1", "container": "{image: {framework: scikit-learn, version: 1.9-0}}"},
            "container.image",
            "AWS has no image of scikit-learn 1.9-0 for cuda, but accelerators are asked for",
        ),
        (
            {"neuron": NEURON, "container": images(neuron=IMAGE), "instance_count": "2"},
            "instance_count",
            "each instance would compile the same model",
        ),
        (
            {"inputs": "{code: {prefix: orders/in}}"},
            "inputs.code",
            "is the name of the input that holds container.code",
        ),
        (
            {"inputs": f"{{{', '.join(f'in{n}: {{prefix: in/{n}}}' for n in range(10))}}}"},
            "inputs",
            "are 10, and container.code is one more; SageMaker takes 10 at most",
        ),
        (
            {"inputs": "{orders: {prefix: orders/in, distribution: sharded}}"},
            "inputs.orders.distribution",
            "sharded has no effect on one instance; raise instance_count",
        ),
        ({"outputs": "{clean: {prefix: orders/in/clean}}"}, "outputs.clean.prefix", "that of inputs.orders"),
        (
            {"outputs": "{clean: {prefix: code}}"},
            "outputs.clean.prefix",
            "that of container.code (code/clean)",
        ),
        (
            {"outputs": "{a: {prefix: orders/out}, b: {prefix: orders/out/}}"},
            "outputs.b.prefix",
            "that of outputs.a (orders/out) lie in each other",
        ),
        ({"expected_hours": "3"}, "expected_hours", "is 3, but deadline_hours stops the job after 2"),
        ({"deadline_hours": "217"}, "deadline_hours", "expected a number of at least 0.01 and at most 216"),
        (
            {"deadline_hours": "30", "schedule": "{every: day}"},
            "deadline_hours",
            "the schedule starts the next run after 24 hours",
        ),
        (
            {"schedule": "{every: day}", "runs_per_month": "2"},
            "runs_per_month",
            "the schedule says how often",
        ),
        (
            {"container": f"{{images: {{cpu_x86_64: {IMAGE}}}, environment: {{A: {'x' * 257}}}}}"},
            "container.environment.A",
            "the value has 257 characters; SageMaker takes 256 at most",
        ),
        (
            {
                "neuron": NEURON,
                "container": f"{{images: {{neuron: {IMAGE}}}, environment: {{SIZEWELL_NEURON_CORES: '4'}}}}",
            },
            "container.environment.SIZEWELL_NEURON_CORES",
            "the variable is set for you, by neuron; remove it here",
        ),
        ({"inputs": "{Orders: {prefix: orders/in}}"}, "inputs.Orders", "did you mean orders?"),
        (
            {"container": f"{{images: {{cpu_arm64: {IMAGE}}}}}"},
            "container.images.cpu_arm64",
            "",
        ),
    ],
)
def test_contradiction(message_for: MessageFor, changes: dict[str, str], key: str, reason: str) -> None:
    message = message_for(clean(**changes))
    assert f"  workloads.clean.{key}\n" in message
    assert reason in message


def test_shapes_that_a_variable_does_not_hold_are_refused(message_for: MessageFor) -> None:
    shapes = ", ".join(f"{'x' * 60}{n}: [1]" for n in range(4))
    neuron = f"{{target: inf2, precision: bf16, shapes: {{{shapes}}}}}"
    message = message_for(clean(neuron=neuron, container=images(neuron=IMAGE)))
    assert "  workloads.clean.neuron.shapes\n" in message
    assert "but a variable of a processing job holds 256" in message


def test_shapes_are_told_in_their_order() -> None:
    shapes = {"ids": (1, 128), "attention_mask": (1, 128)}
    stated = NeuronCompilation(target="trn1", precision="bf16", shapes=shapes)
    assert stated.shapes_json == '{"ids":[1,128],"attention_mask":[1,128]}'


def test_a_measurement_has_no_effect() -> None:
    measured = MeasuredInstance(instance_type="ml.m5.xlarge", max_requests_per_second=2)
    ((key, reason),) = kind_faults(measured, "processing-job")
    assert (key, "state its expected_hours" in reason) == ("max_requests_per_second", True)
