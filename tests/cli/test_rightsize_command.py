"""``sizewell rightsize``: what was asked of deployed endpoints, and the change of the configuration."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from botocore.exceptions import ClientError, NoCredentialsError
from rich.console import Console

from sizewell.cli.rightsize_command import run_rightsize
from sizewell.cli.rightsize_view import print_rightsizing
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

ACCOUNT, ANN = "111122223333", "arn:aws:sts::111122223333:assumed-role/Reader/ann"
ENDPOINT = "demo-dev-support-bert"
#: Hourly values, by metric and statistic: requests of one minute, and percent summed over cores.
QUIET = {
    ("Invocations", "Sum"): 18.0,
    ("ModelLatency", "Sum"): 18 * 21_000.0,
    ("ModelLatency", "p50"): 18_400.0,
    ("ModelLatency", "p95"): 31_000.0,
    ("CPUUtilization", "Average"): 12.4,
    ("MemoryUtilization", "Maximum"): 38.0,
}


@dataclass
class Account:
    """What CloudWatch and SageMaker of the account answer."""

    values: Mapping[tuple[str, str], float] = field(default_factory=lambda: dict(QUIET))
    deployed: bool = True
    denied: str = ""
    number: str = ACCOUNT
    age_days: int = 90
    asked: list[dict[str, str]] = field(default_factory=list)
    """Dimensions of what CloudWatch was asked for."""

    def answer(self, _client: Any, operation: str, given: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "GetCallerIdentity":
            return {"Account": self.number, "Arn": ANN}
        if operation == self.denied:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, operation)
        if operation == "GetMetricData":
            return {"MetricDataResults": list(self.results(given))}
        if not self.deployed:
            said = "Could not find endpoint"
            raise ClientError({"Error": {"Code": "ValidationException", "Message": said}}, operation)
        now = {"VariantName": "primary", "CurrentInstanceCount": 1}
        if operation == "DescribeEndpointConfig":
            return {"ProductionVariants": [{"VariantName": "primary", "InstanceType": "ml.c6i.large"}]}
        created = datetime.now(UTC) - timedelta(days=self.age_days)
        return {"EndpointConfigName": "one", "CreationTime": created, "ProductionVariants": [now]}

    def results(self, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        assert given["EndTime"] - given["StartTime"] == timedelta(days=14)
        hours = [given["StartTime"] + timedelta(hours=hour) for hour in range(14 * 24)]
        for query in given["MetricDataQueries"]:
            stat = query["MetricStat"]
            self.asked.append({one["Name"]: one["Value"] for one in stat["Metric"]["Dimensions"]})
            value = self.values.get((stat["Metric"]["MetricName"], stat["Stat"]))
            at = [] if value is None else hours
            yield {"Id": query["Id"], "Timestamps": at, "Values": [value] * len(at)}


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    account = Account()
    monkeypatch.setattr(
        "botocore.client.BaseClient._make_api_call",
        lambda client, operation, given: account.answer(client, operation, given),
    )
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "dummy")
    return account


@pytest.fixture
def stated(directory: Path) -> Path:
    """Return dev.yaml, in which the endpoint states far more than it is asked for."""
    file = directory / "dev.yaml"
    file.write_text(
        "policy: {removal: destroy}\n"
        "workloads:\n"
        "  support-bert:\n"
        "    # a guess\n"
        "    traffic: {peak_requests_per_second: 120, average_requests_per_second: 20}\n",
        "utf-8",
    )
    return file


CHANGE = """\
support-bert: CPU at most 6 %: the stated peak of 120 requests per second was 0.3
  traffic.peak_requests_per_second: 120 -> 0.38
  traffic.average_requests_per_second: 20 -> 0.005
"""
DIFF = """\
--- config/dev.yaml
+++ config/dev.yaml
@@ -3,3 +3,3 @@
   support-bert:
     # a guess
-    traffic: {peak_requests_per_second: 120, average_requests_per_second: 20}
+    traffic: {peak_requests_per_second: 0.38, average_requests_per_second: 0.005}
"""


def test_it_shows_what_was_seen_and_what_to_change_and_writes_nothing(
    account: Account, stated: Path, sizewell: Sizewell
) -> None:
    before = stated.read_text("utf-8")
    result = sizewell("rightsize", "--env", "dev")
    assert (result.exit_code, result.stderr) == (0, "Reading 14 days of dev ...\n")
    row = next(line for line in result.stdout.splitlines() if line.startswith("  support-bert "))
    assert re.split(r" {3,}", row.strip()) == [
        *("support-bert", "1 x ml.c6i.large", "0.3 of 120 req/s", "0.005 of 20", "18 ms", "31 ms"),
        *("6 %", "-", "38 %", "under-used"),
    ]
    assert account.asked == [{"EndpointName": ENDPOINT, "VariantName": "primary"}] * len(account.asked)
    assert CHANGE in result.stdout
    assert DIFF in result.stdout
    saved = r"^  1-3 x ml\.\S+ -> 1-\d x ml\.\S+: [\d,]+ -> [\d,]+ USD a month, saves [\d,]+$"
    assert re.search(saved, result.stdout, re.MULTILINE)
    assert result.stdout.endswith("\nNothing is written: --write changes config/dev.yaml.\n")
    assert stated.read_text("utf-8") == before


def test_write_changes_the_file_and_what_is_planned(
    account: Account, stated: Path, sizewell: Sizewell
) -> None:
    announced = json.loads(sizewell("rightsize", "--env", "dev", "--json", "-").stdout)
    result = sizewell("rightsize", "--env", "dev", "support-bert", "--write", "--json", "found.json")
    assert result.stdout.endswith("\nconfig/dev.yaml is changed.\n")
    assert "# a guess\n    traffic: {peak_requests_per_second: 0.38," in stated.read_text("utf-8")
    data = json.loads(Path("found.json").read_text("utf-8"))
    assert data == {**announced, "written": True}
    planned = json.loads(sizewell("plan", "--env", "dev", "--json").stdout)
    line = next(one for one in planned["bill"]["lines"] if one["workload"] == "support-bert")
    assert data["workloads"]["support-bert"]["resized"]["usd_per_month"] == pytest.approx(
        line["usd_per_month"], rel=1e-5
    )


def test_an_endpoint_that_is_younger_than_the_days_says_so(
    account: Account, stated: Path, sizewell: Sizewell
) -> None:
    account.age_days = 3
    result = sizewell("rightsize", "--env", "dev")
    assert re.search(r"^support-bert: CPU .* was 0\.3 \(created 3\.0 days ago\)$", result.stdout, re.M)


@pytest.mark.parametrize(
    "kind",
    [
        "asynchronous-endpoint",
        "inference-component-endpoint",
        "multi-model-endpoint",
        "real-time-endpoint",
        "serverless-endpoint",
    ],
)
def test_every_kind_of_endpoint_gets_a_smaller_plan(
    account: Account, tmp_path: Path, sizewell: Sizewell, kind: str
) -> None:
    config = tmp_path / "example"
    shutil.copytree(PROJECT_ROOT / "examples" / kind / "config", config)
    account.number = yaml.safe_load((config / "prod.yaml").read_text("utf-8"))["policy"]["account"]
    account.values = {**QUIET, ("Invocations", "Sum"): 1.0, ("ModelLatency", "SampleCount"): 1.0}
    result = sizewell("rightsize", "--env", "prod", "--config", str(config), "--json", "-", "--write")
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["written"]
    assert {one["verdict"] for one in data["models"]} == {"under-used"}
    planned = json.loads(sizewell("plan", "--env", "prod", "--config", str(config), "--json").stdout)
    costs = {line["workload"]: line["usd_per_month"] for line in planned["bill"]["lines"]}
    for name, one in data["workloads"].items():
        assert one["resized"]["usd_per_month"] == pytest.approx(costs[name], rel=1e-5)
        assert one["resized"]["usd_per_month"] <= one["planned"]["usd_per_month"]


def test_what_base_yaml_states_is_overridden_for_the_environment(
    account: Account, directory: Path, sizewell: Sizewell
) -> None:
    base = (directory / "base.yaml").read_text("utf-8")
    assert sizewell("rightsize", "--env", "dev", "--write").exit_code == 0
    assert (directory / "base.yaml").read_text("utf-8") == base
    assert (directory / "dev.yaml").read_text("utf-8") == (
        "policy: {removal: destroy}\n"
        "workloads:\n"
        "  support-bert:\n"
        "    traffic:\n"
        "      peak_requests_per_second: 0.38\n"
        "      average_requests_per_second: 0.005\n"
    )


def test_an_idle_endpoint_is_told_and_nothing_is_written(
    account: Account, stated: Path, sizewell: Sizewell
) -> None:
    account.values = {("CPUUtilization", "Average"): 1.0}
    before = stated.read_text("utf-8")
    result = sizewell("rightsize", "--env", "dev", "--write")
    told = (
        r"support-bert: idle: no request for 14 days\n"
        r"  support-bert costs [\d,]+ USD a month: remove it from dev, or use an endpoint that scales to zero\n"
    )
    assert re.search(f"{told}$", result.stdout)
    assert stated.read_text("utf-8") == before


def test_a_peak_that_nothing_can_carry_is_told_and_not_written(
    account: Account, stated: Path, sizewell: Sizewell
) -> None:
    account.values = {**QUIET, ("Invocations", "Sum"): 600_000.0}
    before = stated.read_text("utf-8")
    assert sizewell("rightsize", "--env", "dev").exit_code == 0
    result = sizewell("rightsize", "--env", "dev", "--write")
    assert result.exit_code == 1
    assert "exceeded: the peak was 10,000 of the stated 120 requests per second" in result.stdout
    assert "These values cannot be taken:\nconfig/" in result.stdout
    assert stated.read_text("utf-8") == before


def test_the_lock_is_named_that_keeps_the_type(account: Account, stated: Path, sizewell: Sizewell) -> None:
    assert sizewell("lock", "--env", "dev").exit_code == 0
    result = sizewell("rightsize", "--env", "dev")
    told = "to take this into the lock, once it is written: sizewell lock support-bert --update --env dev"
    assert told in result.stdout


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"deployed": False},
            f"support-bert: there is no endpoint {ENDPOINT} in {ACCOUNT}, us-east-1; deploy it first: "
            "sizewell deploy --env dev",
        ),
        (
            {"values": {}},
            "support-bert: no data: CloudWatch has neither requests nor instances of 14 days",
        ),
        (
            {"denied": "GetMetricData"},
            f"{ANN} may not call cloudwatch:GetMetricData. Right-sizing needs cloudwatch:GetMetricData, "
            "sagemaker:DescribeEndpoint and sagemaker:DescribeEndpointConfig: ask the administrator of the account for them, or "
            "name another profile with --profile",
        ),
        (
            {"number": "444455556666"},
            f"the endpoints are of account {ACCOUNT}, but the credentials of {ANN} are of account 444455556666. Log in to "
            f"{ACCOUNT}, or name a profile of it with --profile",
        ),
    ],
    ids=["not deployed", "no data", "denied", "another account"],
)
def test_what_cannot_be_read_is_one_message(
    account: Account, stated: Path, sizewell: Sizewell, changes: dict[str, Any], message: str
) -> None:
    for name, value in changes.items():
        setattr(account, name, value)
    result = sizewell("rightsize", "--env", "dev")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Reading 14 days of dev ...\n{message}\n"


def test_without_credentials_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, directory: Path, sizewell: Sizewell
) -> None:
    def no_credentials(*_: object) -> None:
        raise NoCredentialsError

    monkeypatch.setattr("botocore.client.BaseClient._make_api_call", no_credentials)
    result = sizewell("rightsize", "--env", "dev")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Unable to locate credentials. Log in, or name a profile" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("support-bret",), 1, "did you mean support-bert?"),
        (
            ("nightly-lora",),
            1,
            "nightly-lora is of kind training-job: right-sizing is for endpoints of SageMaker",
        ),
        (("--days", "500"), 2, "--days 500: CloudWatch keeps values for 454 days at most"),
        (("--days", "0"), 2, "Invalid value for '--days'"),
    ],
)
def test_a_wrong_call_reads_nothing(
    directory: Path, sizewell: Sizewell, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = sizewell("rightsize", "--env", "dev", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_a_value_that_an_anchor_shares_is_not_written(
    account: Account, stated: Path, sizewell: Sizewell
) -> None:
    text = stated.read_text("utf-8").replace("traffic: {", "traffic: &load {")
    stated.write_text(f"{text}  other: {{traffic: *load}}\n", "utf-8")
    base = stated.with_name("base.yaml")
    one = base.read_text("utf-8").partition("  support-bert:\n")[2].partition("  nightly-lora:\n")[0]
    base.write_text(f"{base.read_text('utf-8')}  other:\n{one}", "utf-8")
    before = stated.read_text("utf-8")
    assert sizewell("rightsize", "--env", "dev", "support-bert").exit_code == 0
    result = sizewell("rightsize", "--env", "dev", "support-bert", "--write")
    assert (result.exit_code, stated.read_text("utf-8")) == (1, before)
    assert result.stdout.endswith(
        "These values cannot be taken:\nconfig/dev.yaml\n"
        "  the file cannot be changed without changing more\n  write aliases and anchors out\n"
    )


def test_a_narrow_terminal_cuts_nothing(account: Account, stated: Path) -> None:
    report = run_rightsize(stated.parent, "dev", None, 14, None, write=False)
    console = Console(file=StringIO(), force_terminal=True, width=80, highlight=False)
    print_rightsizing(report, console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in shown
    assert "under-used" in shown
