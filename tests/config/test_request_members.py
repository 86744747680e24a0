"""What the request for a training job cannot carry is said at its line."""

from collections.abc import Callable

import pytest

MessageFor = Callable[[str], str]
CONTAINER = "workloads:\n  nightly-lora:\n    container:\n"


def test_hyperparameter_that_would_be_a_path(message_for: MessageFor) -> None:
    assert message_for(CONTAINER + '      hyperparameters:\n        epochs: 3\n        lr.$: "$.x"\n') == (
        "config/dev.yaml:6  workloads.nightly-lora.container.hyperparameters.lr.$\n"
        "  Step Functions reads a name that ends in .$ as a path; choose another name"
    )


@pytest.mark.parametrize("key", ["hyperparameters", "environment"])
def test_value_that_would_be_replaced(message_for: MessageFor, key: str) -> None:
    assert message_for(CONTAINER + f'      {key}:\n        HOME_DIR: "${{HOME}}/x"\n') == (
        f"config/dev.yaml:5  workloads.nightly-lora.container.{key}.HOME_DIR\n"
        "  CloudFormation would replace ${...} on its way into the state machine; write it without ${"
    )


@pytest.mark.parametrize(("key", "most"), [("hyperparameters", 2500), ("environment", 512)])
def test_value_that_is_too_long(message_for: MessageFor, key: str, most: int) -> None:
    assert message_for(CONTAINER + f"      {key}:\n        NOTE: {'x y ' * most}\n") == (
        f"config/dev.yaml:5  workloads.nightly-lora.container.{key}.NOTE\n"
        f"  the value has {4 * most - 1} characters; SageMaker takes {most} at most"
    )


def test_name_that_is_too_long(message_for: MessageFor) -> None:
    name = "n" * 257
    assert message_for(CONTAINER + f"      hyperparameters:\n        {name}: 1\n") == (
        f"config/dev.yaml:5  workloads.nightly-lora.container.hyperparameters.{name[:59]}…\n"
        "  the name has 257 characters; SageMaker takes 256 at most"
    )


def test_variable_that_is_set_already(message_for: MessageFor) -> None:
    assert message_for(CONTAINER + "      environment: {SIZEWELL_CHECKPOINT_DIR: /tmp}\n") == (
        "config/dev.yaml:4  workloads.nightly-lora.container.environment.SIZEWELL_CHECKPOINT_DIR\n"
        "  the variable is set for you, by checkpoint; remove it here"
    )


def test_variable_of_an_endpoint_that_is_too_long(message_for: MessageFor) -> None:
    text = f"workloads:\n  support-bert:\n    container:\n      environment:\n        NOTE: {'x y ' * 300}\n"
    assert message_for(text) == (
        "config/dev.yaml:5  workloads.support-bert.container.environment.NOTE\n"
        "  the value has 1199 characters; SageMaker takes 1024 at most"
    )


def test_endpoint_may_hold_what_a_state_machine_may_not(load_dev: Callable[[str], object]) -> None:
    load_dev('workloads: {support-bert: {container: {environment: {HOME_DIR: "${HOME}/x"}}}}\n')


@pytest.mark.parametrize(
    ("value", "refused"),
    [
        ("{{resolve:ssm:/prod/db}}", False),
        ("host={{resolve:ssm:/prod/db:3}};x", False),
        ("{{resolve:secretsmanager:db:SecretString:user}}", False),
        ("{{resolve:ssm-secure:/prod/db:1}}", True),
        ("{{resolve:db}}", True),
        ("{{ resolve:ssm:db}}", True),
        ("{{resolve:ssm:a b}}", True),
    ],
)
def test_reference_that_cloudformation_resolves_in_an_endpoint(
    load_dev: Callable[[str], object], message_for: Callable[[str], str], value: str, refused: bool
) -> None:
    text = f'workloads: {{support-bert: {{container: {{environment: {{DB: "{value}"}}}}}}}}\n'
    if refused:
        assert "environment.DB\n  CloudFormation resolves {{resolve:ssm:NAME}}" in message_for(text)
    else:
        load_dev(text)


def test_reference_that_cloudformation_would_resolve_into_a_state_machine(
    message_for: Callable[[str], str],
) -> None:
    message = message_for(CONTAINER + '      environment: {DB: "{{resolve:ssm:/prod/db}}"}\n')
    assert "environment.DB\n  CloudFormation would write what {{resolve:...}} stands for" in message


def test_more_variables_than_a_request_takes_with_those_of_the_checkpoint(message_for: MessageFor) -> None:
    variables = "".join(f"        V{number}: x\n" for number in range(99))
    checkpoint = "    checkpoint: {interval_minutes: 15}\n"
    message = message_for(CONTAINER + f"      environment:\n{variables}" + checkpoint)
    assert "workloads.nightly-lora.container.environment\n" in message
    assert "makes 101 variables, with those that checkpoint sets; SageMaker takes 100 at most" in message


def test_as_many_variables_as_a_request_takes(load_dev: Callable[[str], object]) -> None:
    variables = "".join(f"        V{number}: x\n" for number in range(98))
    load_dev(CONTAINER + f"      environment:\n{variables}    checkpoint: {{interval_minutes: 15}}\n")
