"""``sizewell init --source``: what a platform installs sizewell from, on other machines and in CI as well."""

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

WHEEL = f"sizewell-{version('sizewell')}-py3-none-any.whl"
LOCAL_CLOUD = f"sizewell_localcloud-{version('sizewell')}-py3-none-any.whl"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def installed_from(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, object] | None], None]:
    """Return a function that sets what pip wrote about the origin of sizewell."""

    def install(origin: dict[str, object] | None) -> None:
        directory = place / "site" / f"sizewell-{version('sizewell')}.dist-info"
        directory.mkdir(parents=True)
        (directory / "METADATA").write_text(f"Name: sizewell\nVersion: {version('sizewell')}\n", "utf-8")
        if origin is not None:
            (directory / "direct_url.json").write_text(json.dumps(origin), "utf-8")
        monkeypatch.syspath_prepend(place / "site")

    return install


def required(platform: Path) -> tuple[str, str]:
    """Return where a platform takes sizewell from, and the local cloud."""
    first, second = (
        next(line for line in (platform / name).read_text("utf-8").splitlines() if line[:1] not in ("", "#"))
        for name in ("requirements.txt", "requirements-local-cloud.txt")
    )
    return first, second


def test_a_checkout_becomes_two_wheels_in_the_platform(sizewell: Sizewell, place: Path) -> None:
    result = sizewell("init", "demo", "--source", str(PROJECT_ROOT))
    assert (result.exit_code, result.stderr) == (0, "")
    assert {f"demo/vendor/{wheel}: written" for wheel in (WHEEL, LOCAL_CLOUD)} <= set(
        result.stdout.splitlines()
    )
    assert required(place / "demo") == (f"./vendor/{WHEEL}", f"./vendor/{LOCAL_CLOUD}")
    with ZipFile(place / "demo" / "vendor" / WHEEL) as wheel:
        assert wheel.read("sizewell/cli/main.py") == (PROJECT_ROOT / "sizewell/cli/main.py").read_bytes()
    with ZipFile(place / "demo" / "vendor" / LOCAL_CLOUD) as wheel:
        assert "sizewell_localcloud/__main__.py" in wheel.namelist()
    assert "vendor" not in (place / "demo" / ".gitignore").read_text("utf-8")
    again = sizewell("init", "demo", "--source", str(PROJECT_ROOT)).stdout
    assert {f"demo/vendor/{wheel}: is there already" for wheel in (WHEEL, LOCAL_CLOUD)} <= set(
        again.splitlines()
    )


@pytest.mark.parametrize(
    ("origin", "requirement", "local_cloud"),
    [
        (None, f"sizewell=={version('sizewell')}", f"sizewell-localcloud=={version('sizewell')}"),
        (
            {
                "url": "https://example.com/a/sizewell",
                "vcs_info": {"vcs": "git", "commit_id": COMMIT, "requested_revision": "main"},
            },
            f"sizewell @ git+https://example.com/a/sizewell@{COMMIT}",
            f"sizewell-localcloud @ git+https://example.com/a/sizewell@{COMMIT}#subdirectory=tools/localcloud",
        ),
        (
            {
                "url": "ssh://git@example.com/a/mono",
                "vcs_info": {"vcs": "git", "commit_id": COMMIT},
                "subdirectory": "sizewell",
            },
            f"sizewell @ git+ssh://git@example.com/a/mono@{COMMIT}#subdirectory=sizewell",
            f"sizewell-localcloud @ git+ssh://git@example.com/a/mono@{COMMIT}#subdirectory=sizewell/tools/localcloud",
        ),
        (
            {"url": f"https://example.com/{WHEEL}", "archive_info": {"hashes": {"sha256": "00"}}},
            f"sizewell @ https://example.com/{WHEEL}",
            f"sizewell-localcloud @ https://example.com/{LOCAL_CLOUD}",
        ),
    ],
)
def test_without_a_source_a_platform_takes_what_runs_from_where_it_came(
    sizewell: Sizewell,
    place: Path,
    installed_from: Callable[[dict[str, object] | None], None],
    origin: dict[str, object] | None,
    requirement: str,
    local_cloud: str,
) -> None:
    installed_from(origin)
    assert sizewell("init", "demo").exit_code == 0
    assert required(place / "demo") == (requirement, local_cloud)
    assert not (place / "demo" / "vendor").exists()


def test_a_wheel_of_this_machine_is_copied_with_the_one_beside_it(
    sizewell: Sizewell, place: Path, installed_from: Callable[[dict[str, object] | None], None]
) -> None:
    wheel = place / "größe 1" / WHEEL
    wheel.parent.mkdir()
    wheel.write_bytes(b"whatever it holds")
    installed_from({"url": wheel.as_uri(), "archive_info": {}})
    alone = sizewell("init", "demo")
    beside = wheel.with_name(LOCAL_CLOUD)
    missed = f"{beside} is not there: put it into vendor/ before you run make deploy-local\n"
    assert (alone.exit_code, alone.stderr) == (0, missed)
    assert required(place / "demo") == (f"./vendor/{WHEEL}", f"./vendor/{LOCAL_CLOUD}")
    beside.write_bytes(b"a local cloud")
    assert (place / "demo" / "vendor" / WHEEL).read_bytes() == b"whatever it holds"
    assert sizewell("init", "other", "--source", f"größe 1/{WHEEL}").exit_code == 0
    assert (place / "other" / "vendor" / WHEEL).read_bytes() == b"whatever it holds"
    assert (place / "other" / "vendor" / LOCAL_CLOUD).read_bytes() == b"a local cloud"


def test_an_origin_that_is_gone_is_said_with_what_to_do(
    sizewell: Sizewell, place: Path, installed_from: Callable[[dict[str, object] | None], None]
) -> None:
    installed_from({"url": (place / "gone").as_uri(), "dir_info": {}})
    result = sizewell("init", "demo")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{place / 'gone'}: there is no such directory or file\n")
    assert "sizewell was installed from there; with --source name a checkout" in result.stderr
    assert not (place / "demo").exists()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("nowhere", "nowhere: there is no such directory or file"),
        ("git@example.com:a/sizewell.git", "there is no such directory or file"),
        (".", ".: this is no checkout of sizewell"),
        ("other", "other: this is no checkout of sizewell"),
        ("pytest-9.2-py3-none-any.whl", "this is no wheel of sizewell"),
        ("notes.txt", "this is no wheel of sizewell"),
        ("https://example.com/a b\nc", "name a checkout of sizewell"),
    ],
)
def test_what_is_no_source_is_refused(sizewell: Sizewell, place: Path, source: str, reason: str) -> None:
    for file in ("pytest-9.2-py3-none-any.whl", "notes.txt"):
        (place / file).write_text("", "utf-8")
    (place / "other").mkdir()
    (place / "other" / "pyproject.toml").write_text('[project]\nname = "other"\n', "utf-8")
    result = sizewell("init", "demo", "--source", source)
    assert (result.exit_code, result.stdout) == (1, "")
    assert reason in result.stderr
    assert "such as git+https://HOST/REPOSITORY@REF" in result.stderr
    assert not (place / "demo").exists()
