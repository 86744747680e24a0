"""Each side is synthesized with the packages that it requires: an upgrade shows what the new release does."""

import shutil
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import pytest

from sizewell.synthesis import environments
from sizewell.synthesis.environments import InstallationError, Requirements, read_requirements
from tests.synthesis_of_refs.conftest import Synthesize
from tests.synthesis_of_refs.projects import Project, make_tools, starts
from tests.synthesis_of_refs.test_installed import install as install_distribution

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


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of installed distributions, before those of the tests."""
    directory = tmp_path / "site-packages"
    directory.mkdir()
    monkeypatch.syspath_prepend(directory)
    return directory


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


@pytest.mark.parametrize(
    ("wanted", "is_met"),
    [
        ("demo @ git+https://example.com/demo@0123abcd", True),
        ("demo @ git+https://example.com/demo@main", True),
        ("demo[extra] @ git+https://example.com/demo@0123abcd", True),
        ("demo @ git+https://example.com/demo@4567cdef", False),
        ("demo @ git+https://example.com/other@0123abcd", False),
        ("demo @ https://example.com/demo", False),
    ],
)
def test_a_repository_is_installed_where_its_commit_or_its_ref_is(
    site: Path, wanted: str, is_met: bool
) -> None:
    commit = {"vcs": "git", "commit_id": "0123abcd", "requested_revision": "main"}
    install_distribution(site, "demo", "1.0", url={"url": "https://example.com/demo", "vcs_info": commit})
    assert Requirements("requirements.txt", f"{wanted}\n").unmet() == (
        () if is_met else (f"{wanted} (1.0 is installed)",)
    )


def test_a_wheel_of_the_project_is_installed_where_its_content_is(site: Path) -> None:
    def unmet(text: str, **wheels: bytes) -> tuple[str, ...]:
        files = {"requirements.txt": text.encode(), **{f"vendor/{k}.whl": v for k, v in wheels.items()}}
        requirements = read_requirements(files.get)
        assert requirements is not None
        return requirements.unmet()

    name = "demo-1.0-py3-none-any"
    line = f"./vendor/{name}.whl"
    assert unmet(f"{line}\n", **{name: b"a"}) == (f"{line} (not installed)",)
    archive = {"hashes": {"sha256": sha256(b"a").hexdigest()}}
    install_distribution(site, "demo", "1.0", url={"url": "file:///demo.whl", "archive_info": archive})
    assert unmet(f"{line}\n", **{name: b"a"}) == ()
    assert unmet(f"# why\n{line}[extra]  # why\n", **{name: b"a"}) == ()
    assert unmet(f"{line}\n", **{name: b"b"}) == (f"{line} (another build of 1.0 is installed)",)
    other = "./vendor/demo-1.1-py3-none-any.whl"
    assert unmet(f"{other}\n", **{"demo-1.1-py3-none-any": b"a"}) == (f"{other} (1.0 is installed)",)
    # What is not there, pip will say.
    assert unmet(f"{other}\n") == ()


def test_the_content_of_a_wheel_tells_environments_apart() -> None:
    texts = {"requirements.txt": b"./vendor/demo-1.0-py3-none-any.whl\n"}
    digests = set()
    for content in (b"a", b"b"):
        requirements = read_requirements({**texts, "vendor/demo-1.0-py3-none-any.whl": content}.get)
        assert requirements is not None
        digests.add(requirements.digest)
    assert len(digests) == 2
