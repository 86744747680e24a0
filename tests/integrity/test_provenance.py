import re
from datetime import date
from pathlib import Path

import pytest

Row = dict[str, str]
Tables = dict[str, list[Row]]

FACT_TABLES = (
    "accelerators",
    "availability",
    "cpus",
    "instances",
    "offer_corrections",
    "price_ratios",
    "prices",
    "spot_advisor",
)
DATED_TABLES = ("availability", "instances", "offer_corrections", "price_ratios", "prices", "spot_advisor")

# Hosts of package registries and paths of a machine: neither belongs into data that others read.
FORBIDDEN = re.compile(
    r"pypi\.org|pythonhosted|npmjs|conda\.anaconda|crates\.io|(^|[\s\"',;])/(home|root|tmp|work|Users|mnt)/|file://"
)


def sources_of(row: Row) -> list[str]:
    return (row.get("source_ids") or row["source_id"]).split(";")


def test_the_tables_are_the_known_ones(tables: Tables) -> None:
    assert set(tables) == {*FACT_TABLES, "sources"}


@pytest.mark.parametrize("table", FACT_TABLES)
def test_every_fact_names_sources_that_exist(tables: Tables, table: str) -> None:
    known = {row["source_id"] for row in tables["sources"]}

    unknown = {source for row in tables[table] for source in sources_of(row)} - known

    assert not unknown
    assert tables[table]


def test_sources_are_unique_complete_and_used_where_they_say(tables: Tables) -> None:
    used: dict[str, set[str]] = {}
    for table in FACT_TABLES:
        for row in tables[table]:
            for source in sources_of(row):
                used.setdefault(source, set()).add(table)

    ids = [row["source_id"] for row in tables["sources"]]
    assert len(ids) == len(set(ids))
    for row in tables["sources"]:
        assert all(row[column] for column in ("what", "where", "licence", "data_date", "reliability")), row
        assert row["reliability"] in {"A", "A-", "B", "C"}
        assert set(row["used_in"].split(";")) == used[row["source_id"]]


@pytest.mark.parametrize("table", DATED_TABLES)
def test_every_fact_is_dated_or_its_source_states_no_date(tables: Tables, table: str) -> None:
    undated = {row["source_id"] for row in tables["sources"] if row["data_date"].startswith("not stated")}

    for row in tables[table]:
        if row["as_of_date"]:
            assert date(2020, 1, 1) < date.fromisoformat(row["as_of_date"])
        else:
            assert set(sources_of(row)) <= undated, row


@pytest.mark.parametrize("table", ["availability", "prices", "spot_advisor"])
def test_tables_by_region_begin_with_it_and_are_sorted(tables: Tables, table: str) -> None:
    keys = [(row["region"], row["instance_type"]) for row in tables[table]]

    assert next(iter(tables[table][0])) == "region"
    assert keys == sorted(keys)


def test_no_file_names_a_registry_or_a_path_of_a_machine(data_directory: Path) -> None:
    for path in sorted(data_directory.iterdir()):
        found = FORBIDDEN.search(path.read_text("utf-8"))
        assert found is None, f"{path.name}: {found and found.group()}"


def test_files_are_plain_text_with_unix_line_ends(data_directory: Path) -> None:
    for path in sorted(data_directory.iterdir()):
        content = path.read_bytes()
        assert path.suffix == ".csv"
        assert b"\r" not in content
        assert content.endswith(b"\n")
