"""Resource types that hold something that is gone with them: the table ``stateful_types.csv``."""

import csv
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("stateful_types.csv")


def is_stateful(resource_type: str) -> bool:
    """Tell whether a resource of this type holds data, keys or identities."""
    return resource_type in stateful_types()


@cache
def stateful_types() -> dict[str, str]:
    """Return what each type holds."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {row["resource_type"]: row["holds"] for row in csv.DictReader(file)}
