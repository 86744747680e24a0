"""Ask for known vulnerabilities of every locked package: ``python -m tools.audit``, or ``make audit``.

pip-audit asks the advisory service. It calls a package that the service does not know clean, ends with a stack trace where there
is no network, and leaves out what a marker excludes on this machine. None of these is an answer, so this says which it was.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.lock_files import ROOT, read_pins

_Package = tuple[str, str]
#: What pip-audit 2.10 raises for a service that does not answer: ``pip_audit/_service/pypi.py``.
_UNREACHABLE = re.compile(
    r"requests\.exceptions\.\w+|Could not connect to .*|PyPI is not redirecting properly|pip_audit\S+ServiceError.*"
)
_WHAT_TO_DO = (
    "Raise the range in pyproject.toml where it excludes the fixed version, then: make lock; make sbom"
)


class UnreachableError(Exception):
    """The advisory service did not answer."""


@dataclass(frozen=True)
class Answers:
    """What the service said."""

    findings: Sequence[tuple[_Package, str]]
    """A package and the sentence about one vulnerability."""
    unknown: Sequence[_Package]
    """Packages that the service does not know."""


def main() -> int:
    """Print what was found; return 1 for a vulnerability or a package that the service does not know, else 0.

    Also 0 when the service does not answer: a change is not to blame for that.
    """
    locks = locked_packages(sorted(ROOT.glob("requirements*.lock")))
    try:
        answers = ask(list(locks))
    except UnreachableError as error:
        print(f"Skipped: the advisory service cannot be reached, so nothing was audited ({error})")
        return 0
    if len(answers.unknown) == len(locks):
        print(
            f"Skipped: the advisory service knows none of the {len(locks)} packages, so nothing was audited; "
            "is a mirror in its place?"
        )
        return 0
    for (name, version), sentence in answers.findings:
        print(f"{name} {version} in {', '.join(locks[name, version])}: {sentence}")
    for name, version in answers.unknown:
        print(f"{name} {version} in {', '.join(locks[name, version])}: the advisory service does not know it")
    if answers.findings:
        print(_WHAT_TO_DO)
    print(
        f"{len(locks) - len(answers.unknown)} of {len(locks)} packages audited, {len(answers.findings)} known vulnerabilities"
    )
    return 1 if answers.findings or answers.unknown else 0


def locked_packages(locks: Sequence[Path]) -> Mapping[_Package, Sequence[str]]:
    """Return each locked version of a package with the names of the lock files that have it, for every Python and system."""
    found: dict[_Package, list[str]] = {}
    for lock in locks:
        for pin in read_pins(lock):
            found.setdefault((pin.name, pin.version), []).append(lock.name)
    return dict(sorted(found.items()))


def ask(packages: Sequence[_Package]) -> Answers:
    """Ask the service about packages; raise ``UnreachableError`` when it does not answer."""
    findings: list[tuple[_Package, str]] = []
    unknown: list[_Package] = []
    for group in _without_repetition(packages):
        for package, answer in zip(group, _report(group), strict=True):
            if "skip_reason" in answer:
                unknown.append(package)
            findings += [(package, _sentence(vulnerability)) for vulnerability in answer.get("vulns", ())]
    return Answers(findings, unknown)


def _without_repetition(packages: Sequence[_Package]) -> Iterator[Sequence[_Package]]:
    """Yield groups in which no package has two versions: pip-audit refuses those."""
    rest = list(packages)
    while rest:
        group = dict(reversed(rest))
        rest = [package for package in rest if group[package[0]] != package[1]]
        yield sorted(group.items())


def _report(packages: Sequence[_Package]) -> Sequence[Mapping[str, Any]]:
    """Return pip-audit's answers about packages, in their order."""
    with TemporaryDirectory() as directory:
        file = Path(directory) / "requirements.txt"
        file.write_text("".join(f"{name}=={version}\n" for name, version in packages), "utf-8")
        options = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json")
        result = subprocess.run(
            ["pip-audit", "--requirement", str(file), *options],
            capture_output=True,
            text=True,
            check=False,
        )
    if result.stdout:
        answers = {answer["name"]: answer for answer in json.loads(result.stdout)["dependencies"]}
        return [answers[name] for name, _ in packages]
    if reasons := _UNREACHABLE.findall(result.stderr):
        raise UnreachableError(reasons[-1].strip())
    sys.exit(f"pip-audit failed:\n{result.stderr}")


def _sentence(vulnerability: Mapping[str, Any]) -> str:
    names = ", ".join([vulnerability["id"], *sorted(vulnerability["aliases"])])
    fixed = ", ".join(vulnerability["fix_versions"])
    return f"{names}; {f'fixed in {fixed}' if fixed else 'no version fixes it'}"


if __name__ == "__main__":
    sys.exit(main())
