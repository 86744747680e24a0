"""Prints what is deployed in the account of an environment, or what its removal policy has kept.

Runs as a process of its own, which knows no other account: ``deployed|kept PLATFORM ENVIRONMENT``.
"""

import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sizewell.localcloud import inventory

#: Wide enough for every row, where the terminal is narrower or there is none.
PLAIN_WIDTH = 130


def main(what: str, platform: str, environment: str) -> None:
    """Print one of the two."""
    console = Console(highlight=False) if sys.stdout.isatty() else Console(width=PLAIN_WIDTH, highlight=False)
    prefix = f"{platform}-{environment}-"
    print_deployed(console, prefix) if what == "deployed" else print_kept(console, prefix, environment)


def print_deployed(console: Console, prefix: str) -> None:
    """Print the workloads as tables, and the rest in lines."""
    print_table(console, inventory.endpoints(prefix))
    print_table(console, inventory.state_machines(prefix))
    print_table(console, inventory.alarms(prefix))
    print_list(console, "keys", inventory.keys())
    print_list(console, "buckets", [name for name in inventory.buckets() if name.startswith(prefix)])
    console.print()


def print_kept(console: Console, prefix: str, environment: str) -> None:
    """Print what is still there when the stacks are deleted."""
    kept = {
        "stacks": inventory.stacks(prefix),
        "keys": inventory.keys(),
        "buckets": [name for name in inventory.buckets() if name.startswith(prefix)],
        "log groups": inventory.log_groups(prefix),
    }
    if not any(kept.values()):
        console.print(f"{environment}: nothing is left", style="green")
        return
    console.print(
        f"{environment}: what its removal policy keeps in an account; here it goes with the emulator"
    )
    for kind, names in kept.items():
        print_list(console, kind, names)


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
    main(*sys.argv[1:4])
