"""``sizewell schema``."""

from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT


def test_schema_is_the_committed_file(sizewell: Sizewell) -> None:
    result = sizewell("schema")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (PROJECT_ROOT / "sizewell" / "config" / "schema.json").read_text("utf-8")
