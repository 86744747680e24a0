"""``sizewell catalog``: what a refresh shows, asks, writes and leaves alone, and what the state of a catalog says."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sizewell.instance_selection.catalog.tables import read_region
from sizewell.price_list.query_api import NotAllowedError, QueryApi
from tests.cli.conftest import Sizewell
from tests.price_list.price_lists import (
    PARTS,
    PriceLists,
    of_ec2,
    of_sagemaker,
    offer_file,
    path_of,
    serve,
)
from tests.price_list.test_described_types import G5
from tests.synthesis import PROJECT_ROOT

TABLES = ("availability.csv", "prices.csv", "sources.csv")


def packaged() -> dict[tuple[str, str], str]:
    """Return the newest price that the package has of each type and usage in us-east-1."""
    rows = sorted(read_region("prices", "us-east-1"), key=lambda cells: cells[4])
    return {(name, usage): usd for name, usage, usd, *_ in rows}


def files(prices: dict[tuple[str, str], str], published: str = "2026-11-20") -> dict[str, bytes]:
    """Return the price list files of prices; one type at least has each usage."""
    sagemaker = {key: usd for key, usd in prices.items() if key[1] in PARTS}
    sagemaker.setdefault(("ml.m5.xlarge", "transform"), "0.23")
    ec2 = {name: usd for (name, usage), usd in prices.items() if usage == "ec2"}
    return {
        path_of("AmazonSageMaker"): offer_file(
            tuple(of_sagemaker(*key, usd) for key, usd in sagemaker.items()), published
        ),
        path_of("AmazonEC2"): offer_file(
            tuple(of_ec2(name.removeprefix("ml."), usd) for name, usd in ec2.items()), published
        ),
    }


@pytest.fixture(autouse=True)
def lists(monkeypatch: pytest.MonkeyPatch) -> Iterator[PriceLists]:
    """Return a server with the prices of the package, and no credentials."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setattr("sizewell.price_list.public_files.FIRST_WAIT_S", 0.001)
    found = PriceLists(files(packaged()))
    with serve(found.answer) as url:
        monkeypatch.setenv("SIZEWELL_PRICE_LIST", url)
        found.url = url
        yield found


def written(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((directory / "catalog").glob("*"))}


def dearer(*families: str) -> dict[tuple[str, str], str]:
    """Return the prices of the package with those of families ten times as high."""
    return {
        (name, usage): f"{float(usd) * 10:.4f}" if name.split(".")[1] in families else usd
        for (name, usage), usd in packaged().items()
    }


def test_without_accept_nothing_is_written(directory: Path, sizewell: Sizewell, lists: PriceLists) -> None:
    found = sizewell("catalog", "refresh")
    assert found.exit_code == 0
    assert found.stdout.startswith(
        "us-east-1: prices of 2026-11-20 (SageMaker) and 2026-11-20 (EC2), from aws-price-list-files\n"
        "  prices: 0 changed, 1 new, 0 gone\n"
    )
    assert found.stdout.endswith(
        "dev: 0 picks changed, 323 USD per month as before\n"
        "Nothing is written: add --accept to write the tables.\n"
    )
    assert not (directory / "catalog").exists()
    # What was downloaded is there for the run that accepts it.
    lists.asked.clear()
    assert sizewell("catalog", "refresh", "--accept").exit_code == 0
    assert ["If-None-Match" in headers for _, headers in lists.asked] == [True, True]
    assert not (directory.parent / ".sizewell" / "price-lists").exists()


def test_the_tables_are_written_once_and_plans_rest_on_them(directory: Path, sizewell: Sizewell) -> None:
    before = json.loads(sizewell("plan", "--env", "dev", "--json").stdout)["catalog_version"]
    found = sizewell("catalog", "refresh", "--accept")
    assert found.stdout.endswith(
        "config/catalog is written. Read the difference, and commit it; then run: sizewell lock\n"
    )
    assert tuple(tables := written(directory)) == TABLES
    plan = json.loads(sizewell("plan", "--env", "dev", "--json").stdout)
    assert plan["catalog_version"] != before
    assert {one["selection"]["chosen"]["cost"]["price_date"] for one in plan["workloads"]} == {"2026-11-20"}
    details = sizewell("plan", "--env", "dev", "--details").stdout
    assert f"Prices of instances: 2026-11-20; catalog {plan['catalog_version']}.\n" in details
    explained = sizewell("explain", "support-bert", "--env", "dev").stdout
    assert "published price, 2026-11-20" in explained
    sizewell("lock")
    assert f'catalog_version: "{plan["catalog_version"]}"' in (directory / "selection.lock.yaml").read_text(
        "utf-8"
    )
    again = sizewell("catalog", "refresh", "--accept")
    assert again.stdout.endswith("config/catalog is up to date.\n")
    assert not (directory.parent / ".sizewell" / "price-lists").exists()
    assert written(directory) == tables


def test_picks_and_bills_that_change_are_shown_before(
    directory: Path, sizewell: Sizewell, lists: PriceLists
) -> None:
    lists.files = files(dearer("c6i", "c5"))
    found = sizewell("catalog", "refresh").stdout
    assert "\ndev: 1 pick changed, 323 -> " in found
    (row,) = (line.split() for line in found.splitlines() if line.strip().startswith("support-bert"))
    assert row[:4] == ["support-bert", "1", "x", "ml.c6i.2xlarge"]
    assert row[6] != "ml.c6i.2xlarge"
    assert "    ml.c5.18xlarge ec2: 3.06 -> 30.6 USD per hour (+900.0 %)\n" in found
    assert "more; --json has all\n" in found
    data = json.loads(sizewell("catalog", "refresh", "--json").stdout)
    (environment,) = data["environments"]
    assert {pick["workload"]: pick["changes"] for pick in environment["picks"]} == {
        "nightly-lora": False,
        "support-bert": True,
    }
    assert environment["usd_per_month"]["before"] < environment["usd_per_month"]["after"]
    assert (data["changed"], data["written"]) == (True, False)


def test_a_lock_keeps_the_pick_and_the_bill_says_the_price(
    directory: Path, sizewell: Sizewell, lists: PriceLists
) -> None:
    sizewell("lock")
    lists.files = files(dearer("c6i"))
    found = sizewell("catalog", "refresh").stdout
    assert "\ndev: 0 picks changed, 323 -> 3,0" in found


def test_only_dates_that_change_are_no_change(directory: Path, sizewell: Sizewell, lists: PriceLists) -> None:
    sizewell("catalog", "refresh", "--accept")
    lists.files = files(packaged(), "2026-11-27")
    data = json.loads(sizewell("catalog", "refresh", "--accept", "--json").stdout)
    assert (data["changed"], data["written"]) == (False, True)
    assert b"2026-11-27" in written(directory)["prices.csv"]
    assert b"2026-11-20" not in written(directory)["prices.csv"]


def test_a_list_that_lost_a_usage_is_not_taken(
    directory: Path, sizewell: Sizewell, lists: PriceLists
) -> None:
    lists.files = files({key: usd for key, usd in packaged().items() if key[1] != "training"})
    found = sizewell("catalog", "refresh", "--accept")
    assert (found.exit_code, found.stdout) == (1, "")
    assert "the price list of us-east-1 has no price for training (of 106 types today)\n" in found.stderr
    assert not (directory / "catalog").exists()


def test_an_answer_that_fails_leaves_everything_as_it_was(
    directory: Path, sizewell: Sizewell, lists: PriceLists
) -> None:
    sizewell("catalog", "refresh", "--accept")
    before = written(directory)
    lists.files = files(dearer("c6i"))
    lists.failures = ["breaks"] * 5
    found = sizewell("catalog", "refresh", "--accept")
    assert (found.exit_code, found.stdout) == (1, "")
    assert "Traceback" not in found.stderr
    assert written(directory) == before
    lists.failures = []
    assert sizewell("catalog", "refresh", "--accept").exit_code == 0
    assert written(directory) != before


def test_a_disk_that_is_full_writes_none_of_the_tables(
    directory: Path, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.fsync, []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        # The first file is beside the downloads, the second is availability.csv.
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    found = sizewell("catalog", "refresh", "--accept")
    assert found.exit_code == 1
    assert found.stderr.endswith(
        "config/catalog/prices.csv\n  cannot be written: No space left on device\n"
        "  make room on the disk, then run it again\n"
    )
    assert not (directory / "catalog").exists()


def test_a_disk_that_is_full_for_downloads_is_one_message(directory: Path, sizewell: Sizewell) -> None:
    place = directory.parent / ".sizewell" / "price-lists" / "us-east-1"
    place.mkdir(parents=True)
    (place / "AmazonSageMaker.part").symlink_to("/dev/full")
    found = sizewell("catalog", "refresh", "--accept")
    assert found.exit_code == 1
    assert found.stderr.endswith(
        ".sizewell/price-lists/us-east-1/AmazonSageMaker.part\n  No space left on device\n"
        "  make room on the disk, then run it again\n"
    )


def test_two_refreshes_at_once_wait_for_each_other(directory: Path, lists: PriceLists) -> None:
    command = [sys.executable, "-m", "sizewell.cli.main", "catalog", "refresh", "--accept"]
    outcomes: list[subprocess.CompletedProcess[str]] = []

    def run() -> None:
        outcomes.append(
            subprocess.run(command, cwd=directory.parent, capture_output=True, text=True, check=False)
        )

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.returncode for one in outcomes] == [0, 0]
    endings = sorted(one.stdout.splitlines()[-1].split(". ")[0] for one in outcomes)
    assert endings == ["config/catalog is up to date.", "config/catalog is written"]
    assert tuple(written(directory)) == TABLES


def test_a_region_that_is_wrong_is_named(directory: Path, sizewell: Sizewell) -> None:
    found = sizewell("catalog", "refresh", "--region", "eu-wst-1")
    assert found.exit_code == 1
    assert "AWS has no such file: is the region right?" in found.stderr
    assert sizewell("catalog", "refresh", "--price-list", "file:///etc").exit_code == 2
    status = sizewell("catalog", "status", "--region", "eu-wst-1")
    assert status.exit_code == 1
    assert "did you mean eu-west-1" in status.stderr


def test_an_environment_with_faults_is_told_and_the_others_compared(
    directory: Path, sizewell: Sizewell
) -> None:
    (directory / "prod.yaml").write_text("policy: {regoin: x}\n", "utf-8")
    found = sizewell("catalog", "refresh", "--region", "us-east-1").stdout
    assert "dev: 0 picks changed" in found
    assert "prod: there is no plan to compare\n" in found
    assert "regoin" in found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda text: text.replace("usd_per_hour", "eur_per_hour"),
            "prices.csv:1\n  the columns are not region,",
        ),
        (
            lambda text: text.replace("\n", "\n<<<<<<< HEAD\n", 1),
            "prices.csv:2\n  has 1 cells; the columns are",
        ),
        (lambda text: text.replace(",0.115,", ",free,", 1), 'usd_per_hour is "free"; it is a number above 0'),
        (lambda text: text.replace(",0.115,", ",0,", 1), 'usd_per_hour is "0"; it is a number above 0'),
        (lambda text: text.replace(",0.115,", ",nan,", 1), 'usd_per_hour is "nan"; it is a number above 0'),
    ],
)
def test_a_broken_table_is_told_at_its_line(
    change: Any, said: str, directory: Path, sizewell: Sizewell
) -> None:
    sizewell("catalog", "refresh", "--accept")
    path = directory / "catalog" / "prices.csv"
    old = path.read_text("utf-8")
    path.write_text(change(old), "utf-8")
    assert path.read_text("utf-8") != old
    found = sizewell("plan", "--env", "dev")
    assert (found.exit_code, found.stdout) == (1, "")
    assert said in found.stderr
    assert "sizewell catalog refresh" in found.stderr


class Described(QueryApi):
    """Credentials that may describe types, with prices from the files."""

    def __init__(self, types: list[dict[str, Any]]) -> None:
        self.types = types

    def prices(self, *_: Any) -> Any:
        raise NotAllowedError("pricing:GetProducts: no")

    def describe(self, names: Any, region: str) -> Any:
        return [one for one in self.types if one["InstanceType"] in names]

    def accepted(self) -> Any:
        return {"hosting": frozenset({"ml.g55.xlarge"}), "training": frozenset({"ml.g55.xlarge"})}


def test_a_new_type_is_described_by_ec2_or_named(
    directory: Path, sizewell: Sizewell, lists: PriceLists, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("ml.g55.xlarge", "ml.g99.xlarge", "ml.g77.xlarge")
    lists.files = files({**packaged(), **{(name, "hosting"): "0.0101" for name in names}})
    alone = sizewell("catalog", "refresh").stdout
    assert (
        "Note: not in the catalog, and not described without credentials: ml.g55.xlarge, ml.g77.xlarge, ml.g99.xlarge\n"
        in alone
    )
    gpu = {**G5["GpuInfo"]["Gpus"][0], "Name": "R100"}
    types = [
        {**G5, "InstanceType": "g55.xlarge"},
        {**G5, "InstanceType": "g99.xlarge", "GpuInfo": {"Gpus": [gpu]}},
    ]
    monkeypatch.setattr(QueryApi, "connect", lambda _: Described(types))
    found = sizewell("catalog", "refresh", "--accept")
    assert "pricing:GetProducts: no\nThe public price list files are read in its place.\n" in found.stderr
    assert "Note: ml.g77.xlarge: EC2 does not describe it in these regions; it is not added\n" in found.stdout
    assert (
        "Note: ml.g99.xlarge: no table has its accelerator, NVIDIA R100 with 22.3516 GiB; it is not added\n"
        in (found.stdout)
    )
    assert "\ndev: 2 picks changed, " in found.stdout or "\ndev: 1 pick changed, " in found.stdout
    rows = written(directory)["instances.csv"].decode().splitlines()
    assert len(rows) == 2
    assert rows[1].startswith("ml.g55.xlarge,g55,xlarge,hosting;training,48,192,x86_64,A10G,4,")
    plan = json.loads(sizewell("plan", "--env", "dev", "--json").stdout)
    assert "ml.g55.xlarge" in {one.get("instance_type") for one in plan["workloads"]}


def test_the_state_of_the_catalog(directory: Path, sizewell: Sizewell) -> None:
    packaged_state = sizewell("catalog", "status").stdout
    (row,) = (line.split() for line in packaged_state.splitlines() if line.strip().startswith("us-east-1 "))
    assert row[:2] == ["us-east-1", "package"]
    assert "107+10/221" in row
    assert "sizewell catalog refresh --region us-east-1\n" in packaged_state
    sizewell("catalog", "refresh", "--accept")
    state = sizewell("catalog", "status").stdout
    assert "us-east-1: prices from aws-price-list-files\n" in state
    assert "days old" not in state
    (region,) = json.loads(sizewell("catalog", "status", "--json").stdout)["regions"]
    assert (region["catalog"], region["prices"]["oldest"], region["spot"]["newest"]) == (
        "project",
        "2026-11-20",
        "2025-06-28",
    )
    assert region["types"]["hosting"]["unknown"] == 0
    nothing = sizewell("catalog", "status", "--region", "ap-southeast-6").stdout
    assert (
        "ap-southeast-6: no price is known; run: sizewell catalog refresh --region ap-southeast-6\n"
        in nothing
    )


@pytest.mark.parametrize(("day", "is_old"), [(date(2027, 5, 19), False), (date(2027, 5, 20), True)])
def test_a_plan_says_that_its_prices_are_old_and_writes_it_nowhere(
    day: date, is_old: bool, directory: Path, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizewell("catalog", "refresh", "--accept")
    monkeypatch.setattr("sizewell.price_list.age.today", lambda: day)
    found = sizewell("plan", "--env", "dev")
    warning = (
        "the price of nightly-lora (2026-11-20), support-bert (2026-11-20) is older than 180 days; for today's prices: "
        "sizewell catalog refresh --region us-east-1\n"
    )
    assert found.stderr == (warning if is_old else "")
    assert "older" not in found.stdout
    assert "older" not in sizewell("plan", "--env", "dev", "--json").output


def test_the_workflow_of_the_guide_parses_and_may_only_open_a_pull_request() -> None:
    import re

    import yaml

    guide = (PROJECT_ROOT / "docs" / "guides" / "catalog.md").read_text("utf-8")
    (text,) = re.findall(r"```yaml\n(name: sizewell-catalog\n.*?)```", guide, re.DOTALL)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"]
    assert jobs["refresh"]["permissions"] == {"contents": "read"}
    assert jobs["propose"]["permissions"] == {"contents": "write", "pull-requests": "write"}
    # What may write runs no code of the project.
    assert not re.search(
        r"make |sizewell |python", "\n".join(s.get("run", "") for s in jobs["propose"]["steps"])
    )
    review = (PROJECT_ROOT / "sizewell/cli/templates/ci/github/workflows/sizewell-review.yml").read_text(
        "utf-8"
    )
    used = {step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step}
    assert [name for name in used if name not in review] == []
    for job in jobs.values():
        for step in job["steps"]:
            if "run" in step:
                checked = subprocess.run(["bash", "-n"], input=step["run"], text=True, check=False)
                assert checked.returncode == 0


def test_a_price_that_nobody_knows_is_unknown_and_not_in_the_total(
    directory: Path, sizewell: Sizewell
) -> None:
    base = directory / "base.yaml"
    on_cpu = base.read_text("utf-8").partition("  nightly-lora:")[0].replace("763104351884", "633930458069")
    base.write_text(on_cpu.replace("us-east-1", "ap-southeast-6"), "utf-8")
    found = sizewell("plan", "--env", "dev", "--details").stdout
    (row,) = (line.split() for line in found.splitlines() if line.strip().startswith("support-bert "))
    assert row[-2:] == ["unknown", "unknown"]
    assert "Prices of instances: none is known; catalog " in found
    assert "Without a known price, and not in the total: support-bert, foundation." in found
    (line, _) = json.loads(sizewell("plan", "--env", "dev", "--json").stdout)["bill"]["lines"]
    assert line["usd_per_month"] is None
