"""Every way to serve a model, side by side: who meets the needs, at what cost, and from which load on."""

import json

from rich import box
from rich.console import Console
from rich.table import Table

from sizewell.cli.console import is_narrow, print_lines
from sizewell.cli.formats import BASIS_STYLES, usd
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.modes import REMEDIES
from sizewell.planning.serialization import rounded
from sizewell.serving_modes import Mode, ModeComparison, ModeOption

PER_MONTH = " a month"


def modes_to_json(comparison: ModeComparison) -> str:
    """Return the whole comparison as JSON."""
    return json.dumps(rounded(comparison.model_dump(mode="json")), indent=2) + "\n"


def print_modes(
    workload: str, region: str, comparison: ModeComparison, places: list[str], console: Console
) -> None:
    """Print the choice, a row for each mode, what each misses and asks for, where else it may run, and the assumptions.

    A narrow console is not told how fast each mode answers, and on what basis its price is known.
    """
    wrap = not console.is_terminal
    chosen = comparison.chosen
    pick = f"[bold green]{chosen.mode}[/]" if chosen else "[bold red]none[/]"
    console.print(f"[bold]{workload}[/]: {pick}; {comparison.why}", soft_wrap=wrap)
    console.print(_saving(comparison), soft_wrap=wrap)
    _print_table(comparison, region, console)
    for title, lines in (
        ("Does not do", _misses(comparison)),
        ("Asks for", _conditions(comparison)),
        ("In clusters", places),
    ):
        print_lines(console, lines, title)
    prices = f"prices of {_price_dates(comparison)}"
    print_lines(console, (prices, *comparison.assumptions), "Assumptions")


def mode_line(workload: str, comparison: ModeComparison) -> str:
    """Return one line for the plan: which mode was taken, and what it costs beside the real-time pick."""
    chosen, real_time = comparison.chosen, comparison.option(Mode.REAL_TIME)
    if chosen is None or chosen.mode is Mode.REAL_TIME:
        return f"{workload}: {comparison.why}."
    share = f" ({chosen.share})" if chosen.share else ""
    beside = "" if real_time.misses else f"; real-time would cost {usd(real_time.usd_per_month)}"
    price = f"{usd(chosen.usd_per_month)} USD per month{share}{beside}"
    return f"{workload}: {chosen.mode}, {price}: {comparison.why}."


def _saving(comparison: ModeComparison) -> str:
    requests = f"{comparison.requests_per_month:,.0f} requests per month"
    chosen, real_time = comparison.chosen, comparison.option(Mode.REAL_TIME).usd_per_month
    if chosen is None:
        return f"  {requests}"
    line = f"  {requests}: {usd(chosen.usd_per_month)} USD{f' ({chosen.share})' if chosen.share else ''}"
    if chosen.mode is Mode.REAL_TIME or real_time is None or chosen.usd_per_month is None:
        return line
    difference = chosen.usd_per_month - real_time
    word = "less" if difference < 0 else "more"
    whole = "a real-time endpoint of its own" if chosen.share else "real-time"
    return f"{line}, {usd(abs(difference))} {word} than {whole}"


def _print_table(comparison: ModeComparison, region: str, console: Console) -> None:
    narrow = is_narrow(console)
    table = Table(
        title=f"All modes, prices of {region}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        collapse_padding=narrow,
    )
    for header in ("mode", "will do", "runs on", *(() if narrow else ("answers in",))):
        table.add_column(header, no_wrap=True)
    table.add_column("USD/month", justify="right", no_wrap=True)
    for header in ("cheaper",) if narrow else ("price", "cheaper than real-time"):
        table.add_column(header, no_wrap=True)
    for option in comparison.options:
        first_miss = "" if narrow or option.eligible else f", {option.misses[0].requirement}"
        break_even = _break_even(option, comparison)
        table.add_row(
            option.mode,
            "[green]yes[/]" if option.eligible else f"[red]no[/]{first_miss}",
            option.runs_on or "-",
            *([] if narrow else [_answers_in(option)]),
            _cost(option),
            *([] if narrow else [f"[{BASIS_STYLES[option.basis]}]{option.basis}[/]"]),
            break_even.removesuffix(PER_MONTH) if narrow else break_even,
            style="bold" if option == comparison.chosen else None,
        )
    console.print(table)


def _cost(option: ModeOption) -> str:
    """Return the cost; of a share, what it is a share of as well."""
    cost = usd(option.usd_per_month)
    return f"{cost} of {usd(option.fleet_usd_per_month)}" if option.share else cost


def _answers_in(option: ModeOption) -> str:
    if option.mode is Mode.BATCH:
        return "the next job"
    if option.mode is Mode.ASYNCHRONOUS:
        sleeps = option.cold_start_s is not None
        return (
            f"queue, {option.cold_start_s / 60:.0f} min asleep" if sleeps and option.cold_start_s else "queue"
        )
    if option.p95_latency_ms is None:
        return "-"
    cold = f", {milliseconds(option.cold_start_s * 1000)} cold" if option.cold_start_s else ""
    return f"p95 {milliseconds(option.p95_latency_ms)}{cold}"


def _break_even(option: ModeOption, comparison: ModeComparison) -> str:
    """Return at which loads the mode costs less than the real-time pick."""
    if option.mode is Mode.REAL_TIME:
        return "-"
    found, real_time = option.break_even, comparison.option(Mode.REAL_TIME).usd_per_month
    if found is not None:
        side = "below" if found.cheaper_below else "above"
        # An estimate, so three digits are enough.
        return f"{side} {float(f'{found.requests_per_month:.3g}'):,.0f}{PER_MONTH}"
    if option.usd_per_month is None or real_time is None:
        return "unknown"
    if option.usd_per_month == real_time:
        return "at the same cost"
    return "at any load" if option.usd_per_month < real_time else "at no load"


def _price_dates(comparison: ModeComparison) -> str:
    return ", ".join(f"{o.mode} {o.price_date or 'undated'}" for o in comparison.options if o.parts)


def _misses(comparison: ModeComparison) -> list[str]:
    return [
        f"{option.mode}: {miss.requirement}: {miss.reason}"
        + (f" ({miss.shortfall:,.2g} times)" if miss.shortfall else "")
        + (f"; {REMEDIES[miss.requirement]}" if miss.requirement in REMEDIES else "")
        for option in comparison.options
        for miss in option.misses
    ]


def _conditions(comparison: ModeComparison) -> list[str]:
    return [
        f"{option.mode}: {condition}"
        for option in comparison.options
        if option.eligible
        for condition in (*option.conditions, *([f"its cost is {option.share}"] if option.share else []))
    ]
