"""How a training starts its script: by the training toolkit of the image, which starts one script."""

from collections.abc import Callable

import pytest

MessageFor = Callable[[str], str]
CONTAINER = "workloads:\n  nightly-lora:\n    container:\n"


@pytest.mark.parametrize(
    "command",
    [
        "[torchrun, --nproc_per_node=gpu, train.py]",
        "[python, train.py, --fast]",
        "[bash, train.py]",
        "[train.py]",
    ],
)
def test_a_command_that_is_no_script_is_refused(message_for: MessageFor, command: str) -> None:
    message = message_for(CONTAINER + f"      code: {{prefix: code/, command: {command}}}\n")
    assert message.splitlines()[0].endswith("  workloads.nightly-lora.container.code.command")
    assert (
        "starts one script: write [python, train.py] or [bash, launch.sh], and arguments in container.hyper"
        in message
    )


@pytest.mark.parametrize("name", ["sagemaker_program", "sagemaker_submit_directory"])
def test_what_tells_the_toolkit_of_the_script_is_set_once(message_for: MessageFor, name: str) -> None:
    stated = f"      hyperparameters: {{{name}: other.py}}\n"
    message = message_for(CONTAINER + "      code: {prefix: code/, command: [python, train.py]}\n" + stated)
    assert message.splitlines()[0].endswith(f"  workloads.nightly-lora.container.hyperparameters.{name}")
    assert "is set for you, by container.code; remove it" in message
