"""Outputs of ``cdk synth`` by hand, and what a review says about them."""

import json
from pathlib import Path
from typing import Any

TABLE = {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": "orders"}}
TOPIC = {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": "one"}}


def save(directory: Path, *, stack: str = "demo", **resources: dict[str, Any]) -> Path:
    """Write a ``cdk.out`` with one stack."""
    directory.mkdir(parents=True)
    artifact = {
        "type": "aws:cloudformation:stack",
        "environment": "aws://111122223333/us-east-1",
        "properties": {"templateFile": "demo.template.json"},
    }
    manifest = {"version": "48.0.0", "artifacts": {stack: artifact}}
    (directory / "manifest.json").write_text(json.dumps(manifest))
    (directory / "demo.template.json").write_text(json.dumps({"Resources": resources}))
    return directory


def changes(output: str) -> list[tuple[str, str, str]]:
    """Return environment, logical id and action of every changed resource of a review as JSON."""
    return [
        (c["environment"], c["logical_id"], c["action"]) for c in json.loads(output)["resources"]["changes"]
    ]
