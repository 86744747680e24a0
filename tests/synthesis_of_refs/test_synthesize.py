"""One side, synthesized once for each content."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sizewell.synthesis import (
    SynthesisError,
    SynthesizedSide,
    environments_at,
    synthesize_side,
    synthesize_sides,
)
from sizewell.synthesis.cache import KEPT_OUTPUTS, PLACE, OutputCache, output_key
from sizewell.synthesis.processes import run, termination_as_exit
from tests.gates import REACH_GATE, make_gate, signals_heard
from tests.synthesis import PROJECT_ROOT
from tests.synthesis_of_refs.conftest import Synthesize
from tests.synthesis_of_refs.projects import CDK_JSON, Project, git, make_project, make_tools, starts


def display_name(side: SynthesizedSide, environment: str) -> str:
    assert side.directory is not None
    template = json.loads((side.directory / environment / "demo.template.json").read_text("utf-8"))
    name: str = template["Resources"]["Topic"]["Properties"]["DisplayName"]
    return name


def test_every_environment_has_an_output(synthesize: Synthesize, said: list[str], tmp_path: Path) -> None:
    side = synthesize("HEAD")
    assert (side.label, side.errors, side.notes) == ("HEAD", {}, ())
    assert side.directory is not None
    assert sorted(path.name for path in side.directory.iterdir()) == ["dev", "prod"]
    expected = ("Synthesizing {} at HEAD ...\n", "{} at HEAD: 0.0 s\n")
    heard = sorted(re.sub(r"\d+\.\d s", "0.0 s", line) for line in said)
    assert heard == sorted(line.format(name) for line in expected for name in ("dev", "prod"))
    assert sorted(starts(tmp_path)) == [
        "synth --quiet --no-notices env=dev",
        "synth --quiet --no-notices env=prod",
    ]


def test_refs_and_work_tree_are_synthesized_from_their_own_files(
    synthesize: Synthesize, project: Project
) -> None:
    project.write("config/dev.yaml", "two")
    project.write("shapes.py", (project.directory / "shapes.py").read_text().replace("text}", "text + '!'}"))
    assert display_name(synthesize("main", "dev"), "dev") == "one"
    assert display_name(synthesize(None, "dev"), "dev") == "two!"


def test_the_modules_beside_the_app_win_over_installed_ones(
    synthesize: Synthesize, project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "installed"
    elsewhere.mkdir()
    (elsewhere / "shapes.py").write_text("raise ImportError('the installed one')")
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    assert synthesize("HEAD").errors == {}


def test_an_unchanged_side_costs_nothing(
    synthesize: Synthesize, project: Project, said: list[str], tmp_path: Path
) -> None:
    first = synthesize("HEAD")
    said.clear()
    second = synthesize("HEAD")
    assert second == first
    assert said == []
    # The same content under another name: nothing was changed since the commit.
    assert synthesize(None).directory == first.directory
    project.commit("nothing changed")
    assert synthesize("HEAD").directory == first.directory
    assert len(starts(tmp_path)) == 2


def test_one_changed_file_is_synthesized_again(
    synthesize: Synthesize, project: Project, tmp_path: Path
) -> None:
    synthesize("HEAD", "dev")
    project.write("config/dev.yaml", "two")
    assert display_name(synthesize(None, "dev"), "dev") == "two"
    assert len(starts(tmp_path)) == 2


def test_outputs_are_ignored_by_git(synthesize: Synthesize, project: Project) -> None:
    synthesize(None)
    assert git(project.repository, "status", "--short") == ""


def test_nothing_else_is_left_behind(
    synthesize: Synthesize, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    project.write("config/prod.yaml", "broken")
    assert set(synthesize(None).errors) == {"prod"}
    assert list(scratch.iterdir()) == []
    assert not list((project.directory / PLACE).glob(".new-*"))


def test_what_synth_prints_is_a_result_with_the_paths_of_the_project(
    synthesize: Synthesize, project: Project, tmp_path: Path
) -> None:
    project.write("config/dev.yaml", "broken")
    side = synthesize(None)
    assert side.errors == {"dev": "synthesizing app.py\nconfig/dev.yaml: broken"}
    assert side.directory is not None
    assert [path.name for path in side.directory.iterdir()] == ["prod"]
    # It may have been the machine: a failure is not kept.
    synthesize(None)
    assert sorted(call.rpartition("=")[2] for call in starts(tmp_path)) == ["dev", "dev", "prod"]


def test_the_last_line_of_the_cdk_cli_is_left_out(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cdk = (
        "#!/bin/sh\necho 'config: broken'\necho 'python -O app.py: Subprocess exited with error 1'\nexit 1\n"
    )
    monkeypatch.setattr("sizewell.synthesis.synthesize.TOOLS", make_tools(tmp_path, cdk))
    side = synthesize_side(project.directory, None, ["dev"], config="config", progress=lambda _: None)
    assert side.errors == {"dev": "config: broken"}


def test_a_side_where_nothing_synthesizes_has_no_directory(synthesize: Synthesize, project: Project) -> None:
    project.write("app.py", "raise SystemExit(3)")
    side = synthesize(None, "dev")
    assert side.directory is None
    assert side.errors == {"dev": "cdk synth failed and printed nothing"}


def test_a_side_without_an_app_starts_nothing(
    synthesize: Synthesize, project: Project, tmp_path: Path
) -> None:
    (project.directory / "cdk.json").unlink()
    assert synthesize(None, "dev").errors == {"dev": "there is no cdk.json at worktree: no app to synthesize"}
    assert starts(tmp_path) == []


def test_environments_that_a_side_does_not_have_are_left_out(
    synthesize: Synthesize, project: Project
) -> None:
    project.write("config/staging.yaml", "new")
    assert environments_at(project.directory, "HEAD") == ("dev", "prod")
    assert environments_at(project.directory, None) == ("dev", "prod", "staging")
    assert synthesize("HEAD", "staging") == SynthesizedSide("HEAD", None, {}, ())
    assert display_name(synthesize(None, "staging"), "staging") == "new"


def test_another_configuration_directory(synthesize: Synthesize, project: Project, tmp_path: Path) -> None:
    project.write("examples/chat/qa.yaml", "chat")
    side = synthesize(None, config="examples/chat")
    assert display_name(side, "qa") == "chat"
    assert starts(tmp_path) == ["synth --quiet --no-notices config=examples/chat env=qa"]
    with pytest.raises(SynthesisError, match=r"\.\./config is outside of the project"):
        synthesize(None, config="../config")


def test_an_app_without_a_configuration_has_one_environment(
    synthesize: Synthesize, project: Project, tmp_path: Path
) -> None:
    for path in (project.directory / "config").iterdir():
        path.unlink()
    assert environments_at(project.directory, None) is None
    assert display_name(synthesize(None), "app") == ""
    assert starts(tmp_path) == ["synth --quiet --no-notices"]


def test_a_project_below_the_root(tmp_path: Path, tools: Path) -> None:
    project = make_project(tmp_path / "below", "apps/größe 1")
    project.write("config/dev.yaml", "two")
    sides = [
        synthesize_side(project.directory, ref, ["dev"], config="config", progress=lambda _: None)
        for ref in ("HEAD", None)
    ]
    assert [display_name(side, "dev") for side in sides] == ["one", "two"]
    assert (project.directory / PLACE).is_dir()


def test_no_cdk(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git_only = tmp_path / "bin"
    git_only.mkdir()
    found = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    (git_only / "git").symlink_to(found)
    monkeypatch.setattr("sizewell.synthesis.synthesize.TOOLS", git_only)
    monkeypatch.setenv("PATH", str(git_only))
    with pytest.raises(SynthesisError, match="cdk is not on PATH"):
        synthesize_side(project.directory, None, None, config="config", progress=lambda _: None)


def test_a_key_is_the_files_the_environment_the_context_and_the_packages() -> None:
    keys = {
        output_key("tree", "dev", {}, ("sizewell==1",)),
        output_key("other", "dev", {}, ("sizewell==1",)),
        output_key("tree", "prod", {}, ("sizewell==1",)),
        output_key("tree", None, {}, ("sizewell==1",)),
        output_key("tree", "dev", {"config": "elsewhere"}, ("sizewell==1",)),
        output_key("tree", "dev", {}, ("sizewell==2",)),
    }
    assert len(keys) == 6


def test_what_is_installed_is_part_of_the_key(
    synthesize: Synthesize, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sizewell.synthesis.synthesize.installed_packages", lambda project: ("sizewell==1",))
    synthesize("HEAD", "dev")
    synthesize("HEAD", "dev")
    assert len(starts(tmp_path)) == 1
    monkeypatch.setattr("sizewell.synthesis.synthesize.installed_packages", lambda project: ("sizewell==2",))
    synthesize("HEAD", "dev")
    assert len(starts(tmp_path)) == 2


def output_of(side: SynthesizedSide, environment: str) -> Path:
    assert side.directory is not None
    return (side.directory / environment).resolve()


def change(output: Path) -> None:
    (output / "demo.template.json").write_text("{}", "utf-8")


def add(output: Path) -> None:
    (output / "plan.json").write_text("{}", "utf-8")


def remove(output: Path) -> None:
    (output / "demo.template.json").unlink()


def link(output: Path) -> None:
    (output / "demo.template.json").rename(output.parent / "elsewhere")
    (output / "demo.template.json").symlink_to("../elsewhere")


def forget(output: Path) -> None:
    (output / ".digest").unlink()


@pytest.mark.parametrize("tamper", [change, add, remove, link, forget])
def test_an_output_that_is_not_as_it_was_saved_is_synthesized_again(
    synthesize: Synthesize, tmp_path: Path, tamper: Callable[[Path], None]
) -> None:
    before = output_of(synthesize("HEAD", "dev"), "dev")
    tamper(before)
    side = synthesize("HEAD", "dev")
    assert display_name(side, "dev") == "one"
    assert sorted(path.name for path in output_of(side, "dev").iterdir()) == [
        *(".digest", "demo.template.json", "manifest.json")
    ]
    assert len(starts(tmp_path)) == 2
    assert synthesize("HEAD", "dev") == side
    assert len(starts(tmp_path)) == 2


def test_a_side_leads_to_its_own_outputs(synthesize: Synthesize, tmp_path: Path) -> None:
    side = synthesize("HEAD")
    assert side.directory is not None
    (side.directory / "dev").unlink()
    (side.directory / "dev").symlink_to(output_of(side, "prod"))
    (side.directory / "staging").symlink_to(output_of(side, "prod"))
    again = synthesize("HEAD")
    assert again == side
    assert sorted(path.name for path in side.directory.iterdir()) == ["dev", "prod"]
    assert output_of(side, "dev") != output_of(side, "prod")
    assert len(starts(tmp_path)) == 2


def test_the_least_recently_used_outputs_go(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path)
    keys = [f"key{number:02}" for number in range(KEPT_OUTPUTS + 3)]
    for number, key in enumerate(keys):
        with cache.new_output(key):
            pass
        os.utime(tmp_path / PLACE / key, (number, number))
    old, used = cache.assemble({"dev": keys[1]}), cache.assemble({"dev": keys[0]})
    cache.find(keys[0])
    cache.prune(at_least=2)
    kept = {path.name for path in (tmp_path / PLACE).glob("key*")}
    assert kept == {keys[0], *keys[4:]}
    assert used.is_dir()
    assert not old.is_dir()
    cache.prune(at_least=1)
    assert len(kept) == KEPT_OUTPUTS


def test_a_side_with_many_environments_keeps_them_all(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path)
    for number in range(30):
        with cache.new_output(f"key{number}"):
            pass
    cache.prune(at_least=30)
    assert len(list((tmp_path / PLACE).glob("key*"))) == 30


def test_two_processes_with_the_same_content(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path)
    with cache.new_output("key") as slow:
        (slow / "manifest.json").write_text("slow")
        with cache.new_output("key") as fast:
            (fast / "manifest.json").write_text("fast")
    found = cache.find("key")
    assert found is not None
    assert (found / "manifest.json").read_text() == "fast"
    assert not list((tmp_path / PLACE).glob(".new-*"))


def test_what_a_killed_process_left_goes_after_a_day(tmp_path: Path) -> None:
    cache = OutputCache(tmp_path)
    for name in (".new-old", ".new-now"):
        (tmp_path / PLACE / name).mkdir()
    os.utime(tmp_path / PLACE / ".new-old", (0, 0))
    cache.prune(at_least=0)
    assert [path.name for path in (tmp_path / PLACE).glob(".new-*")] == [".new-now"]


#: Says more when it is left running, as what it started does.
SLEEPING_CDK = f"""\
#!/bin/sh
case $* in *env=prod*) gate={{log}}.prod ;; *) gate={{log}}.dev ;; esac
{REACH_GATE}
{{{{ sleep 60 && echo left running >&9; }}}} &
wait
"""
SYNTHESIZE = """\
import sys, sizewell.synthesis.synthesize as module
from pathlib import Path
module.TOOLS = Path(sys.argv[2])
module._at_once = lambda: 2
module.synthesize_side(Path(sys.argv[1]), None, None, config="config", progress=print)
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupted_run_leaves_nothing_half(
    project: Project, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    tools, scratch = make_tools(tmp_path, SLEEPING_CDK), tmp_path / "scratch"
    gates = [make_gate(tmp_path / f"cdk.log.{name}") for name in ("dev", "prod")]
    scratch.mkdir()
    with signals_heard():
        process = subprocess.Popen(
            [sys.executable, "-c", SYNTHESIZE, str(project.directory), str(tools)],
            env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "TMPDIR": str(scratch)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    running = [gate.wait(process) for gate in gates]
    assert list(scratch.iterdir())
    process.send_signal(number)
    for cdk in running:
        cdk.wait_for_end()
    assert process.wait() == code
    assert list(scratch.iterdir()) == []
    assert [path.name for path in (project.directory / PLACE).iterdir()] == [".gitignore"]


def test_a_signal_in_the_midst_of_a_start_leaves_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            left.append(self)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(SystemExit), termination_as_exit():
        run(["sleep", "60"], directory=tmp_path, environment=os.environ)
    assert [process.returncode for process in left] == [-signal.SIGTERM]


def test_the_same_content_on_both_sides_is_synthesized_once(
    project: Project, tools: Path, tmp_path: Path
) -> None:
    base, head = synthesize_sides(
        project.directory, ["HEAD", None], None, config="config", progress=lambda _: None
    )
    assert (base.label, head.label, base.directory) == ("HEAD", "worktree", head.directory)
    assert len(starts(tmp_path)) == 2


def test_compiled_files_are_written_whatever_the_variables_of_the_user_say(
    synthesize: Synthesize, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    project.write(
        "shapes.py",
        (project.directory / "shapes.py").read_text() + "import sys\nassert not sys.dont_write_bytecode\n",
    )
    assert synthesize(None, "dev").errors == {}


def test_the_app_of_cdk_json_is_what_runs(synthesize: Synthesize, project: Project) -> None:
    project.write("other.py", "import runpy; runpy.run_path('app.py')")
    project.write("cdk.json", CDK_JSON.replace("app.py", "other.py"))
    assert display_name(synthesize(None, "dev"), "dev") == "one"
