"""The package is a library of its own: it needs neither CDK nor AWS nor the rest of the project."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json
import sys
from sizewell.instance_selection import (
    Architecture, EndpointRequirements, Engine, HardwareKind, InstanceLimits, ModelSpec, Precision,
    load_catalog, select_endpoint_instance,
)
bert = ModelSpec(
    architecture=Architecture.ENCODER, parameters=110e6, layers=12, precision=Precision.FP16, hidden_size=768
)
needs = EndpointRequirements(
    model=bert, engine=Engine.EAGER, max_p95_latency_ms=100, input_tokens=128,
    limits=InstanceLimits(images=frozenset(HardwareKind), denied_families=frozenset({"c5", "m5", "t2", "g5"})),
    peak_requests_per_second=20, average_requests_per_second=5,
)
print(select_endpoint_instance(needs, load_catalog("us-east-1")).model_dump_json())
print(json.dumps(sorted(sys.modules)))
"""
STRANGERS = {
    "aws_cdk",
    "boto3",
    "botocore",
    "cdk_nag",
    "sizewell.cli",
    "sizewell.config",
    "constructs",
    "constructs_lib",
    "jsii",
    "sizewell.planning",
    "sizewell.review",
    "ruamel",
    "scipy",
    "sizewell.stacks",
    "yaml",
}


def run(project_root: Path, hash_seed: str) -> tuple[str, set[str]]:
    """Return what a selection says and the modules that it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=project_root,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    answer, modules = done.stdout.splitlines()
    return answer, set(json.loads(modules))


def test_a_selection_runs_without_the_rest_and_says_the_same_whatever_the_order_of_sets(
    project_root: Path,
) -> None:
    answer, modules = run(project_root, "1")
    again, _ = run(project_root, "2")

    assert '"instance_type":"ml.' in answer
    assert answer == again
    assert not STRANGERS & modules
