"""Every kind of bad input: one clear message on standard error, exit code 1, nothing on standard output."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import BASE, Sizewell

MessageFor = Callable[[str], str]


@pytest.fixture
def message_for(directory: Path, sizewell: Sizewell) -> MessageFor:
    """Return a function that gives the message for a text of dev.yaml, which is wrong."""

    def message(text: str | bytes) -> str:
        (directory / "dev.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
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
def test_unknown_environment(sizewell: Sizewell) -> None:
    message = failure(sizewell, "plan", "--env", "dve")
    assert message.startswith('config/dve.yaml\n  there is no environment "dve"')
    assert message.endswith("did you mean dev?\n")


def test_missing_base(directory: Path, sizewell: Sizewell) -> None:
    (directory / "base.yaml").unlink()
    message = failure(sizewell, "plan", "--env", "dev")
    assert message.startswith("config/base.yaml\n  the file is missing\n")


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("typed", ["nowhere", "/absent/nowhere"])
def test_missing_directory_is_shown_as_typed(sizewell: Sizewell, typed: str) -> None:
    message = failure(sizewell, "plan", "--env", "dev", "--config", typed)
    assert message.startswith(f"{typed}\n  there is no such directory\n")
    assert message.count("\n") == 3


def test_file_that_is_not_utf_8(message_for: Callable[[bytes], str]) -> None:
    message = message_for(b"policy:\n  removal: d\xe9truit\n")
    assert message.startswith("config/dev.yaml:2\n")
    assert "not UTF-8" in message


EXACT = {
    "tab": (
        "policy:\n\tremoval: destroy\n",
        "config/dev.yaml:2:1\n"
        "  not valid YAML: found character that cannot start any token (while scanning for the next token)\n"
        "  YAML indents with spaces: replace the tab\n",
    ),
    "unknown key": (
        "workloads:\n  support-bert:\n    latencey: {max_p95_ms: 100}\n",
        "config/dev.yaml:3  workloads.support-bert.latencey\n  unknown key\n  did you mean latency?\n",
    ),
    "number with a unit": (
        "workloads:\n  support-bert:\n    latency: {max_p95_ms: 100ms}\n",
        "config/dev.yaml:3  workloads.support-bert.latency.max_p95_ms\n"
        '  got "100ms" (text); expected a number of at least 0.001 and at most 60,000 milliseconds\n'
        "  the unit (milliseconds) is in the key's name: write max_p95_ms: 100\n",
    ),
    "duplicate key": (
        "policy: {removal: destroy}\npolicy: {allow_spot: true}\n",
        "config/dev.yaml:2:1  policy\n  the key stands twice; the first is on line 1\n  keep one of the two\n",
    ),
    "type that is only on EC2": (
        "workloads:\n  support-bert:\n    instances: {instance_type: m5.large}\n",
        "config/dev.yaml:3  workloads.support-bert.instances.instance_type\n"
        '  SageMaker has no instance type "m5.large", in any region\n'
        "  did you mean ml.m5.large? some types of EC2 do not exist in SageMaker; "
        "without the key, the needs decide\n",
    ),
    "type that is offered nowhere": (
        "workloads:\n  support-bert:\n    instances: {instance_type: ml.p3.2xlarge}\n",
        "config/dev.yaml:3  workloads.support-bert.instances.instance_type\n"
        "  ml.p3.2xlarge cannot be used: region: AWS does not publish a hosting price for it in us-east-1\n"
        "  use another policy.region; or leave instance_type out, and the needs decide\n",
    ),
    "burstable type that must be scaled": (
        "policy: {allow_burstable: true}\n"
        "workloads:\n  support-bert:\n    instances: {instance_type: ml.t2.medium}\n    scaling: {max_instances: 3}\n",
        "config/dev.yaml:4  workloads.support-bert.instances.instance_type\n"
        "  ml.t2.medium cannot be used: autoscaling: burstable types cannot be autoscaled, "
        "and the configuration asks for a range of instances\n"
        "  write the same number in scaling.min_instances, for a fixed count, or use a type that is not burstable; "
        "or leave instance_type out, and the needs decide\n",
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
    "Spot on a real-time endpoint": (
        "workloads:\n  support-bert:\n    spot: {enabled: true}\n",
        "config/dev.yaml:3  workloads.support-bert.spot\n"
        "  Spot never serves real-time traffic: SageMaker has managed Spot for training jobs only; remove the key\n",
    ),
    "Spot without a checkpoint": (
        "policy: {allow_spot: true}\nworkloads:\n  nightly-lora:\n    spot: {enabled: true}\n",
        "config/dev.yaml:4  workloads.nightly-lora.spot.enabled\n"
        "  Spot needs a checkpoint: without one, an interrupted job starts again from zero; "
        "add for example checkpoint: {interval_minutes: 15}\n",
    ),
    "CDK token": (
        "workloads:\n  support-bert:\n    container:\n      environment: {BUCKET: '${Token[TOKEN.7]}'}\n",
        "config/dev.yaml:4  workloads.support-bert.container.environment.BUCKET\n"
        "  an unresolved CDK token: the name is known only after synth\n"
        "  give the plain value; the configuration is read before any construct exists\n",
    ),
    "production with one instance": (
        "policy:\n  production: true\n  min_endpoint_instances: 1\n  min_availability_zones: 2\n",
        "config/dev.yaml:3  policy.min_endpoint_instances\n"
        "  is 1, but production needs at least 2: one instance is one failure away from an outage\n",
    ),
    "production in one zone": (
        "policy: {production: true, min_endpoint_instances: 2, min_availability_zones: 2}\n"
        "network: {availability_zones: 1}\n",
        "config/dev.yaml:2  network.availability_zones\n"
        "  1 availability zone(s), but policy.min_availability_zones asks for 2\n",
    ),
}


@pytest.mark.parametrize(("text", "expected"), EXACT.values(), ids=EXACT.keys())
def test_message(message_for: MessageFor, text: str, expected: str) -> None:
    assert message_for(text) == expected


def test_syntax_error(message_for: MessageFor) -> None:
    message = message_for("policy: {removal: destroy\n")
    assert message.startswith("config/dev.yaml:2:1\n  not valid YAML: ")


def test_type_of_ec2_without_a_twin_in_sagemaker(message_for: MessageFor) -> None:
    message = message_for("workloads:\n  support-bert:\n    instances: {instance_type: ml.g4ad.xlarge}\n")
    assert '  SageMaker has no instance type "ml.g4ad.xlarge", in any region\n' in message
    assert "  did you mean ml.g4dn.xlarge or " in message


def test_need_that_no_type_meets_lists_the_five_nearest_with_what_each_missed(
    message_for: MessageFor,
) -> None:
    place, sentence, *nearest, counts, advice = message_for(
        "workloads:\n  support-bert:\n    latency: {max_p95_ms: 0.01}\n"
    ).splitlines()
    assert place == "config/dev.yaml:3  workloads.support-bert.latency.max_p95_ms"
    assert sentence.endswith(" instance types meets all requirements; the nearest:")
    assert len(nearest) == 5
    for line in nearest:
        assert line.startswith("    ml.")
        assert ": latency: p95 of " in line
        assert line.endswith(" times)")
    assert counts.startswith("  turned down: ")
    assert " by region, " in counts
    possible, _, change = advice.partition(" is the least that any type reaches; ")
    assert float(possible.removeprefix("  max_p95_ms: ")) > 0.01
    assert change == "allow more milliseconds, shorten the request or use a faster engine"


def test_secret_is_not_printed(message_for: MessageFor) -> None:
    secret = "hf_" + "Zq9x" * 9
    message = message_for(
        f"workloads:\n  support-bert:\n    container:\n      environment: {{HF_TOKEN: {secret}}}\n"
    )
    assert "config/dev.yaml:4  workloads.support-bert.container.environment.HF_TOKEN\n" in message
    assert "a secret must not stand in the configuration" in message
    assert "Zq9x" not in message


def test_plan_above_its_budget_names_the_parts(message_for: MessageFor) -> None:
    place, sentence, advice = message_for("policy:\n  budget_usd_per_month: 1\n").splitlines()
    assert place == "config/dev.yaml:2  policy.budget_usd_per_month"
    assert ", the budget is 1.00 (support-bert " in sentence
    assert ", nightly-lora " in sentence
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


def test_ten_thousand_lines_with_an_error(directory: Path, message_for: MessageFor) -> None:
    text = large()
    end = text.rindex("max_p95_ms: 200")
    (directory / "base.yaml").write_text(f"{text[:end]}max_p95_ms: fast{text[end + 15 :]}", "utf-8")
    line = text[:end].count("\n") + 1
    assert message_for("policy: {removal: destroy}\n").startswith(
        f"config/base.yaml:{line}  workloads.bert-599.latency.max_p95_ms\n"
    )


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
