"""Measure what a review says against what it should say: ``python -m tools.benchmarks.reviews``."""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from sizewell.review.compare import compare_outputs
from sizewell.review.saved.reading import OutputReader
from tools.benchmarks.review_cases import alarms, endpoints, foundation, permissions, same, training
from tools.benchmarks.review_cases.case import ConfigCase, Output, TemplateCase
from tools.benchmarks.review_cases.configurations import AS_IT_IS, write_configuration
from tools.benchmarks.review_cases.configurations import CASES as CONFIG_CASES
from tools.benchmarks.review_cases.statements import Statements, statements

ENVIRONMENT = "prod"
PREFIX = "demo-prod"
TEMPLATE_CASES: tuple[TemplateCase, ...] = (
    *same.CASES,
    *endpoints.CASES,
    *alarms.CASES,
    *permissions.CASES,
    *foundation.CASES,
    *training.CASES,
)
PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Result:
    """What was said of a case, and what should have been."""

    name: str
    said: Statements
    expected: Statements

    @property
    def missed(self) -> list[str]:
        """What was not said."""
        return sorted(self.expected - self.said)

    @property
    def invented(self) -> list[str]:
        """What should not have been said."""
        return sorted(self.said - self.expected)


def judge_template(case: TemplateCase, base: Path, directory: Path) -> Result:
    """Apply a change to a copy of an output and review it."""
    head = directory / "head" / ENVIRONMENT
    shutil.copytree(base, head)
    case.change(Output(head, PREFIX))
    return Result(case.name, _said(base, head), case.says)


def judge_config(case: ConfigCase, base: Path, head: Path) -> Result:
    """Review the synthesized output of a changed configuration."""
    return Result(case.name, _said(base, head), case.says)


def synthesize(configurations: Iterable[tuple[Path, Path]]) -> None:
    """Synthesize configurations, each given with its output, in one process."""
    pairs = [f"{output}={directory}" for output, directory in configurations]
    program = [sys.executable, "-O", "-m", "tools.benchmarks.review_cases.synth", ENVIRONMENT, *pairs]
    ended = subprocess.run(program, cwd=PROJECT, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr)


def synthesize_cases(cases: Sequence[ConfigCase], directory: Path) -> dict[str, Path]:
    """Return the outputs of the cases by name, and of the configuration as it is under the empty name."""
    outputs: dict[str, Path] = {}
    places = []
    for number, case in enumerate((AS_IT_IS, *cases)):
        configuration = directory / f"config-{number}"
        write_configuration(case, configuration)
        outputs[case.name] = directory / f"output-{number}" / ENVIRONMENT
        places.append((outputs[case.name], configuration))
    synthesize(places)
    return outputs


def _said(base: Path, head: Path) -> Statements:
    reader = OutputReader()
    return statements(compare_outputs(reader.read(base.parent, "base"), reader.read(head.parent, "head")))


def judge_all(directory: Path) -> list[Result]:
    """Return the results of all cases."""
    outputs = synthesize_cases(CONFIG_CASES, directory)
    results = []
    for number, case in enumerate(TEMPLATE_CASES):
        results.append(judge_template(case, outputs[""], directory / f"template-{number}"))
    results += [judge_config(case, outputs[""], outputs[case.name]) for case in CONFIG_CASES]
    return results


def main() -> int:
    """Judge every case, print what is wrong, and precision and recall; the exit code is 1 when they are not perfect."""
    with TemporaryDirectory() as directory:
        results = judge_all(Path(directory))
    console = Console()
    for result in results:
        for words, lines in (("missed", result.missed), ("invented", result.invented)):
            for line in lines:
                console.print(f"{result.name}: {words}: {line}", markup=False, highlight=False)
    said = sum(len(result.said) for result in results)
    expected = sum(len(result.expected) for result in results)
    right = sum(len(result.said & result.expected) for result in results)
    table = Table("cases", "that change nothing", "statements", "precision", "recall", "exact")
    exact = sum(result.said == result.expected for result in results)
    silent = sum(not result.expected for result in results)
    table.add_row(
        str(len(results)),
        str(silent),
        str(expected),
        f"{right / said:.3f}",
        f"{right / expected:.3f}",
        str(exact),
    )
    console.print(table)
    return int(exact < len(results))


if __name__ == "__main__":
    sys.exit(main())
