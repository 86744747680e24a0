"""``sizewell plan``: the table and the JSON."""

from pathlib import Path

import pytest

from sizewell.cli.formats import usd
from sizewell.planning import load_plan, plan_to_json
from sizewell.planning.images import image_warnings
from sizewell.planning.workload_plan import InstanceWorkloadPlan
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

CONFIG = str(PROJECT_ROOT / "config")
COLUMNS = ["workload", "instance", "type", "count", "predicted", "range", "used", "price", "USD/month"]


@pytest.fixture(scope="module")
def prod_config() -> Path:
    return PROJECT_ROOT / "config"


def test_table_has_a_row_for_each_workload_and_a_total(sizewell: Sizewell, prod_config: Path) -> None:
    result = sizewell("plan", "--env", "prod", "--config", CONFIG)
    assert (result.exit_code, result.stderr) == (0, "")
    plan = load_plan(prod_config, "prod")
    lines = result.stdout.splitlines()
    assert lines[0].split() == [plan.platform, "prod:", f"{plan.account},", plan.region]
    # The column of the lock is there where the lock keeps what would not be picked today.
    assert COLUMNS in [[word for word in line.split() if word != "lock"] for line in lines]
    rows = {line.split()[0]: line.split() for line in lines if line.strip()}
    for workload, line in zip(plan.workloads, plan.bill.lines, strict=False):
        assert isinstance(workload, InstanceWorkloadPlan)
        assert rows[workload.name][1] == workload.selection.chosen.instance_type
        assert rows[workload.name][-1] == usd(line.usd_per_month)
    assert rows["foundation"][1:] == ["published", usd(plan.bill.lines[-1].usd_per_month)]
    assert rows["total"][1:] == [f"{plan.bill.usd_per_month:,.0f}"]
    assert rows["Budget:"][1] == "8,000"


def test_what_runs_in_clusters_is_named_by_cluster(sizewell: Sizewell) -> None:
    example = str(PROJECT_ROOT / "examples" / "batch-job" / "config")
    lines = sizewell("plan", "--env", "prod", "--config", example).stdout.splitlines()
    assert "In the cluster jobs: score-customers, churn-train, tune-mail." in lines
    assert "In the cluster" not in sizewell("plan", "--env", "prod", "--config", CONFIG).stdout


def test_details_say_what_is_in_the_bill_and_what_is_not(sizewell: Sizewell, prod_config: Path) -> None:
    result = sizewell("plan", "--env", "prod", "--config", CONFIG, "--details")
    assert (result.exit_code, result.stderr) == (0, "")
    plan = load_plan(prod_config, "prod")
    assert "Fixed costs, whatever the load: " in result.stdout
    assert "customer-managed key: 2.00" in result.stdout
    assert "not in the total: SageMaker training volumes of 2 workloads." in result.stdout
    assert (
        f"Not included: what your app adds, and what is paid by use: {'; '.join(plan.bill.not_included)}."
        in result.stdout
    )


def test_details_say_who_hears_of_costs_above_the_budget_and_by_which_tags(sizewell: Sizewell) -> None:
    lines = sizewell("plan", "--env", "prod", "--config", CONFIG, "--details").stdout.splitlines()
    assert (
        "Budget: 8,000 USD per month. An AWS Budget tells demo-prod-alarms of 80 % and 100 % of it, and of a forecast above it."
        in lines
    )
    assert (
        "Cost allocation tags to activate in the account that pays: environment, platform, workload." in lines
    )


def test_quotas_are_listed_with_the_command_that_shows_them(sizewell: Sizewell, prod_config: Path) -> None:
    lines = sizewell("plan", "--env", "prod", "--config", CONFIG, "--details").stdout.splitlines()
    plan = load_plan(prod_config, "prod")
    start = lines.index(
        f"Service quotas that {plan.account} needs in {plan.region}, updates of endpoints included:"
    )
    shown = [line.split(maxsplit=1) for line in lines[start + 1 : start + 1 + len(plan.quotas)]]
    assert shown == [[f"{one.needed:,}", one.name] for one in plan.quotas]
    assert (
        "[?contains(QuotaName, 'ml.g5.xlarge')].[QuotaName, QuotaCode, Value]"
        in lines[start + 1 + len(shown)]
    )


def test_quotas_are_shown_by_the_command_of_their_service(sizewell: Sizewell) -> None:
    config = PROJECT_ROOT / "examples" / "eks-deployment" / "config"
    result = sizewell("plan", "--env", "prod", "--config", str(config), "--details")
    assert "G and VT instances (ec2)" in result.stdout
    assert "--service-code ec2 " in result.stdout
    assert "?contains(QuotaName, 'On-Demand')" in result.stdout
    assert "--service-code sagemaker" not in result.stdout


def test_json_is_plan_json(sizewell: Sizewell, prod_config: Path) -> None:
    result = sizewell("plan", "--env", "prod", "--config", CONFIG, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == plan_to_json(load_plan(prod_config, "prod"))


def test_images_without_patches_are_warned_of(directory: Path, sizewell: Sizewell) -> None:
    lines = sizewell("plan", "--env", "dev", "--details").stdout.splitlines()
    assert [line for line in lines if "AWS patches" in line or "Newer images" in line] == list(
        image_warnings(load_plan(directory, "dev"))
    )
    assert sum("AWS patches" in line for line in lines) == 2


def test_who_may_call_the_api_of_an_endpoint_is_said(directory: Path, sizewell: Sizewell) -> None:
    till = "arn:aws:iam::111122223333:role/till"
    text = f"workloads: {{support-bert: {{access: {{api_gateway: {{callers: ['{till}']}}}}}}}}\n"
    (directory / "dev.yaml").write_text(text, "utf-8")
    lines = sizewell("plan", "--env", "dev", "--details").stdout.splitlines()
    (said,) = [line for line in lines if line.startswith("The API of support-bert may be called by ")]
    assert said.endswith(" at once.")
    assert till in said
    assert not any("may be invoked by" in line for line in lines)


def test_who_may_invoke_an_endpoint_is_said(directory: Path, sizewell: Sizewell) -> None:
    here, elsewhere = "arn:aws:iam::111122223333:role/app", "arn:aws:iam::444455556666:role/partner"
    for callers, words in (
        ([elsewhere, here], f"by {here}; through a role of its stack by {elsewhere}"),
        ([elsewhere], f"through a role of its stack by {elsewhere}"),
    ):
        text = f"workloads: {{support-bert: {{access: {{callers: {callers}}}}}}}\n"
        (directory / "dev.yaml").write_text(text, "utf-8")
        assert (
            f"support-bert may be invoked {words}."
            in sizewell("plan", "--env", "dev", "--details").stdout.splitlines()
        )


def test_default_directory_is_config(directory: Path, sizewell: Sizewell) -> None:
    assert directory.name == "config"
    result = sizewell("plan", "--env", "dev", "--details")
    assert result.exit_code == 0
    assert "nightly-lora" in result.stdout


def test_scaling_is_a_range_and_a_fixed_fleet_a_number(directory: Path, sizewell: Sizewell) -> None:
    def count(scaling: str) -> str:
        (directory / "dev.yaml").write_text(
            f"workloads:\n  support-bert:\n    scaling: {{{scaling}}}\n", "utf-8"
        )
        lines = sizewell("plan", "--env", "dev", "--details").stdout.splitlines()
        (row,) = (line.split() for line in lines if line.split()[:1] == ["support-bert"])
        return row[2]

    assert count("min_instances: 2, max_instances: 5") == "2-5"
    assert count("min_instances: 2, max_instances: 2") == "2"


def test_estimated_share_is_never_rounded_up_to_all(directory: Path, sizewell: Sizewell) -> None:
    # A Spot discount is an estimate; the cost of one short job is far below one percent.
    (directory / "dev.yaml").write_text(
        "policy: {allow_spot: true}\n"
        "workloads:\n"
        "  support-bert: {scaling: {min_instances: 10}}\n"
        "  nightly-lora: {spot: {enabled: true}, checkpoint: {interval_minutes: 15}}\n",
        "utf-8",
    )
    result = sizewell("plan", "--env", "dev", "--details")
    assert result.exit_code == 0, result.stderr
    assert "estimated" in result.stdout
    assert "over 99% of the total has a price that AWS publishes." in result.stdout


def test_the_network_says_what_it_reaches_and_who_asks_for_it(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text(
        "network: {availability_zone_ids: [use1-az1, use1-az4]}\n"
        "workloads: {nightly-lora: {container: {network_isolation: false}}}\n",
        "utf-8",
    )
    printed = sizewell("plan", "--env", "dev", "--details").stdout
    assert "Zones: use1-az1, use1-az4." in printed
    assert (
        "Interface endpoints in 2 zones: kms (no network isolation: nightly-lora); logs (no network isolation: "
        "nightly-lora); monitoring (no network isolation: nightly-lora); sagemaker.runtime (callers in the VPC invoke the "
        "endpoints)."
    ) in printed


@pytest.mark.parametrize(
    ("changes", "is_told"),
    [
        ("network: {availability_zones: 3}", True),
        ("network: {availability_zones: 3, availability_zone_ids: [use1-az1, use1-az2, use1-az4]}", False),
        ("policy: {region: us-west-2}", False),
    ],
)
def test_the_first_zones_of_an_account_may_hold_one_with_few_types(
    directory: Path, sizewell: Sizewell, changes: str, is_told: bool
) -> None:
    (directory / "dev.yaml").write_text(f"{changes}\n", "utf-8")
    told = (
        "The subnets take the first 3 zones of the account, of which use1-az3 may be one: it lacks many instance types. Name "
        "others before the first deployment: network.availability_zone_ids: [use1-az1, use1-az2, use1-az4]"
    )
    result = sizewell("plan", "--env", "dev", "--details")
    assert result.exit_code == 0, result.stderr
    assert (told in result.stdout) is is_told
    assert ("use1-az3" in result.stdout) is is_told


def test_a_network_that_exists_is_told_what_it_must_reach(directory: Path, sizewell: Sizewell) -> None:
    base = directory / "base.yaml"
    subnets = "[subnet-0123456789abcdef0, subnet-0123456789abcdef1]"
    existing = f"{{mode: existing, vpc_id: vpc-0123456789abcdef0, subnet_ids: {subnets}}}"
    base.write_text(base.read_text("utf-8").replace("network: {mode: new}", f"network: {existing}"), "utf-8")
    told = "vpc-0123456789abcdef0 must reach s3; sagemaker.runtime (callers in the VPC invoke the endpoints)."
    assert told in sizewell("plan", "--env", "dev", "--details").stdout


def test_what_is_taken_from_the_account_is_named(directory: Path, sizewell: Sizewell) -> None:
    assert "Taken from the account" not in sizewell("plan", "--env", "dev", "--details").stdout
    role = "arn:aws:iam::111122223333:role/models"
    (directory / "dev.yaml").write_text(
        "policy: {allow_spot: true}\n"
        "existing: {artifact_bucket: company-models}\n"
        f"workloads: {{support-bert: {{execution_role_arn: '{role}'}}, nightly-lora: {{execution_role_arn: '{role}'}}}}\n",
        "utf-8",
    )
    result = sizewell("plan", "--env", "dev", "--details")
    assert f"Taken from the account: company-models, {role}." in result.stdout.splitlines()


@pytest.mark.usefixtures("directory")
def test_environment_must_be_named(sizewell: Sizewell) -> None:
    result = sizewell("plan")
    assert result.exit_code == 2
    assert "--env" in result.stderr


def test_a_tuning_shows_what_all_of_its_trainings_take(sizewell: Sizewell) -> None:
    config = str(PROJECT_ROOT / "examples/tuning-job/config")
    printed = sizewell("plan", "--env", "prod", "--config", config, "--details").stdout
    (row,) = (line for line in printed.splitlines() if line.startswith("  tune-images "))
    assert "4 x 1 Spot" in row
    assert "tune-images: 24 trainings, 4 at a time; hours and USD are of all of them, at the most." in printed
    told = sizewell("explain", "tune-images", "--env", "prod", "--config", config).stdout
    hours = row.split(" h ")[0].split()[-1]
    assert f"a tuning takes {hours} h at most, 6 trainings one after another" in told
