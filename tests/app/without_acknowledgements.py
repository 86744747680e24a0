"""app.py with every acknowledgement left out: shows what the packs would find."""

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from constructs_lib.jsii_runtime import use_bundled_node

use_bundled_node()

from constructs_lib import acknowledgements  # noqa: E402  (the kernel must find its Node first)


class _Nothing:
    @staticmethod
    def of(_construct: Any) -> SimpleNamespace:
        return SimpleNamespace(acknowledge=lambda *_acknowledgements: None)


acknowledgements.Validations = _Nothing  # type: ignore[attr-defined]
runpy.run_path(str(Path(__file__).resolve().parents[2] / "app.py"), run_name="__main__")
