"""The commands ``sizewell catalog refresh`` and ``sizewell catalog status``."""

import typer

from sizewell.cli import options
from sizewell.cli.errors import Commands, exit_with, report_config_errors
from sizewell.cli.output import alone, echo

catalog = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Refresh the prices and instance types that picks rest on, or say how old they are.",
)


@catalog.command()
def refresh(
    region: options.CatalogRegionsOption = None,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    profile: options.ProfileOption = None,
    accept: options.AcceptOption = False,
    as_json: options.JsonOption = False,
    price_list: options.PriceListOption = options.PRICE_LIST,
) -> None:
    """Ask AWS for today's prices, offers and instance types, and show what they change.

    Prints prices and types that changed, and which picks and bills of each environment change under the lock. Then asks, or with
    --accept writes the tables into the directory catalog of the configuration: commit them. With credentials it asks the Price
    List Query API, without any the public price list files, of several hundred megabytes for each region.

    \b
    Exit codes:
      0  the changes are printed; with --accept, they are written
      1  the configuration has faults, AWS does not answer, or a file cannot be written; nothing has changed
      2  the command was called wrongly
    """
    if not price_list.startswith(("https://", "http://")):
        raise typer.BadParameter(f'--price-list "{price_list}" is no URL: it begins with https:// or http://')
    with report_config_errors():
        from sizewell.cli.catalog_command import find_refresh, forget_downloads, write_refresh
        from sizewell.cli.catalog_view import print_refresh, refresh_to_json
        from sizewell.cli.console import open_console
        from sizewell.planning.catalog_files import catalog_path
        from sizewell.price_list.errors import PriceListError

        with alone(catalog_path(config)):
            try:
                found = find_refresh(config, region or (), profile, price_list)
            except PriceListError as error:
                exit_with(str(error))
            if not as_json:
                with open_console() as console:
                    print_refresh(found, console)
            written = not found.is_current and (accept or (not as_json and _is_accepted()))
            if written:
                write_refresh(config, found)
            elif found.is_current:
                forget_downloads()
        if as_json:
            echo(refresh_to_json(found, written=written), newline=False)
        else:
            echo(_outcome(config.as_posix(), is_current=found.is_current, written=written))


def _is_accepted() -> bool:
    """Ask on a terminal; where nobody can answer, nothing is accepted."""
    import sys

    return sys.stdin.isatty() and typer.confirm("Write these tables?", err=True)


def _outcome(config: str, *, is_current: bool, written: bool) -> str:
    if is_current:
        return f"{config}/catalog is up to date."
    if written:
        return f"{config}/catalog is written. Read the difference, and commit it; then run: sizewell lock"
    return "Nothing is written: add --accept to write the tables."


@catalog.command()
def status(
    region: options.CatalogRegionsOption = None,
    config: options.DirectoryOption = options.DEFAULT_DIRECTORY,
    as_json: options.JsonOption = False,
) -> None:
    """Show how old prices, offers and Spot figures are, and of how many types the price is known.

    Prints a row for each region with a figure for each usage, the sources, and what is too old.
    """
    with report_config_errors():
        from sizewell.cli.catalog_command import find_status
        from sizewell.cli.catalog_view import print_status, status_to_json
        from sizewell.cli.console import open_console
        from sizewell.instance_selection.catalog import UnknownRegionError

        try:
            found = find_status(config, region or ())
        except UnknownRegionError as error:
            exit_with(f"{error}; to take it into the catalog: sizewell catalog refresh --region {error.name}")
        if as_json:
            echo(status_to_json(found), newline=False)
        else:
            with open_console() as console:
                print_status(found, console)
