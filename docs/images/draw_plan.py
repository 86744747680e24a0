"""Draw the picture of the README: what ``sizewell plan --env prod`` looks like on a terminal."""

import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from sizewell.cli.plan_view import print_plan
from sizewell.planning import load_plan

PROJECT_ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).with_name("plan.svg")
#: Dark enough for the dimmed notes, with the terminal's own sixteen colours toned down.
THEME = TerminalTheme(
    (22, 27, 34),
    (201, 209, 217),
    [
        (72, 79, 88),
        (255, 123, 114),
        (86, 211, 100),
        (227, 179, 65),
        (121, 192, 255),
        (210, 168, 255),
        (86, 212, 221),
        (201, 209, 217),
    ],
)


def draw() -> str:
    """Return the picture: no fonts from elsewhere, and the same bytes for the same plan."""
    console = Console(
        record=True,
        width=112,
        force_terminal=True,
        file=io.StringIO(),
        highlight=False,
        color_system="standard",
    )
    print_plan(load_plan(PROJECT_ROOT / "config", "prod"), console)
    svg = console.export_svg(title="$ sizewell plan --env prod", theme=THEME, unique_id="plan")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
