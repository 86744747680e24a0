"""``sizewell schema``."""

from sizewell.planning.editor_schema import editor_schema_text
from tests.cli.conftest import Sizewell


def test_schema_is_that_of_the_release(sizewell: Sizewell) -> None:
    result = sizewell("schema")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == editor_schema_text()
