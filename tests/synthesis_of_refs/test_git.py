"""The files of a ref and of the work tree."""

import os
from pathlib import Path

import pytest

from sizewell.synthesis.git import open_tree
from sizewell.synthesis.processes import SynthesisError
from tests.synthesis_of_refs.projects import Project, git, make_project


def written(project: Project, ref: str | None, directory: Path) -> dict[str, bytes]:
    """Return the files that a tree writes, by path."""
    directory.mkdir()
    with open_tree(project.directory, ref) as tree:
        place = tree.write(directory)
    return {
        path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()
    }


def state(project: Project) -> tuple[str, bytes, str]:
    """Return everything of a repository that must stay as it is."""
    index = (project.repository / ".git" / "index").read_bytes()
    objects = git(project.repository, "count-objects", "-v")
    return (
        git(project.repository, "for-each-ref"),
        index,
        objects + git(project.repository, "worktree", "list"),
    )


def test_a_ref_is_what_was_committed(project: Project, tmp_path: Path) -> None:
    project.write("config/dev.yaml", "two\n")
    files = written(project, "HEAD", tmp_path / "out")
    assert files["config/dev.yaml"] == b"one\n"
    assert set(files) == set(git(project.repository, "ls-files").split())


def test_the_work_tree_is_what_is_on_the_disk(project: Project, tmp_path: Path) -> None:
    project.write("config/dev.yaml", "two\n")
    project.write("config/staging.yaml", "untracked\n")
    project.write("ignored.txt", "no part of it\n")
    (project.directory / "config" / "prod.yaml").unlink()
    files = written(project, None, tmp_path / "out")
    assert files["config/dev.yaml"] == b"two\n"
    assert files["config/staging.yaml"] == b"untracked\n"
    assert not files.keys() & {"ignored.txt", "config/prod.yaml"}


def test_what_is_staged_and_not_on_the_disk_is_no_part_of_the_work_tree(
    project: Project, tmp_path: Path
) -> None:
    project.write("config/dev.yaml", "staged\n")
    git(project.repository, "add", "--all")
    project.write("config/dev.yaml", "on the disk\n")
    assert written(project, None, tmp_path / "out")["config/dev.yaml"] == b"on the disk\n"


def test_the_repository_stays_as_it_is(project: Project, tmp_path: Path) -> None:
    project.write("config/dev.yaml", "staged\n")
    git(project.repository, "add", "--all")
    project.write("config/dev.yaml", "on the disk\n")
    project.write("config/new.yaml", "untracked\n")
    status = git(project.repository, "status", "--short", "--branch")
    before = state(project)
    written(project, None, tmp_path / "one")
    written(project, "HEAD", tmp_path / "two")
    assert state(project) == before
    assert git(project.repository, "status", "--short", "--branch") == status


def test_a_clean_work_tree_is_the_tree_of_head(project: Project) -> None:
    with open_tree(project.directory, None) as now, open_tree(project.directory, "HEAD") as head:
        assert now.id == head.id
        project.write("config/dev.yaml", "two\n")
        with open_tree(project.directory, None) as then:
            assert then.id != head.id


def test_a_change_of_the_same_size_in_the_moment_of_the_commit_is_seen(project: Project) -> None:
    git(project.repository, "config", "core.trustCtime", "false")
    file, index = project.directory / "config" / "dev.yaml", project.repository / ".git" / "index"
    os.utime(file, ns=(10**18, 10**18))
    git(project.repository, "update-index", "--refresh")
    os.utime(index, ns=(10**18, 10**18))
    project.write("config/dev.yaml", "two\n")
    os.utime(file, ns=(10**18, 10**18))
    with open_tree(project.directory, None) as tree:
        assert tree.read("config/dev.yaml") == b"two\n"


def test_a_repository_without_a_commit_has_a_work_tree(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    project = Project(tmp_path, tmp_path)
    project.write("cdk.json", "{}")
    with open_tree(tmp_path, None) as tree:
        assert tree.read("cdk.json") == b"{}"
    with (
        pytest.raises(SynthesisError, match=r'there is no ref "HEAD"[^$]*it has no commit yet'),
        open_tree(tmp_path, "HEAD"),
    ):
        pass


@pytest.mark.parametrize("ref", [None, "HEAD"])
def test_names_with_blanks_and_signs_of_any_script(project: Project, tmp_path: Path, ref: str | None) -> None:
    names = {
        "a file with blanks.txt",
        "configuração/größe.yaml",
        'quote".txt',
        "line\nbreak.txt",
        "[glob]*.txt",
    }
    for name in names:
        project.write(name, name)
    if ref:
        project.commit()
    files = written(project, ref, tmp_path / "out put")
    assert {name: files[name] for name in names} == {name: name.encode() for name in names}


@pytest.mark.parametrize("ref", [None, "HEAD"])
def test_a_project_below_the_root_is_its_own_tree(tmp_path: Path, ref: str | None) -> None:
    project = make_project(tmp_path / "repository", "apps/größe 1")
    (project.repository / "other.txt").write_text("of somebody else")
    project.commit()
    with open_tree(project.directory, ref) as tree:
        assert tree.names("config") == (
            *("base.yaml", "dev.yaml", "measurements.yaml", "prod.yaml", "selection.lock.yaml"),
        )
        before = tree.id
    (project.repository / "other.txt").write_text("changed")
    project.commit()
    with open_tree(project.directory, ref) as tree:
        assert tree.id == before
    files = written(project, ref, tmp_path / "out")
    assert "app.py" in files
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["apps"]


def test_a_project_that_was_not_there_yet_has_no_files(project: Project, tmp_path: Path) -> None:
    later = Project(project.directory / "later", project.repository)
    later.write("cdk.json", "{}")
    with open_tree(later.directory, "HEAD") as tree:
        assert tree.names(".") == ()
        assert tree.names("config") is None
    assert written(later, None, tmp_path / "out").keys() == {"cdk.json"}


def test_git_attributes_count_also_those_above_the_project(tmp_path: Path) -> None:
    project = make_project(tmp_path / "repository", "app")
    (project.repository / ".gitattributes").write_text("*.yaml text eol=crlf\n*.md export-ignore\n")
    project.write("README.md", "kept\n")
    project.commit()
    for number, ref in enumerate((None, "HEAD")):
        files = written(project, ref, tmp_path / str(number))
        assert files["config/dev.yaml"] == b"one\r\n"
        assert files["app.py"].count(b"\r") == 0
        assert files["README.md"] == b"kept\n"


def test_a_filter_that_fails_is_said_in_the_words_of_git(project: Project, tmp_path: Path) -> None:
    project.write(".gitattributes", "*.yaml filter=bad\n")
    project.commit()
    git(project.repository, "config", "filter.bad.smudge", "false")
    git(project.repository, "config", "filter.bad.required", "true")
    with pytest.raises(SynthesisError, match=r"^git cannot write the files:\n[^$]*smudge filter bad failed"):
        written(project, "HEAD", tmp_path / "out")


def test_hooks_do_not_run(project: Project, tmp_path: Path) -> None:
    hooks = project.repository / ".git" / "hooks"
    for name in ("post-checkout", "post-index-change", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (hooks / name).chmod(0o755)
    written(project, None, tmp_path / "one")
    written(project, "HEAD", tmp_path / "two")
    assert not (tmp_path / "ran").exists()


def test_the_variables_of_a_hook_do_not_mislead(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere" / "index"))
    with open_tree(project.directory, "HEAD") as tree:
        assert tree.read("cdk.json")


def test_a_linked_work_tree_has_files_of_its_own(project: Project, tmp_path: Path) -> None:
    git(project.repository, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = Project(tmp_path / "linked", tmp_path / "linked")
    linked.write("config/dev.yaml", "linked\n")
    assert written(linked, None, tmp_path / "out")["config/dev.yaml"] == b"linked\n"


def failure(project: Path, ref: str | None) -> str:
    with pytest.raises(SynthesisError) as caught, open_tree(project, ref):
        pass
    return str(caught.value)


def test_a_ref_that_does_not_exist_names_the_one_that_was_meant(project: Project) -> None:
    git(project.repository, "tag", "v1.0")
    assert failure(project.directory, "mian") == (
        'there is no ref "mian" in this repository\n  did you mean main?'
    )
    assert failure(project.directory, "--all").startswith('there is no ref "--all"')


def test_a_branch_that_was_not_fetched(project: Project, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(project.repository), "clone")
    assert failure(tmp_path / "clone", "origin/release") == (
        'there is no ref "origin/release" in this repository\n'
        "  if origin has it, fetch it: git fetch origin release"
    )
    git(tmp_path / "clone", "checkout", "--quiet", "-b", "topic")
    git(tmp_path / "clone", "branch", "--quiet", "-D", "main")
    assert "did you mean origin/main?" in failure(tmp_path / "clone", "main")


@pytest.mark.parametrize(
    ("ref", "hint"),
    [
        ("HEAD~300", "\n  the first commit is HEAD~1"),
        ("main~2", "\n  the first commit is main~1"),
        ("v1~2", "\n  v1 is the first commit"),
        ("nothing~3", ""),
        ("HEAD^7", ""),
        ("0123456789abcdef", ""),
        ("feature/x", "\n  if origin has it, fetch it: git fetch origin feature/x"),
    ],
)
def test_only_what_may_be_a_branch_is_to_be_fetched(
    project: Project, tmp_path: Path, ref: str, hint: str
) -> None:
    git(project.repository, "tag", "v1")
    project.commit("second")
    git(tmp_path, "clone", "--quiet", str(project.repository), "clone")
    assert failure(tmp_path / "clone", ref) == f'there is no ref "{ref}" in this repository{hint}'


def test_a_shallow_clone_says_how_to_get_the_rest(project: Project, tmp_path: Path) -> None:
    project.commit("second")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{project.repository}", "clone")
    message = failure(tmp_path / "clone", "HEAD~1")
    assert "fetch-depth: 0" in message
    assert "GIT_DEPTH: 0" in message


def test_what_is_no_repository(tmp_path: Path) -> None:
    assert failure(tmp_path, "main") == (
        'there is no directory "main", and this is no git repository\n'
        "  compare two directories that cdk synth wrote: --base DIR --head DIR"
    )
    assert failure(tmp_path, None).startswith(f"{tmp_path} is in no git repository, so there is no work tree")
    assert failure(tmp_path / "nothing", None) == f"{tmp_path / 'nothing'}: there is no such directory"


def test_no_git(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert failure(project.directory, "main").startswith("git is not on PATH; install it, or compare two")
