"""Tables on narrow terminals and in pipes: nothing that matters is cut."""

import io
import re
from collections.abc import Callable
from functools import partial

import pytest
from rich.console import Console

from sizewell.cli.console import MIN_WIDTH, PIPED_WIDTH, RANGE_WIDTH, open_console, print_lines
from sizewell.cli.explain_view import RUNNERS_UP, print_explanation
from sizewell.cli.explanation import explain_workload
from sizewell.cli.formats import usd
from sizewell.cli.plan_notes import HELD_NEVER_USED
from sizewell.cli.plan_view import print_plan
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import InstanceWorkloadPlan
from tests.cli.conftest import Sizewell
from tests.cli.explanations import lock, prod
from tests.instance_selection.candidates import selection, serving
from tests.synthesis import PROJECT_ROOT

PROD = ("--env", "prod", "--config", str(PROJECT_ROOT / "config"))


@pytest.fixture(scope="module")
def plan() -> DeploymentPlan:
    return prod()[1]


def printed(write: Callable[[Console], None], width: int) -> str:
    console = Console(
        file=io.StringIO(), width=width, force_terminal=True, color_system=None, highlight=False
    )
    write(console)
    assert isinstance(console.file, io.StringIO)
    text = re.sub("\x1b.*?m", "", console.file.getvalue())
    assert all(len(line) <= width for line in text.splitlines())
    return text


def with_endpoints(plan: DeploymentPlan, *endpoints: EndpointPlan) -> DeploymentPlan:
    """Return a plan with other endpoints, which cost what the first ones did."""
    lines = (*plan.bill.lines[: len(endpoints)], *plan.bill.lines[len(plan.endpoints) :])
    bill = plan.bill.model_copy(update={"lines": lines})
    return plan.model_copy(update={"workloads": (*endpoints, *plan.of(TrainingJobPlan)), "bill": bill})


@pytest.mark.parametrize("width", [80, 99, 100, 110, 140])
def test_plan_cuts_no_name_type_or_price(plan: DeploymentPlan, width: int) -> None:
    text = printed(lambda console: print_plan(plan, console), width)
    assert "…" not in text
    types = {workload.name: [workload.selection.chosen.instance_type] for workload in plan.on_instances}
    for paid in plan.bill.lines:
        (row,) = (line.split() for line in text.splitlines() if line.split()[:1] == [paid.workload])
        assert row[1:-2][:1] == types.get(paid.workload, [])
        assert row[-2:] == [paid.basis, usd(paid.usd_per_month)]
    assert ("used" in text) is (width >= 100)
    assert (f"range: {HELD_NEVER_USED} of published results" in text) is (width >= RANGE_WIDTH)


@pytest.mark.parametrize("width", [80, 112])
@pytest.mark.parametrize("locked", [True, False])
def test_at_most_five_lines_stand_below_the_table_and_the_rest_is_asked_for(
    plan: DeploymentPlan, width: int, locked: bool
) -> None:
    # Every workload near a limit, and without a known price: names are counted rather than broken into lines.
    near = tuple(
        w.model_copy(
            update={
                "selection": selection(serving("ml.m5.xlarge", 10, 90, near_limits=("latency",))),
                "lock": w.lock if locked else lock("infeasible", "ml.c5.xlarge", "ml.m5.xlarge"),
            }
        )
        for w in plan.endpoints
    )
    text = printed(lambda console: print_plan(with_endpoints(plan, *near), console), width)
    below = text[text.index("\n  total") :].splitlines()[3:]
    assert 3 <= len(below) <= 5
    assert below[0].startswith("Budget: 8,000 USD per month; the total takes 47%")
    to_do = "take a newer image for plant-id; name the zones; check 12 quotas."
    assert f"To do: {'' if locked else 'run sizewell lock; '}{to_do}" in " ".join(below)
    assert below[-1].endswith("More: sizewell plan --env prod --details")
    told = printed(lambda console: print_plan(with_endpoints(plan, *near), console, details=True), width)
    assert told.startswith(text[: text.index("\n  total")])
    assert "Fixed costs, whatever the load" in told
    assert "Fixed costs" not in text


@pytest.mark.parametrize("width", [80, 99, 100, 110, 140])
def test_explanation_keeps_ranks_types_and_prices(plan: DeploymentPlan, width: int) -> None:
    for workload in plan.workloads:
        assert isinstance(workload, InstanceWorkloadPlan)
        told = explain_workload(workload, prod()[0])
        text = printed(partial(print_explanation, told), width)
        assert "…" not in text
        rows = [line.split() for line in text.splitlines() if re.match(r" +[1-9] +ml\.", line)]
        candidates = (workload.selection.chosen, *workload.selection.runners_up)[: RUNNERS_UP + 1]
        assert [row[:2] for row in rows] == [
            [str(rank), candidate.instance_type] for rank, candidate in enumerate(candidates, 1)
        ]
        assert ("USD/hour" in text) is (width >= 100)
        assert (" range " in text) is (width >= RANGE_WIDTH)


def test_plan_marks_what_is_near_a_limit_measured_and_not_as_locked(plan: DeploymentPlan) -> None:
    pick = selection(
        serving("ml.m5.xlarge", 10, 90, near_limits=("latency", "memory"), latency_range_ms=(60, 140))
    )
    measured = selection(serving("ml.m5.xlarge", 10, 90, measured=("latency",)))
    first, second = plan.endpoints[:2]
    endpoints = (
        first.model_copy(
            update={"selection": pick, "lock": lock("infeasible", "ml.c5.xlarge", "ml.m5.xlarge")}
        ),
        second.model_copy(
            update={"selection": measured, "lock": lock("locked", "ml.m5.xlarge", "ml.c5.xlarge")}
        ),
    )
    changed = with_endpoints(plan, *endpoints)
    text = printed(lambda console: print_plan(changed, console, details=True), 140)
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines() if " p95 " in line}
    assert "p95 90 ms 60-140 ms 50% not usable published" in rows[first.name]
    assert "p95 90 ms measured 50% kept published" in rows[second.name]
    assert f"Near a limit: {first.name} (latency, memory)." in text
    assert f"Measured: {second.name} (latency)." in text
    assert "lock" not in printed(lambda console: print_plan(plan, console), 140).split()


@pytest.mark.parametrize("width", [80, 100, 112])
def test_the_longest_name_stands_whole_above_the_longest_type(plan: DeploymentPlan, width: int) -> None:
    endpoint = plan.endpoints[0]
    chosen = endpoint.selection.chosen.model_copy(update={"instance_type": "ml.p6-b300.48xlarge"})
    selection = endpoint.selection.model_copy(update={"chosen": chosen})
    long = endpoint.model_copy(
        update={"name": "twenty-six-letters-as-here", "place": "fourteencharss", "selection": selection}
    )
    text = printed(lambda console: print_plan(with_endpoints(plan, long), console), width)
    name = "  twenty-six-letters-as-here\n    in fourteencharss\n    ml.p6-b300.48xlarge "
    assert name in re.sub(" +\n", "\n", text)
    (row,) = (line for line in text.splitlines() if "ml.p6-b300.48xlarge" in line)
    assert row.split()[-1] == usd(plan.bill.lines[0].usd_per_month)
    assert "…" not in text


def test_sentences_break_below_their_own_beginning() -> None:
    text = printed(lambda console: print_lines(console, ["many words [and brackets] " * 9], "Why"), 80)
    title, *lines = text.splitlines()
    assert title == "Why"
    assert len(lines) > 1
    assert all(line.startswith("  ") for line in lines)


@pytest.mark.parametrize("arguments", [("plan",), ("explain", "support-bert")], ids=" ".join)
def test_piped_lines_have_no_trailing_blanks(sizewell: Sizewell, arguments: tuple[str, ...]) -> None:
    result = sizewell(*arguments, *PROD)
    assert result.exit_code == 0
    assert "USD/month" in result.stdout
    assert [line for line in result.stdout.splitlines() if line != line.rstrip()] == []


@pytest.mark.parametrize(("columns", "width"), [("40", MIN_WIDTH), ("120", 120)])
def test_terminal_has_its_own_width_but_not_less_than_a_table_needs(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", columns)
    with open_console() as console:
        assert console.width == width


def test_pipe_is_wide_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    with open_console() as console:
        assert console.width == PIPED_WIDTH


def test_text_between_colons_is_no_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    with open_console() as console:
        console.print("model:key:value")
    assert capsys.readouterr().out == "model:key:value\n"
