"""What AWS takes for managing an instance of EC2, beside its price: ``node_fees.csv``, each row with its source.

The fee is on the on-demand price, whatever discount the instance has (https://aws.amazon.com/eks/pricing/).
"""

import csv
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("node_fees.csv")
_LETTERS = re.compile(r"^[a-z]+")
#: Of all families that no row names.
_OTHERS = "*"


@cache
def _shares() -> Mapping[tuple[str, str], float]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["manager"], family): float(row["share_of_on_demand_price"])
            for row in csv.DictReader(file)
            for family in row["families"].split(";")
        }


def fee_share(manager: str, family: str) -> float:
    """Return the fee as a share of the on-demand price: ``manager`` is what manages instances; 0 for one that takes none."""
    letters = _LETTERS.match(family)
    assert letters is not None, f"the family {family} begins with letters"
    shares = _shares()
    return shares.get((manager, letters[0]), shares.get((manager, _OTHERS), 0.0))
