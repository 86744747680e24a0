"""Each side is synthesized with the packages that it requires: an upgrade shows what the new release does."""

import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from sizewell.synthesis import environments
from sizewell.synthesis.environments import InstallationError, Requirements, read_requirements
from tests.synthesis_of_refs.conftest import Synthesize
from tests.synthesis_of_refs.projects import Project, make_tools, starts

INSTALLED = f"jinja2=={version('jinja2')}\n"
OTHER = "jinja2==1.0\n"
SAID = f"jinja2==1.0 ({version('jinja2')} is installed)"


@pytest.fixture
def installs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what was installed; each environment has a ``cdk`` of its own, which writes down its starts."""
    done: list[str] = []

    def install(environment: Path, requirements: Path) -> None:
        done.append(requirements.read_text("utf-8"))
        environment.mkdir()
        shutil.move(make_tools(environment), environment / "bin")

    monkeypatch.setattr(environments, "install", install)
    return done


def own_starts(project: Project) -> list[list[str]]:
    return [starts(place) for place in sorted((project.directory / ".sizewell" / "environments").glob("*/"))]


@pytest.mark.parametrize("file", ["requirements.txt", "requirements.lock"])
def test_a_side_with_other_requirements_gets_an_environment_of_its_own(
    synthesize: Synthesize, project: Project, tmp_path: Path, installs: list[str], file: str
) -> None:
    project.write(file, OTHER)
    project.commit()
    project.write(file, INSTALLED)
    base = synthesize("HEAD")
    assert base.notes == (f"HEAD was synthesized with the packages of its own {file}: {SAID}",)
    assert set(base.errors) == set()
    assert installs == [OTHER]
    assert [len(one) for one in own_starts(project)] == [2], "dev and prod, in one environment"
    assert starts(tmp_path) == []
    assert synthesize(None).notes == ()
    assert len(starts(tmp_path)) == 2
    assert installs == [OTHER]


def test_an_environment_is_made_once_and_outputs_are_reused(
    synthesize: Synthesize, project: Project, installs: list[str]
) -> None:
    project.write("requirements.txt", OTHER)
    synthesize(None)
    synthesize(None)
    assert [len(one) for one in own_starts(project)] == [2]
    project.write("config/dev.yaml", "two\n")
    synthesize(None)
    assert installs == [OTHER]
    assert [len(one) for one in own_starts(project)] == [4]


def test_an_environment_that_was_not_finished_is_made_anew(
    synthesize: Synthesize, project: Project, installs: list[str]
) -> None:
    project.write("requirements.txt", OTHER)
    synthesize(None)
    (environment,) = (project.directory / ".sizewell" / "environments").glob("*/")
    (environment / ".ready").unlink()
    project.write("config/dev.yaml", "two\n")
    synthesize(None)
    assert installs == [OTHER, OTHER]


def test_the_environments_of_two_sides_are_kept(
    synthesize: Synthesize, project: Project, installs: list[str]
) -> None:
    for release in ("1.0", "1.1", "1.2"):
        project.write("requirements.txt", f"jinja2=={release}\n")
        synthesize(None, "dev")
    assert len(installs) == 3
    assert len(own_starts(project)) == 2


def test_what_cannot_be_installed_is_said_and_the_installed_packages_stand_in(
    synthesize: Synthesize, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(environment: Path, _requirements: Path) -> None:
        environment.mkdir()
        raise InstallationError("ERROR: No matching distribution found for jinja2==1.0")

    monkeypatch.setattr(environments, "install", install)
    project.write("requirements.txt", OTHER)
    side = synthesize(None, "dev")
    assert side.notes == (
        "worktree was synthesized with the packages that are installed, because those of its requirements.txt could not "
        f"be: {SAID}; ERROR: No matching distribution found for jinja2==1.0",
    )
    assert side.errors == {}
    assert len(starts(tmp_path)) == 1
    assert own_starts(project) == [], "nothing half-made is left"
    project.write("requirements.txt", INSTALLED)
    synthesize(None, "dev")
    assert len(starts(tmp_path)) == 2, "not taken for an output of the packages that were asked for"


def test_the_lock_comes_before_the_requirements() -> None:
    texts = {"requirements.lock": b"a==1\r\n", "requirements.txt": b"a>=1\n"}
    assert read_requirements(texts.get) == Requirements("requirements.lock", "a==1\n")
    del texts["requirements.lock"]
    assert read_requirements(texts.get) == Requirements("requirements.txt", "a>=1\n")
    assert read_requirements(lambda _: None) is None


@pytest.mark.parametrize(
    ("text", "unmet"),
    [
        ("jinja2>=3\n# jinja2==1.0\n\n", ()),
        (INSTALLED.replace("\n", " \\\n    --hash=sha256:0011\n"), ()),
        (OTHER.replace("\n", " \\\n    --hash=sha256:0011\n"), (SAID,)),
        ('jinja2==1.0 ; python_version < "3"\n', ()),
        ("--index-url https://example.com\n-r other.txt\n./here\n", ()),
        ("no-such-package==1.0  # why\n", ("no-such-package==1.0 (not installed)",)),
        (
            "jinja2 @ file:///elsewhere.whl\n",
            (f"jinja2 @ file:///elsewhere.whl ({version('jinja2')} is installed)",),
        ),
    ],
)
def test_what_is_installed_is_compared_with_what_is_required(text: str, unmet: tuple[str, ...]) -> None:
    assert Requirements("requirements.txt", text).unmet() == unmet
