"""app.py for one environment after another in one process, so that the CDK kernel starts once: for seconds each time.

``python -m tests.each_environment NAME...`` leaves the assembly of each beside ``CDK_OUTDIR``, under its name. With
``WITHOUT`` behind a name every acknowledgement is left out: synth stops, and ``CDK_OUTDIR`` holds what the rule packs find.
"""

import json
import os
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

WITHOUT = "-without-acknowledgements"


class _Nothing:
    @staticmethod
    def of(_construct: Any) -> SimpleNamespace:
        return SimpleNamespace(acknowledge=lambda *_acknowledgements: None)


def main(*names: str) -> None:
    """Run app.py for each name."""
    context = json.loads(os.environ["CDK_CONTEXT_JSON"])
    output = Path(os.environ["CDK_OUTDIR"])
    for name in names:
        if name.endswith(WITHOUT):
            from constructs_lib.policies import acknowledgements

            acknowledgements.Validations = _Nothing  # type: ignore[assignment, attr-defined]
        os.environ["CDK_CONTEXT_JSON"] = json.dumps({**context, "env": name.removesuffix(WITHOUT)})
        runpy.run_path("app.py", run_name="__main__")
        output.rename(output.with_name(name))


if __name__ == "__main__":
    main(*sys.argv[1:])
