"""Outputs of synth on disk, as small as they can be."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sizewell.planning.saved_files import PLAN_VERSION

HERE = "aws://111122223333/us-east-1"


def write_assembly(
    directory: Path,
    stacks: Mapping[str, Mapping[str, Any]],
    *,
    environment: str = HERE,
    plan: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Path:
    """Write a ``cdk.out`` with the resources of each stack."""
    directory.mkdir(parents=True, exist_ok=True)
    artifacts: dict[str, Any] = {}
    for name, resources in stacks.items():
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": environment,
            "properties": {"templateFile": f"{name}.template.json"},
        }
        if metadata:
            artifacts[name]["additionalMetadataFile"] = f"{name}.metadata.json"
            _write(directory / f"{name}.metadata.json", metadata)
        _write(directory / f"{name}.template.json", {"Resources": resources})
    _write(directory / "manifest.json", {"version": "55.0.0", "artifacts": artifacts})
    if plan is not None:
        _write(directory / "plan.json", plan)
    if config is not None:
        _write(directory / "config.json", config)
    return directory


def plan_document(environment: str, **changed: Any) -> dict[str, Any]:
    """A plan without workloads."""
    return {
        "schema_version": PLAN_VERSION,
        "platform": "demo",
        "environment": environment,
        "account": "111122223333",
        "region": "us-east-1",
        "production": environment == "prod",
        "catalog_version": "000000000000",
        "foundation": {
            "stack_name": f"demo-{environment}-foundation",
            "network": {"mode": "new", "availability_zones": 2},
            "retain_state": False,
        },
        "endpoints": [],
        "training_jobs": [],
        "bill": {"budget_usd_per_month": None},
        **changed,
    }


def _write(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data), "utf-8")
