"""``make audit``: a finding fails, and what could not be asked is said, with a program in the place of pip-audit."""

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools import audit

#: Answers from a table by package; what is not in it is clean. Writes down what it was asked.
PIP_AUDIT = """\
#!{python}
import json, pathlib, sys
here = pathlib.Path(__file__).parent
file = pathlib.Path(sys.argv[sys.argv.index("--requirement") + 1])
pins = [line.split("==") for line in file.read_text().splitlines()]
(here / "asked").open("a").write(json.dumps(pins) + "\\n")
error = here / "error"
if error.exists():
    sys.exit(error.read_text())
known = json.loads((here / "known").read_text())
answers = [{{"name": name, "version": version, "vulns": [], **known.get(name, known.get("*", {{}}))}} for name, version in pins]
print(json.dumps({{"dependencies": answers, "fixes": []}}))
sys.exit(any(answer["vulns"] for answer in answers))
"""
LOCKS = {
    "requirements.lock": "urllib3==2.8.0 \\\n    --hash=sha256:{0}\n",
    "requirements-dev.lock": (
        "numpy==2.4.6 ; python_full_version < '3.12' \\\n    --hash=sha256:{0}\n"
        "numpy==2.5.5 ; python_full_version >= '3.12' \\\n    --hash=sha256:{0} \\\n    --hash=sha256:{0}\n"
        "urllib3==2.8.0 \\\n    --hash=sha256:{0}\n"
    ),
}
FAULT = {
    "vulns": [{"id": "PYSEC-1", "aliases": ["GHSA-1", "CVE-1"], "fix_versions": ["2.9"], "description": "-"}]
}
UNKNOWN = {"skip_reason": "Dependency not found"}

Run = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    program = tmp_path / "pip-audit"
    program.write_text(PIP_AUDIT.format(python=sys.executable), "utf-8")
    program.chmod(stat.S_IRWXU)
    for name, text in LOCKS.items():
        (tmp_path / name).write_text(text.format("0" * 64), "utf-8")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(audit, "ROOT", tmp_path)

    def run(error: str = "", **known: Any) -> tuple[int, list[str]]:
        (tmp_path / "known").write_text(json.dumps(known), "utf-8")
        if error:
            (tmp_path / "error").write_text(error, "utf-8")
        code = audit.main()
        return code, capsys.readouterr().out.splitlines()

    return run


def test_every_version_of_every_lock_is_asked_for_once(run: Run, tmp_path: Path) -> None:
    assert run() == (0, ["3 of 3 packages audited, 0 known vulnerabilities"])
    asked = [json.loads(line) for line in (tmp_path / "asked").read_text().splitlines()]
    # pip-audit refuses a file with two versions of a package.
    assert asked == [[["numpy", "2.4.6"], ["urllib3", "2.8.0"]], [["numpy", "2.5.5"]]]


def test_a_vulnerability_fails_and_says_what_to_do(run: Run) -> None:
    code, lines = run(urllib3=FAULT)
    assert code == 1
    assert lines == [
        "urllib3 2.8.0 in requirements-dev.lock, requirements.lock: PYSEC-1, CVE-1, GHSA-1; fixed in 2.9",
        "Raise the range in pyproject.toml where it excludes the fixed version, then: make lock; make sbom",
        "3 of 3 packages audited, 1 known vulnerabilities",
    ]


def test_a_vulnerability_that_no_version_fixes(run: Run) -> None:
    (fault,) = FAULT["vulns"]
    code, lines = run(urllib3={"vulns": [{**fault, "fix_versions": []}]})
    assert code == 1
    assert lines[0].endswith(": PYSEC-1, CVE-1, GHSA-1; no version fixes it")


def test_a_package_that_the_service_does_not_know_is_not_clean(run: Run) -> None:
    code, lines = run(urllib3=UNKNOWN)
    assert code == 1
    assert lines == [
        "urllib3 2.8.0 in requirements-dev.lock, requirements.lock: the advisory service does not know it",
        "2 of 3 packages audited, 0 known vulnerabilities",
    ]


def test_a_service_that_knows_nothing_has_audited_nothing(run: Run) -> None:
    assert run(**{"*": UNKNOWN}) == (
        0,
        [
            "Skipped: the advisory service knows none of the 3 packages, so nothing was audited; is a mirror in its place?"
        ],
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            "Traceback:\nrequests.exceptions.ProxyError: HTTPSConnectionPool(host='x', port=443): Max retries\n",
            "requests.exceptions.ProxyError",
        ),
        (
            "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed\nERROR:pip_audit._cli:Tip: your network\n",
            "Could not connect to PyPI's vulnerability feed",
        ),
        (
            "requests.exceptions.HTTPError: 503\nThe above\npip_audit._service.interface.ServiceError\n",
            "pip_audit._service.interface.ServiceError",
        ),
    ],
)
def test_without_the_service_the_audit_is_skipped_in_words(run: Run, error: str, reason: str) -> None:
    code, (line,) = run(error)
    assert (code, line) == (
        0,
        f"Skipped: the advisory service cannot be reached, so nothing was audited ({reason})",
    )


def test_any_other_fault_of_the_tool_is_none_of_the_network(run: Run) -> None:
    with pytest.raises(SystemExit) as ended:
        run("ERROR: invalid requirements input\n")
    assert ended.value.code == "pip-audit failed:\nERROR: invalid requirements input\n\n"
