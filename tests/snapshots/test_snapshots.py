"""The templates of every stack and environment, without what changes on its own.

A difference is for a reviewer to read; ``make snapshots`` accepts it.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from planning import load_plan
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT

pytestmark = pytest.mark.cdk

_ASSET_HASH = re.compile(r"[0-9a-f]{64}")


def _stacks() -> list[Any]:
    found = []
    for environment in ENVIRONMENTS:
        plan = load_plan(PROJECT_ROOT / "config", environment)
        for stack in (plan.foundation.stack_name, *(workload.stack_name for workload in plan.workloads)):
            found.append(pytest.param(environment, stack, id=stack))
    return found


@pytest.mark.parametrize(("environment", "stack"), _stacks())
def test_template(
    environment: str, stack: str, assemblies: Callable[[str], Path], snapshot: SnapshotAssertion
) -> None:
    text = (assemblies(environment) / f"{stack}.template.json").read_text("utf-8")
    assert canonical(text) == snapshot(extension_class=JSONSnapshotExtension)


def canonical(text: str) -> dict[str, Any]:
    """Leave out asset hashes and the bootstrap boilerplate, which a new CDK version changes everywhere at once."""
    template: dict[str, Any] = json.loads(_ASSET_HASH.sub("ASSET_HASH", text))
    template.pop("Rules", None)
    template.get("Parameters", {}).pop("BootstrapVersion", None)
    return template


def test_canonical_leaves_out_hashes_and_boilerplate_and_nothing_else() -> None:
    text = json.dumps(
        {
            "Resources": {"Code": {"Key": f"{'0a' * 32}.zip"}},
            "Parameters": {"BootstrapVersion": {}, "SubnetIds": {}},
            "Rules": {},
        }
    )
    assert canonical(text) == {
        "Resources": {"Code": {"Key": "ASSET_HASH.zip"}},
        "Parameters": {"SubnetIds": {}},
    }
