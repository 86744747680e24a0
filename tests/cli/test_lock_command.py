"""``sizewell lock``: what it writes and prints, and what ``--check`` lets pass."""

from pathlib import Path

import pytest

from tests.cli.conftest import Sizewell

PATH = "config/selection.lock.yaml"


@pytest.fixture
def lock_file(directory: Path) -> Path:
    (directory / "prod.yaml").write_text("policy: {min_endpoint_instances: 2}\n", "utf-8")
    return directory / "selection.lock.yaml"


def rewrite(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def locked_type(file: Path, workload: str) -> str:
    """Return the first instance type of that workload in the file."""
    return file.read_text("utf-8").partition(f"{workload}:\n")[2].partition("instance_type: ")[2].split()[0]


def test_lock_then_lock_and_check(lock_file: Path, sizewell: Sizewell) -> None:
    first = sizewell("lock")
    assert (first.exit_code, first.stderr) == (0, "")
    rows = [line.split() for line in first.stdout.splitlines() if line.strip()]
    assert rows[0] == ["workload", "was", "is", "USD/month", "change", "because"]
    assert [row[0] for row in rows if "." in row[0] and "/" not in row[0]] == [
        "dev.support-bert",
        "dev.nightly-lora",
        "prod.support-bert",
        "prod.nightly-lora",
    ]
    assert first.stdout.endswith(f"{PATH}: 4 of 4 workloads changed. Read the difference, and commit it.\n")
    written = lock_file.read_bytes()
    second = sizewell("lock")
    assert (second.exit_code, second.stdout) == (0, f"{PATH} is up to date: 4 workloads.\n")
    check = sizewell("lock", "--check")
    assert (check.exit_code, check.stdout) == (0, f"{PATH} holds: 4 workloads in dev, prod.\n")
    assert lock_file.read_bytes() == written


def test_the_plan_is_the_same_with_its_lock_and_says_so(lock_file: Path, sizewell: Sizewell) -> None:
    free = sizewell("plan", "--env", "dev", "--details").stdout
    assert "Locked" not in free
    sizewell("lock")
    lines = sizewell("plan", "--env", "dev", "--details").stdout.splitlines()
    assert "Locked: 2 of 2 workloads." in lines
    assert [line for line in lines if not line.startswith("Locked")] == free.splitlines()


def test_a_check_without_a_lock_fails(directory: Path, sizewell: Sizewell) -> None:
    result = sizewell("lock", "--check")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"{PATH}\n  the file is missing: nothing is locked\n  run: sizewell lock, and commit it\n"
    )
    assert not (directory / "selection.lock.yaml").exists()


def test_other_needs_fail_the_check_at_the_line_of_the_workload(lock_file: Path, sizewell: Sizewell) -> None:
    sizewell("lock")
    written = lock_file.read_bytes()
    rewrite(lock_file.parent / "base.yaml", "max_p95_ms: 200", "max_p95_ms: 190")
    result = sizewell("lock", "--check")
    assert (result.exit_code, result.stdout) == (1, "")
    lines = lock_file.read_text("utf-8").splitlines()
    numbers = [number for number, line in enumerate(lines, 1) if line.strip() == "support-bert:"]
    assert result.stderr.splitlines() == [
        line
        for number, environment in zip(numbers, ("dev", "prod"), strict=True)
        for line in (
            f"{PATH}:{number}  environments.{environment}.workloads.support-bert",
            "  the configuration has changed since it was locked",
            "  run: sizewell lock, look at what it changes, and commit it",
        )
    ]
    assert lock_file.read_bytes() == written
    plan = sizewell("plan", "--env", "dev", "--details").stdout
    assert "The configuration has changed since these were locked: support-bert" in plan
    assert "Run: sizewell lock --env dev" in plan
    assert sizewell("lock", "--env", "dev").exit_code == 0
    assert sizewell("lock", "--check", "--env", "dev").exit_code == 0
    assert sizewell("lock", "--check", "--env", "prod").exit_code == 1


def test_comments_and_order_of_the_configuration_do_not_matter(lock_file: Path, sizewell: Sizewell) -> None:
    sizewell("lock")
    base = lock_file.parent / "base.yaml"
    rewrite(base, "    traffic: {peak_requests_per_second: 2, average_requests_per_second: 1}\n", "")
    rewrite(
        base,
        "  support-bert:\n",
        "  support-bert:  # a comment\n"
        "    traffic:\n      average_requests_per_second: 1.0\n      peak_requests_per_second: 2\n",
    )
    assert sizewell("lock", "--check").exit_code == 0


def test_a_locked_type_that_cannot_be_used_is_loud(lock_file: Path, sizewell: Sizewell) -> None:
    sizewell("lock")
    before = locked_type(lock_file, "support-bert")
    family = before.split(".")[1]
    (lock_file.parent / "dev.yaml").write_text(f"policy: {{denied_families: [{family}]}}\n", "utf-8")
    plan = sizewell("plan", "--env", "dev", "--details").stdout
    reason = f"support-bert is locked on {before}, which cannot be used (policy: family {family} is denied)"
    assert reason in plan
    check = sizewell("lock", "--check")
    assert check.exit_code == 1
    assert f"  {before} cannot be used: policy: family {family} is denied\n" in check.stderr
    result = sizewell("lock")
    assert f"{before} cannot be used" in " ".join(result.stdout.split())
    assert locked_type(lock_file, "support-bert") != before
    assert sizewell("lock", "--check").exit_code == 0


def lock_more_expensive(file: Path) -> tuple[str, str]:
    """Lock dev's support-bert on its last alternative; return the best type and that one."""
    best = locked_type(file, "support-bert")
    text = file.read_text("utf-8").partition("support-bert:")[2]
    pools = text.partition("instance_pools: [")[2].partition("]")[0].split(", ")
    turned = [pools[-1], *pools[:-1]]
    rewrite(file, f"instance_type: {best}", f"instance_type: {pools[-1]}")
    rewrite(file, f"[{', '.join(pools)}]", f"[{', '.join(turned)}]")
    return best, pools[-1]


def test_a_more_expensive_lock_is_kept_until_the_saving_is_enough(
    lock_file: Path, sizewell: Sizewell
) -> None:
    sizewell("lock", "--env", "dev")
    best, more_expensive = lock_more_expensive(lock_file)
    (lock_file.parent / "dev.yaml").write_text("policy: {min_lock_saving_percent: 100}\n", "utf-8")
    result = sizewell("lock", "--env", "dev")
    assert f"kept: {best} would save only " in " ".join(result.stdout.split())
    assert locked_type(lock_file, "support-bert") == more_expensive
    assert more_expensive in sizewell("plan", "--env", "dev", "--details").stdout
    (lock_file.parent / "dev.yaml").write_text("policy: {min_lock_saving_percent: 0}\n", "utf-8")
    check = sizewell("lock", "--check", "--env", "dev")
    assert check.exit_code == 0
    assert f"dev.support-bert: {best} saves " in check.stdout
    sizewell("lock", "--env", "dev")
    assert locked_type(lock_file, "support-bert") == best


@pytest.mark.parametrize("named", [(), ("support-bert",), ("nightly-lora", "support-bert")])
def test_an_update_takes_the_best_of_the_named_workloads(
    named: tuple[str, ...], lock_file: Path, sizewell: Sizewell
) -> None:
    sizewell("lock", "--env", "dev")
    best, more_expensive = lock_more_expensive(lock_file)
    (lock_file.parent / "dev.yaml").write_text("policy: {min_lock_saving_percent: 100}\n", "utf-8")
    sizewell("lock", "--env", "dev", "--update", "nightly-lora")
    assert locked_type(lock_file, "support-bert") == more_expensive
    result = sizewell("lock", "--env", "dev", "--update", *named)
    assert (result.exit_code, result.stderr) == (0, "")
    assert locked_type(lock_file, "support-bert") == best


def test_an_update_of_an_unknown_workload_names_the_near_match(lock_file: Path, sizewell: Sizewell) -> None:
    assert lock_file.parent.is_dir()
    unknown = sizewell("lock", "--update", "suport-bert")
    assert (unknown.exit_code, unknown.stdout) == (1, "")
    assert unknown.stderr == (
        'config\n  there is no workload "suport-bert" in dev, prod; they have: support-bert, nightly-lora\n'
        "  did you mean support-bert?\n"
    )


def test_an_environment_that_is_gone_leaves_the_lock(lock_file: Path, sizewell: Sizewell) -> None:
    sizewell("lock")
    (lock_file.parent / "prod.yaml").unlink()
    check = sizewell("lock", "--check")
    assert check.exit_code == 1
    assert "  environments.prod\n  no such environment any more\n" in check.stderr
    assert sizewell("lock", "--check", "--env", "dev").exit_code == 0
    result = sizewell("lock")
    assert result.stdout.startswith("prod: no such environment any more; it has left the lock\n")
    assert "prod" not in lock_file.read_text("utf-8")


def test_locking_one_environment_leaves_the_others_alone(lock_file: Path, sizewell: Sizewell) -> None:
    sizewell("lock", "--env", "prod")
    prod = lock_file.read_text("utf-8").partition("  prod:\n")[2]
    sizewell("lock", "--env", "dev")
    assert lock_file.read_text("utf-8").partition("  prod:\n")[2] == prod


def test_faults_of_all_environments_come_at_once(lock_file: Path, sizewell: Sizewell) -> None:
    for name in ("dev", "prod"):
        (lock_file.parent / f"{name}.yaml").write_text("policy: {regio: us-east-1}\n", "utf-8")
    result = sizewell("lock")
    assert result.exit_code == 1
    assert result.stderr.count("policy.regio\n") == 2
    assert not lock_file.exists()


@pytest.mark.usefixtures("directory")
def test_a_broken_lock_is_named_by_every_command_and_never_overwritten(
    directory: Path, sizewell: Sizewell
) -> None:
    broken = directory / "selection.lock.yaml"
    broken.write_text("schema_version: 1\nenvironment: {}\n", "utf-8")
    for arguments in (("plan", "--env", "dev"), ("lock",), ("lock", "--check")):
        result = sizewell(*arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"{PATH}:2  environment\n  unknown key; allowed here: schema_version, environments\n" in (
            result.stderr
        )
    assert broken.read_text("utf-8") == "schema_version: 1\nenvironment: {}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lock", "--check", "--update"), "--check writes nothing"),
        (("lock", "support-bert"), "together with --update"),
    ],
)
@pytest.mark.usefixtures("directory")
def test_a_wrong_call_is_a_usage_error(arguments: tuple[str, ...], message: str, sizewell: Sizewell) -> None:
    result = sizewell(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.usefixtures("directory")
def test_a_directory_without_environments_is_one_message(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").unlink()
    result = sizewell("lock")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is no environment file" in result.stderr
