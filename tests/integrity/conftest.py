import csv
from pathlib import Path

import pytest

import sizewell.instance_selection.catalog

Row = dict[str, str]
Tables = dict[str, list[Row]]


@pytest.fixture(scope="session")
def data_directory() -> Path:
    return Path(sizewell.instance_selection.catalog.__file__).parent / "data"


@pytest.fixture(scope="session")
def tables(data_directory: Path) -> Tables:
    tables = {}
    for path in sorted(data_directory.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.stem] = list(csv.DictReader(file, strict=True))
    return tables
