"""The decisions for a notebook: the cheapest type, when it is stopped, what is paid, and where it is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from sizewell.config.rules import check_rules
from sizewell.facts.cron import cron_fault
from sizewell.instance_selection import Catalog, NoFeasibleInstanceError, Usage
from sizewell.instance_selection.catalog import PriceRow
from sizewell.kinds.notebook.bill import notebook_line
from sizewell.kinds.notebook.config import Notebook
from sizewell.kinds.notebook.plan import plan_notebook
from sizewell.kinds.notebook.plan_model import NotebookPlan
from sizewell.planning.infeasible import no_feasible_fault
from sizewell.planning.interface_endpoints import plan_interface_endpoints
from sizewell.planning.lock import locked_workload
from tests.instance_selection.builders import cpu_instance, gpu_instance
from tests.planning.builders import NAMES, as_stated, environment, policy, training_job

NOTEBOOK = frozenset({Usage.NOTEBOOK})
TYPES = (
    cpu_instance("ml.c9.large", usages=NOTEBOOK, vcpus=2, memory_gib=4.0),
    cpu_instance("ml.m9.large", usages=NOTEBOOK, vcpus=2, memory_gib=8.0),
    cpu_instance("ml.t9.large", usages=NOTEBOOK, vcpus=2, memory_gib=8.0, burstable=True),
    gpu_instance("ml.g9.xlarge", usages=NOTEBOOK),
    cpu_instance("ml.x9.large", usages=frozenset({Usage.TRAINING})),
    cpu_instance("ml.z9.large", usages=NOTEBOOK),
)
USD = {"ml.c9.large": 0.08, "ml.m9.large": 0.1, "ml.t9.large": 0.09, "ml.g9.xlarge": 1.0}
CATALOG = Catalog(
    "us-east-1",
    TYPES,
    prices=[PriceRow(name, "processing", usd, "price-list", "2026-01-31") for name, usd in USD.items()],
    listed={name: frozenset({"processing"}) for name in (*USD, "ml.x9.large")},
)
HOURS = {"start": "08:00", "end": "18:00", "time_zone": "Europe/Berlin"}


def notebook(**changes: Any) -> Notebook:
    return Notebook.model_validate({"kind": "notebook", "working_hours": HOURS, **changes})


def planned(**changes: Any) -> NotebookPlan:
    return plan_notebook(as_stated("explore", notebook(**changes), policy(), CATALOG))


@pytest.mark.parametrize(
    ("needs", "pick"),
    [
        ({}, "ml.c9.large"),
        ({"memory_gib": 8}, "ml.m9.large"),
        ({"accelerators": 1}, "ml.g9.xlarge"),
        ({"instances": {"instance_type": "ml.m9.large"}}, "ml.m9.large"),
    ],
)
def test_the_cheapest_type_that_has_what_is_asked_for(needs: dict[str, Any], pick: str) -> None:
    plan = planned(**needs)
    assert (plan.instance_type, plan.instance_pools) == (pick, (pick,))
    # A price of another usage, and an offer that no list tells of: both are said.
    assert "price of processing" in plan.selection.chosen.cost.note
    assert plan.selection.assumptions[1].endswith("no list says so for notebook")


def test_a_burstable_type_is_for_environments_that_allow_it() -> None:
    lax = plan_notebook(as_stated("explore", notebook(memory_gib=8), policy(allow_burstable=True), CATALOG))
    assert lax.instance_type == "ml.t9.large"


def test_what_nothing_has_is_told_at_its_key() -> None:
    wanted = notebook(memory_gib=900)
    with pytest.raises(NoFeasibleInstanceError) as error:
        plan_notebook(as_stated("explore", wanted, policy(), CATALOG))
    fault = no_feasible_fault("explore", wanted, error.value)
    assert fault.key_path == ("workloads", "explore", "memory_gib")
    rejected = {one.instance_type: one.filter for one in error.value.rejected}
    assert rejected == {
        **dict.fromkeys(("ml.c9.large", "ml.m9.large", "ml.g9.xlarge"), "memory"),
        "ml.t9.large": "policy",
        "ml.x9.large": "use",
        "ml.z9.large": "region",
    }


@pytest.mark.parametrize(
    ("hours", "stops"),
    [
        ({}, ["cron(0 0-7,18-23 ? * MON,TUE,WED,THU,FRI *)", "cron(0 * ? * SAT,SUN *)"]),
        # Between 18:30 and 08:15 the last whole hour after 18:30 is 07:30.
        (
            {"start": "08:15", "end": "18:30", "weekdays": ["TUE"]},
            ["cron(30 0-7,18-23 ? * TUE *)", "cron(30 * ? * MON,WED,THU,FRI,SAT,SUN *)"],
        ),
        # At 08:10 it may run already.
        ({"start": "08:10", "end": "18:10"}, ["cron(10 0-7,18-23 ? * MON,TUE,WED,THU,FRI *)"]),
        ({"start": "08:11", "end": "18:10"}, ["cron(10 0-8,18-23 ? * MON,TUE,WED,THU,FRI *)"]),
        ({"start": "00:00", "end": "23:59"}, ["cron(59 23-23 ? * MON,TUE,WED,THU,FRI *)"]),
    ],
)
def test_it_is_stopped_every_hour_outside_of_its_working_hours(
    hours: dict[str, Any], stops: list[str]
) -> None:
    found = [one.expression for one in planned(working_hours=HOURS | hours).stops]
    assert found[: len(stops)] == stops
    assert not any(cron_fault(one.removeprefix("cron(").removesuffix(")")) for one in found)


def test_without_a_free_day_there_is_one_schedule() -> None:
    week = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
    plan = planned(working_hours=HOURS | {"weekdays": week})
    assert [one.time_zone for one in plan.stops] == ["Europe/Berlin"]


def test_the_bill_counts_working_hours_or_fewer() -> None:
    # Five days of ten hours in 365 / 84 weeks.
    hours = 50 * 365 / 84
    for plan, paid in ((planned(), hours), (planned(hours_per_month=60), 60)):
        line = notebook_line(plan, "us-east-1")
        assert {one.name: one.usd_per_month for one in line.items} == {
            "ml.c9.large notebook": pytest.approx(0.08 * paid),
            "notebook volumes": pytest.approx(20 * 0.14),
        }
    assert notebook_line(planned(), "eu-west-1").items[1].usd_per_month is None


def test_a_savings_plan_pays_for_notebooks_too() -> None:
    saving = policy(savings_plan={"discount_percent": 25})
    cost = plan_notebook(
        as_stated("explore", notebook(hours_per_month=60), saving, CATALOG)
    ).selection.chosen.cost
    assert cost.usd_per_month == pytest.approx(0.75 * 0.08 * 60)
    assert "less 25 % of a Savings Plan" in cost.note


def test_the_locked_type_is_kept() -> None:
    locked = locked_workload(planned(memory_gib=8))
    assert (locked.instance_type, locked.instance_count) == ("ml.m9.large", 1)
    kept = plan_notebook(as_stated("explore", notebook(), policy(), CATALOG, NAMES, locked))
    assert kept.instance_type == "ml.m9.large"
    assert kept.lock is not None
    assert (kept.lock.state, kept.lock.best_instance_type) == ("stale", "ml.c9.large")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"hours_per_month": 218}, "is 218, but working_hours has 217 in a month"),
        ({"working_hours": {"start": "18:00", "end": "08:00"}}, r"is 08:00, not after start \(18:00\)"),
        ({"working_hours": HOURS | {"weekdays": ["MON", "MON"]}}, "names a day twice"),
        ({"working_hours": HOURS | {"weekdays": []}}, "at least 1"),
        ({"volume_gib": 4}, "greater than or equal to 5"),
    ],
)
def test_bad_hours_are_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        notebook(**changes)


def test_a_notebook_is_only_where_the_policy_allows_it_and_zones_exist() -> None:
    strange = notebook(working_hours=HOURS | {"time_zone": "Europe/Berlim"})
    workloads = {"explore": strange, "job": training_job()}
    found = dict(check_rules(environment(workloads)))
    assert found[("workloads", "explore", "kind")].startswith(
        "notebooks are not allowed in this environment: "
    )
    assert "did you mean Europe/Berlin?" in found[("workloads", "explore", "working_hours", "time_zone")]
    allowed = environment({"explore": notebook()}, policy=policy(allow_notebooks=True))
    assert dict(check_rules(allowed)) == {}
    assert {one.service: one.reason for one in plan_interface_endpoints(allowed)} == {
        "logs": "no network isolation: explore",
        "sagemaker.api": "stops itself without work: explore",
    }


def test_a_notebook_uses_up_one_instance_of_its_quota() -> None:
    plan = planned()
    assert [tuple(quota) for quota in plan.quotas] == [
        ("sagemaker", f"{plan.instance_type} for notebook instance usage", 1),
        ("sagemaker", "Total number of notebook instances", 1),
    ]
