"""Bad input: one clear message on standard error, exit code 1, nothing on standard output.

The messages themselves: tests/config and tests/planning.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import BASE, Sizewell

MessageFor = Callable[[str], str]


@pytest.fixture
def message_for(directory: Path, sizewell: Sizewell) -> MessageFor:
    """Return a function that gives the message for a text of dev.yaml, which is wrong."""

    def message(text: str) -> str:
        (directory / "dev.yaml").write_text(text, "utf-8")
        return failure(sizewell, "plan", "--env", "dev")

    return message


def failure(sizewell: Sizewell, *arguments: str) -> str:
    result = sizewell(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("typed", ["nowhere", "/absent/nowhere"])
def test_missing_directory_is_shown_as_typed(sizewell: Sizewell, typed: str) -> None:
    message = failure(sizewell, "plan", "--env", "dev", "--config", typed)
    assert message.startswith(f"{typed}\n  there is no such directory\n")
    assert message.count("\n") == 3


EXACT = {
    "unknown key": (
        "workloads:\n  support-bert:\n    latencey: {max_p95_ms: 100}\n",
        "config/dev.yaml:3  workloads.support-bert.latencey\n  unknown key\n  did you mean latency?\n",
    ),
    "type that is only on EC2": (
        "workloads:\n  support-bert:\n    instances: {instance_type: m5.large}\n",
        "config/dev.yaml:3  workloads.support-bert.instances.instance_type\n"
        '  SageMaker has no instance type "m5.large", in any region\n'
        "  did you mean ml.m5.large? some types of EC2 do not exist in SageMaker; "
        "without the key, the needs decide\n",
    ),
    "burstable type that the policy forbids": (
        "workloads:\n  support-bert:\n    instances: {instance_type: ml.t2.medium}\n",
        "config/dev.yaml:3  workloads.support-bert.instances.instance_type\n"
        "  ml.t2.medium cannot be used: policy: burstable types are not allowed in this environment\n"
        "  widen the allowed families or allow_burstable, here or in policy; "
        "or leave instance_type out, and the needs decide\n",
    ),
    "misspelt family": (
        "policy:\n  denied_families: [p5, gd4n]\n",
        "config/dev.yaml:2  policy.denied_families.1\n"
        '  SageMaker has no instance family "gd4n"\n'
        "  did you mean g4dn?\n",
    ),
}


@pytest.mark.parametrize(("text", "expected"), EXACT.values(), ids=EXACT.keys())
def test_message(message_for: MessageFor, text: str, expected: str) -> None:
    assert message_for(text) == expected


def test_type_of_ec2_without_a_twin_in_sagemaker(message_for: MessageFor) -> None:
    message = message_for("workloads:\n  support-bert:\n    instances: {instance_type: ml.g4ad.xlarge}\n")
    assert '  SageMaker has no instance type "ml.g4ad.xlarge", in any region\n' in message
    assert "  did you mean ml.g4dn.xlarge or " in message


def test_secret_is_not_printed(message_for: MessageFor) -> None:
    secret = "hf_" + "Zq9x" * 9
    message = message_for(
        f"workloads:\n  support-bert:\n    container:\n      environment: {{HF_TOKEN: {secret}}}\n"
    )
    assert "config/dev.yaml:4  workloads.support-bert.container.environment.HF_TOKEN\n" in message
    assert "a secret must not stand in the configuration" in message
    assert "Zq9x" not in message


def test_plan_above_its_budget_names_the_parts(message_for: MessageFor) -> None:
    place, sentence, fixed, advice = message_for("policy:\n  budget_usd_per_month: 1\n").splitlines()
    assert place == "config/dev.yaml:2  policy.budget_usd_per_month"
    assert ", the budget is 1.00 (support-bert " in sentence
    assert ", nightly-lora " in sentence
    assert fixed.startswith("  fixed costs, whatever the load: ")
    assert "customer-managed key: 2.00" in fixed
    assert advice.endswith("sizewell explain support-bert --env dev")


def test_faults_of_several_workloads_come_at_once(message_for: MessageFor) -> None:
    message = message_for(
        "workloads:\n"
        "  support-bert:\n    instances: {instance_type: ml.m5.lrage}\n"
        "  nightly-lora:\n    deadline_hours: 0.01\n"
    )
    assert "config/dev.yaml:3  workloads.support-bert.instances.instance_type\n" in message
    assert "config/dev.yaml:5  workloads.nightly-lora.deadline_hours\n" in message


def large(copies: int = 600) -> str:
    """Return a configuration of more than ten thousand lines."""
    head, _, rest = BASE.partition("  support-bert:\n")
    endpoint, _, _ = rest.partition("  nightly-lora:\n")
    spread = endpoint.replace("model: {", "model:\n      {").replace(", ", ",\n        ")
    text = head + "".join(f"  bert-{number}:\n{spread}" for number in range(copies))
    assert text.count("\n") > 10_000
    return text


def test_ten_thousand_lines_with_a_plan(directory: Path, sizewell: Sizewell) -> None:
    # One type is pinned: the time of 600 selections is not what this is about.
    text = large().replace(
        "    request: {input_tokens: 128}\n",
        "    request: {input_tokens: 128}\n    instances: {instance_type: ml.g4dn.xlarge}\n",
    )
    (directory / "base.yaml").write_text(text, "utf-8")
    result = sizewell("plan", "--env", "dev")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("ml.g4dn.xlarge") == 600


def test_explain_of_an_unknown_workload(directory: Path, sizewell: Sizewell) -> None:
    assert failure(sizewell, "explain", "suport-bert", "--env", "dev") == (
        'there is no workload "suport-bert" in dev; it has: support-bert, nightly-lora\n'
        "did you mean support-bert?\n"
    )


def test_explain_reports_a_wrong_configuration_too(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text("polcy: {}\n", "utf-8")
    message = failure(sizewell, "explain", "support-bert", "--env", "dev")
    assert message == "config/dev.yaml:1  polcy\n  unknown key\n  did you mean policy?\n"
