"""Prints what is deployed in the account of an environment, or what its removal policy has kept.

Runs as a process of its own, which knows no other account: ``deployed|kept PLAN_FILE ACCOUNT REGION``.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sizewell_localcloud import inventory

#: Wide enough for every row, where the terminal is narrower or there is none.
PLAIN_WIDTH = 130


def main(what: str, plan_file: str, account: str, region: str) -> None:
    """Print one of the two."""
    console = Console(highlight=False) if sys.stdout.isatty() else Console(width=PLAIN_WIDTH, highlight=False)
    plan = json.loads(Path(plan_file).read_text("utf-8"))
    foundations = (plan["foundation"], *plan["places"])
    wildcards = next(
        foundation["name_wildcards"]
        for foundation in foundations
        if (foundation["account"], foundation["region"]) == (account, region)
    )
    if len(foundations) > 1:
        console.print(f"{account}, {region}:", style="bold")
    if what == "deployed":
        print_deployed(console, wildcards)
    else:
        print_kept(console, wildcards, plan["environment"])


def print_deployed(console: Console, wildcards: Mapping[str, str]) -> None:
    """Print the workloads as tables, and the rest in lines."""
    workload = wildcards["workload"]
    for rows in (
        inventory.endpoints(workload),
        inventory.inference_components(workload),
        inventory.functions(workload),
        inventory.notebooks(workload),
        inventory.state_machines(workload),
    ):
        print_table(console, rows)
    print_table(console, inventory.alarms(wildcards["stack"]))
    print_list(console, "keys", inventory.keys())
    print_list(console, "buckets", inventory.buckets(wildcards["bucket"]))
    console.print()


def print_kept(console: Console, wildcards: Mapping[str, str], environment: str) -> None:
    """Print what is still there when the stacks are deleted."""
    kept = {
        "stacks": inventory.stacks(wildcards["stack"]),
        "keys": inventory.keys(),
        "buckets": inventory.buckets(wildcards["bucket"]),
        "log groups": inventory.log_groups(wildcards["stack"], wildcards["workload"]),
    }
    if not any(kept.values()):
        console.print(f"{environment}: nothing is left", style="green")
        return
    console.print(
        f"{environment}: what its removal policy keeps in an account; here it goes with the emulator"
    )
    for kind, found in kept.items():
        print_list(console, kind, found)


def print_table(console: Console, rows: list[dict[str, str]]) -> None:
    """Print rows with the same keys; nothing for no rows."""
    if not rows:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in rows[0]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row.values())
    console.print(table)


def print_list(console: Console, kind: str, names: list[str]) -> None:
    """Print names under each other, with what they are in front of the first."""
    for number, name in enumerate(names):
        console.print(f"  {kind if number == 0 else '':<11}{name}", soft_wrap=True)


if __name__ == "__main__":
    main(*sys.argv[1:5])
