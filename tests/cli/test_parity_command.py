import json
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console

from cli.parity_command import load_parity
from cli.parity_view import parity_to_json, parity_to_markdown, print_parity
from review.parity import Parity

QUEUE = {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": 30}}


def save(directory: Path, environment: str, **resources: dict[str, Any]) -> None:
    """Write what cdk synth writes, as far as it is read."""
    output = directory / environment
    output.mkdir(parents=True)
    (output / "s.template.json").write_text(json.dumps({"Resources": resources}), "utf-8")
    stack = {
        "type": "aws:cloudformation:stack",
        "environment": "aws://111122223333/us-east-1",
        "properties": {"templateFile": "s.template.json", "stackName": f"app-{environment}"},
    }
    (output / "manifest.json").write_text(json.dumps({"artifacts": {"s": stack}}), "utf-8")


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    save(
        tmp_path,
        "staging",
        Queue=QUEUE,
        Logs={"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": 7}},
    )
    save(
        tmp_path,
        "prod",
        Queue={**QUEUE, "Properties": {"VisibilityTimeout": 60}},
        Alarm={"Type": "AWS::CloudWatch::Alarm"},
        Logs={"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": 30}},
    )
    return tmp_path


def printed(parity: Parity, width: int = 140) -> str:
    console = Console(width=width, highlight=False)
    with console.capture() as captured:
        print_parity(parity, console)
    return captured.get()


def test_differences_come_first_then_sizes_then_the_verdict(outputs: Path) -> None:
    text = printed(load_parity(outputs, "staging", "prod"))
    assert [
        text.index(word) for word in ("VisibilityTimeout", "1 size or policy differs", "RetentionInDays")
    ] == sorted(
        text.index(word) for word in ("VisibilityTimeout", "1 size or policy differs", "RetentionInDays")
    )
    assert text.rstrip().endswith("staging does not have the shape of prod: 2 differences.")


def test_an_environment_has_its_own_shape(outputs: Path) -> None:
    parity = load_parity(outputs, "prod", "prod")
    assert parity.same_shape
    assert printed(parity) == "prod has the shape of prod.\n"


def test_a_narrow_console_does_without_the_reasons(outputs: Path) -> None:
    parity = load_parity(outputs, "staging", "prod")
    assert "not a size" in printed(parity)
    assert "not a size" not in printed(parity, width=80)


def test_json_is_the_whole_model(outputs: Path) -> None:
    parity = load_parity(outputs, "staging", "prod")
    data = json.loads(parity_to_json(parity))
    assert Parity.model_validate(data) == parity
    assert data["same_shape"] is False
    assert [one["kind"] for one in data["differences"]] == ["missing", "setting"]


def test_markdown_folds_the_sizes_away(outputs: Path) -> None:
    text = parity_to_markdown(load_parity(outputs, "staging", "prod"))
    shape, sizes = text.split("<details>")
    assert "| setting | app-<environment>: Queue |" not in text, "no HTML out of names"
    assert "`VisibilityTimeout` | `30` | `60` |" in shape
    assert "`RetentionInDays` | `7` | `30` |" in sizes


def test_hostile_values_stay_text(tmp_path: Path) -> None:
    value = "|<script>`\x1b[31m[bold]x"
    save(tmp_path, "staging", Queue={**QUEUE, "Properties": {"Mode": value}})
    save(tmp_path, "prod", Queue={**QUEUE, "Properties": {"Mode": "plain"}})
    parity = load_parity(tmp_path, "staging", "prod")
    text = parity_to_markdown(parity)
    row = next(line for line in text.splitlines() if line.startswith("| setting"))
    assert "<script" not in text
    assert row.count("|") == 7
    assert "\x1b" not in printed(parity)
    assert "[bold]" in printed(parity)


@pytest.mark.parametrize(
    ("staging", "message"),
    [("stagin", "did you mean staging?"), ("nowhere", "there are: prod, staging")],
)
def test_an_unknown_environment(
    outputs: Path, capsys: pytest.CaptureFixture[str], staging: str, message: str
) -> None:
    with pytest.raises(typer.Exit) as stopped:
        load_parity(outputs, staging, "prod")
    assert stopped.value.exit_code == 1
    assert message in capsys.readouterr().err


def test_a_directory_that_holds_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        load_parity(tmp_path, "staging", "prod")
    assert "is no output of cdk synth" in capsys.readouterr().err
