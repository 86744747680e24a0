"""A parity check as tables, as Markdown and as JSON."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sizewell.cli.console import is_narrow
from sizewell.review.parity import Difference, DifferenceGroup, Parity, group_differences
from sizewell.review.rendering.markdown_text import code, sentence
from sizewell.review.rendering.visible import visible

_ABSENT = "not there"
#: Places and workloads that are named; the rest is counted.
_MAX_NAMES = 3


def parity_to_json(parity: Parity) -> str:
    """Return the whole comparison as JSON."""
    return parity.model_dump_json(indent=2) + "\n"


def parity_to_markdown(parity: Parity) -> str:
    """Return the comparison for a pull request: what breaks the shape first, the sizes folded away."""
    lines = [
        f"### Parity: {sentence(parity.environment)} against {sentence(parity.reference)}",
        "",
        sentence(_verdict(parity)),
        "",
    ]
    lines += [f"> {sentence(note)}\n" for note in parity.notes]
    if parity.differences:
        lines += [*_markdown_table(parity, parity.differences), ""]
    if parity.allowed:
        groups = _markdown_table(parity, parity.allowed)
        lines += [f"<details><summary>{_summary(parity)}</summary>", "", *groups, "", "</details>", ""]
    return "\n".join(lines)


def print_parity(parity: Parity, console: Console) -> None:
    """Print what breaks the shape with its places, then the sizes, and the verdict last."""
    for note in parity.notes:
        console.print(escape(visible(note)), soft_wrap=True)
    if parity.differences:
        console.print(_table("Differences of shape", parity, parity.differences, console))
    if parity.allowed:
        console.print(_table(_summary(parity), parity, parity.allowed, console))
    style = "bold green" if parity.same_shape else "bold red"
    console.print(Text(visible(_verdict(parity)), style=style), soft_wrap=True)


def _verdict(parity: Parity) -> str:
    if parity.same_shape:
        return f"{parity.environment} has the shape of {parity.reference}."
    count = len(group_differences(parity.differences))
    what = "1 difference" if count == 1 else f"{count} differences"
    return f"{parity.environment} does not have the shape of {parity.reference}: {what}."


def _summary(parity: Parity) -> str:
    count = len(group_differences(parity.allowed))
    return f"{count} {'size or policy differs' if count == 1 else 'sizes and policies differ'}, as they may"


def _table(title: str, parity: Parity, differences: Sequence[Difference], console: Console) -> Table:
    narrow = is_narrow(console)
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        collapse_padding=narrow,
    )
    table.add_column("kind", no_wrap=True)
    for header in (
        "where",
        "what",
        Text(visible(parity.environment)),
        Text(visible(parity.reference)),
        *(() if narrow else ("why",)),
    ):
        table.add_column(header, overflow="fold")
    for group in group_differences(differences):
        cells = (_where(group), group.what, group.value or _ABSENT, group.reference_value or _ABSENT)
        table.add_row(
            group.kind, *(Text(visible(cell)) for cell in (*cells, *(() if narrow else (group.why,))))
        )
    return table


def _markdown_table(parity: Parity, differences: Sequence[Difference]) -> list[str]:
    heads = ("kind", "where", "what", sentence(parity.environment), sentence(parity.reference), "why")
    return [
        _row(heads),
        _row(["---"] * len(heads)),
        *(_markdown_row(g) for g in group_differences(differences)),
    ]


def _markdown_row(group: DifferenceGroup) -> str:
    values = (code(v) if v is not None else _ABSENT for v in (group.value, group.reference_value))
    return _row((group.kind, sentence(_where(group)), code(group.what), *values, sentence(group.why)))


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _where(group: DifferenceGroup) -> str:
    """Return the one place, or the workloads and how many places there are in them."""
    if len(group.places) == 1:
        return group.places[0]
    names = ", ".join(group.workloads[:_MAX_NAMES])
    rest = len(group.workloads) - _MAX_NAMES
    return f"{names}{f' and {rest} more' if rest > 0 else ''}: {len(group.places)} places"
