import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sizewell.cli.parity_command import load_parity
from sizewell.cli.parity_view import parity_to_json, parity_to_markdown, print_parity
from sizewell.review.parity import Parity
from tests.cli.conftest import Sizewell
from tests.synthesis_of_refs.projects import Project, starts

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


@pytest.mark.parametrize(("staging", "hint"), [("stagin", "\n  did you mean staging?"), ("nowhere", "")])
def test_an_unknown_environment(sizewell: Sizewell, outputs: Path, staging: str, hint: str) -> None:
    result = sizewell("parity", "--output", str(outputs), "--env", staging)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f'--env: there is no environment "{staging}" in {outputs}; there are: prod, staging{hint}\n'
    )


def test_a_directory_that_holds_no_output(sizewell: Sizewell, tmp_path: Path) -> None:
    result = sizewell("parity", "--output", str(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is no output of cdk synth" in result.stderr


def test_a_difference_is_exit_code_1_with_check_alone(sizewell: Sizewell, outputs: Path) -> None:
    assert sizewell("parity", "--output", str(outputs)).exit_code == 0
    assert sizewell("parity", "--output", str(outputs), "--check").exit_code == 1
    assert sizewell("parity", "--output", str(outputs), "--env", "prod", "--check").exit_code == 0


def test_what_nobody_foresaw_is_exit_code_2(
    sizewell: Sizewell, outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise TypeError("odd")

    monkeypatch.setattr("sizewell.cli.parity_command.compare_shape", fail)
    result = sizewell("parity", "--output", str(outputs), "--check")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("sizewell stopped while comparing staging with prod: TypeError: odd (")
    assert f"\n  {outputs}\n" in result.stderr


def test_the_reasons_name_the_two_environments(outputs: Path, sizewell: Sizewell) -> None:
    (outputs / "staging").rename(outputs / "dev")
    (outputs / "prod").rename(outputs / "live")
    result = sizewell("parity", "--env", "dev", "--like", "live", "--output", str(outputs), "--markdown")
    assert "this is not a size: dev behaves differently from live" in result.stdout
    text = result.stdout.replace("app-staging", "").replace("app-prod", "")
    assert "staging" not in text
    assert "prod" not in text
    assert "{" not in text


def test_environments_are_those_of_the_configuration(
    project: Project, sizewell: Sizewell, tmp_path: Path
) -> None:
    result = sizewell("parity", "--env", "prd", "--like", "nowhere")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        '--env: there is no environment "prd" in config/; there are: dev, prod\n  did you mean prod?\n'
        '--like: there is no environment "nowhere" in config/; there are: dev, prod\n'
    )
    result = sizewell("parity", "--config", "confg")
    assert (result.exit_code, result.stderr) == (2, '--config: there is no directory "confg"\n')
    assert starts(tmp_path) == []
    assert not list(tmp_path.rglob(".sizewell"))


def test_the_files_as_they_are_now(project: Project, sizewell: Sizewell) -> None:
    config = project.directory / "config"
    result = sizewell("parity", "--env", "dev", "--config", str(config))
    assert result.exit_code == 0, result.stderr
    assert "dev has the shape of prod." in result.stdout
    project.write("config/dev.yaml", "broken")
    result = sizewell("parity", "--env", "dev")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.endswith("dev does not synthesize:\nsynthesizing app.py\nconfig/dev.yaml: broken\n")


def test_exit_codes_are_in_the_help(sizewell: Sizewell) -> None:
    text = sizewell("parity", "--help").stdout
    assert [line.split()[0] for line in text.partition("Exit codes:")[2].splitlines()[1:5]] == list("0123")
