"""The command as a process of its own: what is imported, and what goes through a pipe."""

import os
import subprocess
import sys

from tests.synthesis import PROJECT_ROOT

RUN_EACH_AND_LIST_MODULES = """\
import sys
from sizewell.cli.main import main
for words in sys.argv[1:]:
    sys.argv[1:] = words.split()
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, words
print("modules:", *sorted(sys.modules))
"""


def run(
    *arguments: str, program: tuple[str, ...] = ("-m", "sizewell.cli.main")
) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
    return subprocess.run(
        [sys.executable, *program, *arguments],
        cwd=PROJECT_ROOT,
        env={**variables, "PYTHONPATH": str(PROJECT_ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_piped_table_is_plain_text() -> None:
    result = run("plan", "--env", "prod")
    assert (result.returncode, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout
    assert "USD/month" in result.stdout


def test_bad_input_ends_the_process_with_one_message() -> None:
    result = run("plan", "--env", "prd")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith('config/prd.yaml\n  there is no environment "prd"')
    assert "Traceback" not in result.stderr


def test_no_command_loads_the_cdk_kernel() -> None:
    commands = ("plan --env prod", "plan --env prod --json", "explain support-bert --env prod", "schema")
    result = run(*commands, program=("-c", RUN_EACH_AND_LIST_MODULES))
    assert result.returncode == 0, result.stderr
    modules = result.stdout.rpartition("modules:")[2].split()
    loaded = {module.partition(".")[0] for module in modules}
    assert "sizewell.config" in modules
    assert "sizewell.stacks" not in modules
    assert not loaded & {"aws_cdk", "jsii", "constructs", "constructs_lib", "boto3"}
    # Only the page is made from a template, and only measurements.yaml is written with its comments.
    assert not loaded & {"jinja2", "ruamel"}
    # No endpoint of it compares modes, and no text has emoji; the table of their names is larger than any of ours.
    assert {"rich.table", "sizewell.serving_modes.results"} <= set(modules)
    assert not {"sizewell.serving_modes.cost_curves", "rich._emoji_codes"} & set(modules)


def test_no_garbage_is_looked_for_at_the_end() -> None:
    # What is registered first is called last.
    code = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
    code += "from sizewell.cli.startup import start_quickly; start_quickly()"
    assert run(program=("-c", code)).stdout == "True\n"


def test_reader_that_closes_the_pipe_early_sees_no_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "sizewell.cli.main", "plan", "--env", "prod", "--json"],
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    # The reader has seen enough, which is no fault of the plan.
    assert process.wait() == 0
