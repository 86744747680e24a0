"""``sizewell guide``: the guides and examples, which come with the package."""

from pathlib import Path

from sizewell.cli.errors import exit_with
from sizewell.cli.output import echo, tell

#: The wheel has them in the package, a checkout beside it.
_PLACE = next(place for place in Path(__file__).parents[1:3] if (place / "examples").is_dir())
GUIDES = _PLACE / "docs" / "guides"
EXAMPLES = _PLACE / "examples"


def print_guides() -> None:
    """Print the name and the title of each guide, and where the examples are."""
    guides = sorted(GUIDES.glob("*.md"), key=lambda guide: guide.stem)
    width = max(len(guide.stem) for guide in guides)
    for guide in guides:
        title = guide.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        echo(f"{guide.stem:{width}}  {title}")
    tell(f"The examples are in {EXAMPLES}.")


def print_guide(name: str) -> None:
    """Print a guide; ends the command where there is none of that name."""
    from sizewell.config.faults import near_match
    from sizewell.config.printable import printable_word

    guides = {guide.stem: guide for guide in GUIDES.glob("*.md")}
    if name not in guides:
        match = near_match(name, sorted(guides))
        hint = f"did you mean {match}?" if match else "sizewell guide lists them"
        exit_with(f'there is no guide "{printable_word(name)}"\n{hint}')
    echo(guides[name].read_text("utf-8"), newline=False)
    tell(f"This is {guides[name]}: what it links to is beside it.")
