"""Do the tests of a package notice a random fault in it? Each fault is made in a copy of the checkout, whose tests then run.

    python -m tools.benchmarks.random_mutations sizewell/instance_selection tests/instance_selection --cases 40 --seed 1

A fault is one operator, word or number that is another one. Those that no test notices are printed. Some of them change nothing
that anybody could see, such as a bound that is never met exactly.
"""

import argparse
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
#: What becomes of a token; numbers become the next one.
OTHERS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "continue": "break",
}
_LEFT_OUT = (".git", ".venv*", ".localcloud", "__pycache__", "build", "cdk.out*", "site", "node_modules")
TIMEOUT_S = 600


@dataclass(frozen=True)
class Fault:
    """One token of a file that is another one."""

    file: Path
    line: int
    column: int
    token: str
    becomes: str

    def made_in(self, text: str) -> str:
        """Return the text of the file with the fault."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        end = self.column + len(self.token)
        lines[self.line - 1] = line[: self.column] + self.becomes + line[end:]
        return "".join(lines)


def faults(file: Path, text: str) -> Iterator[Fault]:
    """Yield every fault that may be made in a file."""
    is_signature = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        # A star or a sign in a signature or a call means something else.
        if token.type == tokenize.NAME and token.string in ("def", "import"):
            is_signature = True
        if token.type == tokenize.NEWLINE:
            is_signature = False
        becomes = OTHERS.get(token.string)
        if token.type == tokenize.NUMBER and token.string.isdigit():
            becomes = str(int(token.string) + 1)
        if token.string == "*" and token.line[token.start[1] - 1 : token.start[1]] != " ":
            becomes = None
        if becomes is not None and not is_signature:
            yield Fault(file, *token.start, token.string, becomes)


def is_noticed(copy: Path, tests: list[str]) -> bool:
    """Return whether a test fails in a copy; one that does not end is a failure as well."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-p", "no:cacheprovider", *tests]
    paths = os.pathsep.join([str(copy), str(copy / "tools" / "localcloud")])
    try:
        ended = subprocess.run(
            command,
            cwd=copy,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode != 0


def main() -> None:
    """Make the faults one by one, print those that nobody notices, and how many there were."""
    options = _options()
    chance = random.Random(options.seed)
    files = sorted((PROJECT_ROOT / options.package).rglob("*.py"))
    possible = [fault for file in files for fault in faults(file, file.read_text("utf-8"))]
    chosen = chance.sample(possible, min(options.cases, len(possible)))
    noticed = 0
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name, "copy")
        shutil.copytree(PROJECT_ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
        if is_noticed(copy, options.tests):
            sys.exit("the tests fail without a fault")
        for fault in chosen:
            place = copy / fault.file.relative_to(PROJECT_ROOT)
            text = place.read_text("utf-8")
            place.write_text(fault.made_in(text), "utf-8")
            try:
                if is_noticed(copy, options.tests):
                    noticed += 1
                    continue
            finally:
                place.write_text(text, "utf-8")
            where = f"{fault.file.relative_to(PROJECT_ROOT)}:{fault.line}:{fault.column + 1}"
            print(f"{where}: nobody notices {fault.becomes} in place of {fault.token}", flush=True)
    print(f"seed {options.seed}: {noticed} of {len(chosen)} faults noticed, of {len(possible)} possible")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
