"""Run commands and synthesize with a folder of kinds beside those of the product: ``FOLDER REQUESTS``, as JSON."""

import json
import os
import shutil
import sys

import sizewell.kinds as kinds


def main(folder: str, requests: str) -> None:
    """Write the assembly of ``dev`` of each configuration beside it, then print what each command says."""
    kinds.__path__.append(folder)
    asked = json.loads(requests)
    from sizewell import Platform

    for config in asked["synthesize"]:
        os.environ["CDK_CONTEXT_JSON"] = json.dumps({"env": "dev", "config": config})
        shutil.move(Platform().synth(), f"{config}.out")

    from typer.testing import CliRunner

    from sizewell.cli.main import app

    results = [CliRunner().invoke(app, command) for command in asked["run"]]
    print(json.dumps([[result.exit_code, result.output] for result in results]))


if __name__ == "__main__":
    main(*sys.argv[1:])
