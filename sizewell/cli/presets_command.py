"""``sizewell presets``: the public models that a configuration can name instead of describing them."""

import json
from dataclasses import asdict

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sizewell.cli.console import is_narrow
from sizewell.cli.errors import exit_with
from sizewell.config.ml_model import PresetModel
from sizewell.instance_selection.presets import Preset, UnknownPresetError, find_preset, matching_presets

_UNITS = (("T", 1e12), ("B", 1e9), ("M", 1e6), ("k", 1e3))


def find_presets(text: str) -> tuple[Preset, ...]:
    """Return the presets whose name, alias or architecture holds a text; ends the command where there is none."""
    if found := matching_presets(text):
        return found
    try:
        return (find_preset(text),)
    except UnknownPresetError as error:
        hint = f"\ndid you mean {' or '.join(error.near_matches)}?" if error.near_matches else ""
        exit_with(f'no preset has "{text}" in its name, its aliases or its architecture{hint}')


def presets_to_json(presets: tuple[Preset, ...]) -> str:
    """Return every fact of the presets as JSON."""
    return json.dumps([asdict(preset) for preset in presets], ensure_ascii=False, indent=2) + "\n"


def print_presets(presets: tuple[Preset, ...], console: Console) -> None:
    """Print a row for each preset; on a narrow console without the source."""
    narrow = is_narrow(console)
    table = Table(box=box.SIMPLE_HEAD, collapse_padding=narrow)
    table.add_column("preset", no_wrap=True)
    table.add_column("architecture", no_wrap=True)
    for header in ("parameters", "active", "layers", "width"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("one pass", justify="right", overflow="fold")
    if not narrow:
        table.add_column("source", overflow="fold")
    for preset in presets:
        table.add_row(
            f"[bold]{escape(preset.name)}[/]",
            preset.architecture,
            _count(preset.parameters),
            _count(preset.active_parameters),
            str(preset.layers or ""),
            str(preset.hidden_size or ""),
            _one_pass(preset),
            *(() if narrow else (escape(preset.source),)),
        )
    console.print(table)
    precision = PresetModel.model_fields["precision"].default
    count = "1 preset" if len(presets) == 1 else f"{len(presets)} presets"
    console.print(
        f"{count}; {precision} unless model.precision says otherwise; --json has all dimensions and aliases",
        soft_wrap=not console.is_terminal,
    )


def _one_pass(preset: Preset) -> str:
    """Return the arithmetic of a pass over one input, where it does not follow from the weights."""
    if preset.forward_gflops is None:
        return ""
    size = f" at {preset.input_size}" if preset.input_size else ""
    return f"{preset.forward_gflops:,.4g} GFLOP{size}"


def _count(value: int | None) -> str:
    if value is None:
        return ""
    unit, size = next(((unit, size) for unit, size in _UNITS if value >= size), ("", 1.0))
    return f"{value / size:.3g}{unit}"
