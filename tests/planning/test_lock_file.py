"""The lock as a file: its bytes, and what is said of a file that cannot be used."""

from pathlib import Path

import pytest

from sizewell.config import ConfigError
from sizewell.planning.lock import LockedEnvironment, LockedWorkload, SelectionLock
from sizewell.planning.lock_file import lock_path, read_lock_file
from sizewell.planning.lock_text import lock_from_own_text, lock_text

ENDPOINT = LockedWorkload(
    instance_type="ml.g5.xlarge",
    instance_count=2,
    peak_instance_count=3,
    instance_pools=("ml.g5.xlarge", "ml.g6.xlarge"),
    usd_per_hour=1.408,
    usd_per_month=2055.68,
    price_basis="published",
    price_date="2026-09-27",
    needs_digest="012345678901",
    reasons_digest="abcdef012345",
)
JOB = LockedWorkload(
    instance_type="ml.p5.48xlarge",
    instance_count=1,
    method="lora",
    instance_pools=("ml.p5.48xlarge",),
    usd_per_hour=None,
    usd_per_month=None,
    price_basis="unknown",
    price_date=None,
    needs_digest="123e45678901",
    reasons_digest="000000000000",
)
LOCK = SelectionLock(
    environments={
        "prod": LockedEnvironment(catalog_version="0a1b2c3d4e5f", workloads={"tune": JOB, "null": ENDPOINT}),
        "dev": LockedEnvironment(catalog_version="0a1b2c3d4e5f", workloads={}),
    }
)
BODY = """\
schema_version: 1
environments:
  dev:
    catalog_version: "0a1b2c3d4e5f"
    workloads: {}
  prod:
    catalog_version: "0a1b2c3d4e5f"
    workloads:
      "null":
        instance_type: ml.g5.xlarge
        instance_count: 2
        peak_instance_count: 3
        instance_pools: [ml.g5.xlarge, ml.g6.xlarge]
        usd_per_hour: 1.408
        usd_per_month: 2055.68
        price_basis: published
        price_date: "2026-09-27"
        needs_digest: "012345678901"
        reasons_digest: "abcdef012345"
      tune:
        instance_type: ml.p5.48xlarge
        instance_count: 1
        method: lora
        instance_pools: [ml.p5.48xlarge]
        usd_per_hour: null
        usd_per_month: null
        price_basis: unknown
        price_date: null
        needs_digest: "123e45678901"
        reasons_digest: "000000000000"
"""
MEND = (
    "the file is generated: take it back from version control (after a merge, either side), or delete it; "
    "then run: sizewell lock"
)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    directory = Path("config")
    directory.mkdir()
    return directory


def message(directory: Path, text: str) -> str:
    lock_path(directory).write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        read_lock_file(directory)
    return raised.value.render()


def test_the_file_is_sorted_and_says_that_it_is_generated() -> None:
    head, _, body = lock_text(LOCK).partition("schema_version")
    assert "schema_version" + body == BODY
    assert all(line.startswith("# ") for line in head.splitlines())
    assert "sizewell lock" in head
    assert "commit it" in head


def test_order_of_environments_and_workloads_does_not_matter() -> None:
    turned = {
        name: LockedEnvironment(
            catalog_version=one.catalog_version, workloads=dict(reversed(list(one.workloads.items())))
        )
        for name, one in reversed(list(LOCK.environments.items()))
    }
    assert lock_text(SelectionLock(environments=turned)) == lock_text(LOCK)


def test_its_own_text_is_read_without_a_parser_and_no_other_text_is() -> None:
    text = lock_text(LOCK)
    assert lock_from_own_text(text) == LOCK
    others = (
        "",
        BODY,
        text + "\n",
        text.replace("instance_count: 2", "instance_count: 02"),
        text.replace("  tune:\n", "  tune:  # a comment\n"),
        text.replace("        method: lora\n", ""),
        text.replace("      tune:", "          tune:"),
        text.replace("[ml.p5.48xlarge]", "[ml.p5.48xlarge"),
        text.replace('"0000', "0000"),
        "schema_version: 1\n- a list\n",
    )
    assert [lock_from_own_text(other) for other in others[:5]] == [None] * 5
    for other in others[5:]:
        assert lock_from_own_text(other) != LOCK


def test_a_comment_or_another_order_is_valid_too(directory: Path) -> None:
    lock_path(directory).write_text("# mine\n" + BODY.replace("  tune:\n", "  tune:  # ours\n"), "utf-8")
    file = read_lock_file(directory)
    assert file is not None
    assert file.lock == LOCK


def test_what_is_written_is_read_back(directory: Path) -> None:
    assert read_lock_file(directory) is None
    lock_path(directory).write_text(lock_text(LOCK), "utf-8")
    file = read_lock_file(directory)
    assert file is not None
    assert file.lock == LOCK


def test_a_merge_conflict_is_named_at_its_line(directory: Path) -> None:
    text = BODY.replace("  prod:\n", "<<<<<<< HEAD\n  prod:\n")
    first, *_, last = message(directory, text).splitlines()
    assert first.startswith("config/selection.lock.yaml:7:")
    assert last == f"  {MEND}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "instance_count: 2\n        peak",
            "instance_count: 0\n        peak",
            "config/selection.lock.yaml:11  environments.prod.workloads.null.instance_count\n"
            f"  got 0; input should be greater than or equal to 1\n  {MEND}",
        ),
        (
            "        price_basis: published\n",
            "",
            f"config/selection.lock.yaml:9  environments.prod.workloads.null.price_basis\n  is missing\n  {MEND}",
        ),
        (
            'catalog_version: "0a1b2c3d4e5f"\n    workloads:\n',
            'catalog: "0a1b2c3d4e5f"\n    workloads:\n',
            "config/selection.lock.yaml:6  environments.prod.catalog_version\n"
            f"  is missing\n  {MEND}\n"
            "config/selection.lock.yaml:7  environments.prod.catalog\n"
            "  unknown key; allowed here: catalog_version, workloads\n"
            f"  did you mean catalog_version? {MEND}",
        ),
        (
            "usd_per_hour: 1.408",
            "usd_per_hours: 1.408",
            "config/selection.lock.yaml:9  environments.prod.workloads.null.usd_per_hour\n"
            f"  is missing\n  {MEND}\n"
            "config/selection.lock.yaml:14  environments.prod.workloads.null.usd_per_hours\n"
            "  unknown key; allowed here: instance_type, instance_count, peak_instance_count, kind, target, method, "
            "instance_pools, usd_per_hour, usd_per_month, price_basis, price_date, needs_digest, reasons_digest\n"
            f"  did you mean usd_per_hour? {MEND}",
        ),
        (
            "[ml.g5.xlarge, ml.g6.xlarge]",
            "[ml.g6.xlarge, ml.g5.xlarge]",
            "config/selection.lock.yaml:9  environments.prod.workloads.null\n"
            f"  instance_pools must begin with ml.g5.xlarge\n  {MEND}",
        ),
        (
            "schema_version: 1",
            "schema_version: 2",
            "config/selection.lock.yaml:1  schema_version\n"
            "  got 2; this version of Sizewell reads schema_version 1\n"
            "  upgrade Sizewell, or delete the file and run: sizewell lock",
        ),
    ],
    ids=["value", "missing", "unknown-key", "misspelt", "pools", "schema"],
)
def test_what_is_wrong_stands_at_its_line_and_key(directory: Path, old: str, new: str, expected: str) -> None:
    assert BODY.count(old) == 1
    assert message(directory, BODY.replace(old, new)) == expected


def test_every_workload_with_a_fault_is_named_at_once(directory: Path) -> None:
    text = BODY.replace("ml.p5.48xlarge]", "p5]").replace("instance_count: 2\n", "instance_count: x\n")
    assert message(directory, text).count("config/selection.lock.yaml:") == 2


def test_the_guide_shows_a_lock_and_explains_each_key(directory: Path, project_root: Path) -> None:
    guide = (project_root / "docs" / "guides" / "locking.md").read_text("utf-8")
    example = guide.partition("```yaml\n")[2].partition("```")[0]
    lock_path(directory).write_text(f"schema_version: 1\n{example}", "utf-8")
    file = read_lock_file(directory)
    assert file is not None
    assert example in lock_text(file.lock)
    explained = {
        key
        for row in guide.splitlines()
        if row.startswith("| `")
        for key in row.split("|")[1].replace("`", "").replace(" ", "").split(",")
    }
    assert set(LockedWorkload.model_fields) <= explained
