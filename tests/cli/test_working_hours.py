"""What `sizewell plan` says of an environment whose people do not work at all hours."""

import shutil
from pathlib import Path

import pytest

from sizewell.planning import load_plan
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

EXAMPLES = PROJECT_ROOT / "examples"
HOURS = 'policy:\n  working_hours: {start: "07:00", end: "20:00", time_zone: Europe/Berlin}\n'


@pytest.fixture
def at_work(tmp_path: Path) -> Path:
    """Return the components of an example with working hours, and a real-time endpoint beside them."""
    directory = tmp_path / "config"
    shutil.copytree(EXAMPLES / "inference-component-endpoint" / "config", directory)
    other = (EXAMPLES / "real-time-endpoint" / "config" / "base.yaml").read_text("utf-8")
    with (directory / "base.yaml").open("a", encoding="utf-8") as base:
        base.write(other.partition("workloads:\n")[2])
    dev = directory / "dev.yaml"
    stated = dev.read_text("utf-8").replace("budget_usd_per_month: 2500", "budget_usd_per_month: 9000")
    dev.write_text(stated.replace("policy:\n", HOURS, 1), "utf-8")
    return directory


def test_the_month_stands_beside_one_at_all_hours(sizewell: Sizewell, at_work: Path, tmp_path: Path) -> None:
    at_all_hours = tmp_path / "all"
    shutil.copytree(at_work, at_all_hours)
    dev = at_all_hours / "dev.yaml"
    dev.write_text(dev.read_text("utf-8").replace(HOURS, "policy:\n", 1), "utf-8")
    whole = load_plan(at_all_hours, "dev").bill.usd_per_month

    shown = sizewell("plan", "--env", "dev", "--config", str(at_work)).stdout
    assert (
        f"Working hours: desk stops outside of them; the total would be {whole:,.0f} at all hours." in shown
    )


def test_details_say_what_does_not_stop_and_why(sizewell: Sizewell, at_work: Path) -> None:
    shown = sizewell("plan", "--env", "dev", "--config", str(at_work), "--details").stdout
    assert (
        "People work MON, TUE, WED, THU, FRI from 07:00 to 20:00 Europe/Berlin: 65 of 168 hours a week."
        in shown
    )
    assert (
        "At all hours: rank-products, label-photos (only endpoints of inference components, and asynchronous ones, scale to "
        "zero: serve inference components, or asynchronously)." in shown
    )
