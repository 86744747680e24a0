"""A review on a terminal: the same sections in the same order as the page."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sizewell.cli.console import has_room_for_ranges
from sizewell.instance_selection.wording import counted
from sizewell.review.model import EnvironmentCost, Note, Review, SecurityChange, SelectionChange
from sizewell.review.rendering import cost_lines, groups, lines, words
from sizewell.review.rendering.filters import is_hurting, is_losing
from sizewell.review.rendering.hazard_blocks import hazard_blocks, hazard_counts
from sizewell.review.rendering.permission_words import said
from sizewell.review.rendering.visible import visible
from sizewell.review.words import shorten

STYLES = {
    "danger": "red",
    "warning": "yellow",
    "look": "yellow",
    "safe": "green",
    "nothing found": "",
    "not known": "yellow",
    "no change": "green",
    "weaker": "red",
    "broadened": "red",
    "stronger": "green",
    "narrowed": "green",
    "replaced": "red",
    "removed": "red",
    "may be replaced": "yellow",
    "added": "cyan",
}
#: Lines of the sentence on coverage, names in it at the most, and room for words at the end of its lines.
_LINES = 2
_NAMES = 6
_ROOM = 40
#: Properties of a resource that are shown; the page and the comment hold more.
_MOST_PROPERTIES = 8


def print_review(review: Review, console: Console) -> None:
    """Print everything but the lines of templates, which the page and the comment hold."""
    _print_verdict(review, console)
    for section in (
        _print_failures,
        _print_cost,
        _print_selection,
        _print_hazards,
        _print_security,
        _print_notes,
        _print_config,
        _print_resources,
    ):
        section(review, console)


def _print_verdict(review: Review, console: Console) -> None:
    level = review.verdict.level
    base = review.base.label if review.base else "nothing"
    _line(console, (words.LEVELS[level], f"bold {STYLES[level]}".strip()), f": {base} → {review.head.label}")
    if level != "no change":
        _line(console, review.verdict.sentence)
    if gate := review.gate:
        if gate.failures:
            _line(
                console,
                ("The gate stops this change", "bold red"),
                f": {len(gate.failures)} of {counted(len(gate.conditions), 'condition')} met",
            )
        elif gate.conditions:
            _line(console, f"The gate lets it pass: {words.listed(gate.conditions)}")
        for failure in gate.failures:
            _line(console, f"  {failure.condition}: {failure.reason}")
        for waived in gate.waived:
            _line(console, f"  {lines.waived_line(waived)}")
    for approval in review.approvals:
        _line(console, lines.approval_line(approval))


def _print_failures(review: Review, console: Console) -> None:
    _print_note_list("Does not synthesize", groups.failures(review), console)


def _print_notes(review: Review, console: Console) -> None:
    _print_note_list("About this review", groups.remarks(review), console)


def _print_note_list(title: str, notes: Sequence[Note], console: Console) -> None:
    _title(console, title, notes)
    for note in notes:
        place = f" in {note.environment}" if note.environment else ""
        _line(console, _word(note.severity, words.SEVERITIES[note.severity]), f"{place}: {note.text}")
        for detail in note.detail.splitlines():
            _line(console, f"    {detail}")


def _print_hazards(review: Review, console: Console) -> None:
    _title(console, f"Hazards: {hazard_counts(review)}", review.hazards)
    for block in hazard_blocks(review.hazards):
        one = block.hazard
        _line(
            console,
            _word(one.severity, words.SEVERITIES[one.severity]),
            f" in {words.listed(block.environments)}: {block.title} ({one.rule})",
        )
        for place in () if block.is_single else block.places:
            if len(block.places) > 1:
                _line(console, f"  {words.listed(place.environments)}")
            for subject in place.shown():
                _line(console, f"    {subject}")
        for name, text in (("cause", one.cause), ("then", one.consequence), ("to do", one.what_to_do)):
            _line(console, f"  {name:<6}{text}")


def _print_security(review: Review, console: Console) -> None:
    changes = [*review.security.iam, *review.security.others]
    _title(console, f"Security: {groups.security_counts(review)}", changes)
    _print_security_changes(console, groups.security_changes(review, "weaker"))
    _print_policies(console, groups.policy_changes(review, "broadened"))
    _print_security_changes(console, groups.security_changes(review, "neutral", "stronger"))
    _print_policies(console, groups.policy_changes(review, "narrowed"))


def _print_security_changes(console: Console, changes: Sequence[groups.Shared[SecurityChange]]) -> None:
    for found in changes:
        one = found.finding
        _line(
            console,
            _word(one.direction, words.DIRECTIONS[one.direction]),
            f" in {words.listed(found.environments)}: {one.subject}: {_moved(one.base, one.head)} ({one.rule})",
        )
        _line(console, f"  {one.why}")


def _print_policies(console: Console, changes: Sequence[groups.PolicyChange]) -> None:
    for found in changes:
        change = found.change
        _line(
            console,
            _word(change.direction, change.direction.capitalize()),
            f" in {change.environment}: {change.policy}",
        )
        for sentence in said(found):
            one = sentence.permission
            who = f" {sentence.principal}{sentence.after_principal}" if sentence.principal else ""
            condition = f" if {one.condition}" if one.condition else ""
            _line(
                console,
                f"  {sentence.lead}{who} {words.listed(one.actions)} on {words.listed(one.resources)}{condition}",
            )


def _print_cost(review: Review, console: Console) -> None:
    costs = groups.shown_costs(review)
    _title(console, "Cost, USD per month", costs)
    if not costs:
        return
    wide = has_room_for_ranges(console)
    console.print(_cost_table(costs, wide))
    for line in () if wide else cost_lines.range_lines(costs):
        _line(console, f"  {line}")
    for line in cost_lines.budget_lines(costs):
        _line(console, f"  {line}")
    for cost in costs:
        for one in groups.changed_workloads(cost):
            for cause in one.causes:
                _line(console, f"  {one.environment} {one.workload}: {cause}")
            for component in one.once:
                amount = words.usd(component.usd_per_month.expected)
                _line(console, f"  {one.environment} {one.workload}: once {amount} USD: {component.name}")
    for line in _coverage(costs, console):
        _line(console, line)


def _cost_table(costs: Sequence[EnvironmentCost], wide: bool) -> Table:
    ranges = ("base, least\n– most", "head, least\n– most") if wide else ()  # noqa: RUF001
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("", overflow="fold")
    for header in ("base", "head", "difference", "%", *ranges, "budget"):
        table.add_column(header, justify="right", no_wrap=True)
    for cost in costs:
        sides = (
            (cost.base, cost.head),
            (cost_lines.base_is_partly_unknown(cost), cost_lines.head_is_partly_unknown(cost)),
        )
        table.add_row(
            _text(cost.environment),
            *map(words.expected, *sides),
            words.usd_difference(cost.difference.expected),
            cost_lines.share(cost),
            *(map(words.bounds, *sides) if wide else ()),
            cost_lines.budget(cost),
        )
        for one in groups.changed_workloads(cost):
            amounts = (lines.amounts(one.base), lines.amounts(one.head))
            unknown = (cost_lines.is_partly_unknown(one.base), cost_lines.is_partly_unknown(one.head))
            table.add_row(
                _text(f"  {one.workload}"),
                *map(words.expected, amounts, unknown),
                words.usd_difference(one.difference.expected),
                "",
                *(map(words.bounds, amounts, unknown) if wide else ()),
                "",
                style="dim",
            )
    return table


def _coverage(costs: Sequence[EnvironmentCost], console: Console) -> list[str]:
    """Return how far the bills can be trusted, with as many names as two lines of the console hold."""

    def fits(line: str) -> bool:
        return len(Text(line).wrap(console, console.width)) <= _LINES

    for most in range(_NAMES, -1, -1):
        found = [f"  {visible(line)}" for line in cost_lines.coverage_lines(costs, most)]
        if all(map(fits, found)):
            break
    return [line if fits(line) else shorten(line, _LINES * console.width - _ROOM) for line in found]


def _print_selection(review: Review, console: Console) -> None:
    shared: list[groups.Shared[SelectionChange]] = groups.across_environments(review.selection)
    _title(console, f"Instance types: {lines.picks_line(review.selection)}", shared)
    for found in shared:
        one = found.finding
        _line(
            console,
            f"{words.listed(found.environments)}: {one.workload}: ",
            (lines.types_line(one), "bold"),
            f" ({groups.selection_title(one)})",
        )
        _line(console, f"  {lines.figures_line(one)}; lock: {lines.lock_line(one)}")
        for reason in lines.reasons(one):
            _line(console, f"  {reason}")


def _print_config(review: Review, console: Console) -> None:
    _title(console, "Configuration", review.config)
    for one in review.config:
        meaning = f" ({one.meaning})" if one.meaning else ""
        _line(
            console,
            f"{words.listed(one.environments)} · {one.key_path} {_moved(one.base, one.head)}{meaning}",
        )


def _print_resources(review: Review, console: Console) -> None:
    resources = review.resources
    _title(
        console,
        f"Resources: {words.action_counts(review)}",
        [*resources.changes, *resources.stacks],
    )
    for one in resources.changes:
        by = f", by {words.listed(one.decided_by)}" if one.decided_by else ""
        cause = f", because of {one.because_of}" if one.because_of else ""
        _line(
            console,
            (f"  {one.action:<16}", STYLES[one.action] if is_hurting(one) else ""),
            ("may lose data: ", "bold red") if is_losing(one) else "",
            f"{one.environment}: {one.path} ({one.resource_type}){by}{cause}",
        )
        for line in lines.property_lines(one, _MOST_PROPERTIES):
            _line(console, f"    {line}")
    for stack in resources.stacks:
        count = counted(stack.resource_count, "resource")
        _line(console, f"  {stack.environment}: stack {stack.stack} {stack.action} ({count})")
        for detail in stack.details:
            _line(console, f"    {detail}")
    if resources.changes or resources.stacks:
        _line(console, f"  {counted(resources.unchanged_count, 'resource')} unchanged")


def _title(console: Console, text: str, contents: Sequence[object]) -> None:
    if contents:
        console.print()
        _line(console, (text, "bold"))


def _line(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print text that no value can style, whatever it holds."""
    shown = Text()
    for part in parts:
        value, style = (part, "") if isinstance(part, str) else part
        shown.append(visible(value), style)
    console.print(shown, soft_wrap=not console.is_terminal)


def _word(name: str, word: str) -> tuple[str, str]:
    return word, f"bold {STYLES.get(name, '')}".strip()


def _text(value: str) -> Text:
    return Text(visible(value))


def _moved(base: str, head: str) -> str:
    return f"{base or 'nothing'} → {head or 'nothing'}"
