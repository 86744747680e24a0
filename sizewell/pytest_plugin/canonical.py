"""What of an output is worth a snapshot, in the spelling that a reviewer can read.

Templates are spelt as ``sizewell review`` compares them, so a snapshot changes when a review has something to say, and
not with a release of CDK: references are ``${Role.Arn}``, policies and unordered lists are sorted, JSON in a text is
data, the hash of an asset is ``<asset>``, and what CDK adds for itself is gone. Numbers and truth values are texts:
CloudFormation takes ``"2"`` and ``2`` alike, and CDK writes now the one, now the other.
"""

import json
from collections.abc import Mapping
from typing import Any

from sizewell.planning.saved_plan import (
    SavedBatchTransform,
    SavedNotebook,
    SavedPlan,
    SavedProcessingJob,
    SavedTrainingJob,
    SavedVariant,
    Workload,
)
from sizewell.templates.canonical import hide_assets
from sizewell.templates.template import Stack

#: Metadata of CDK's own: construct paths and where assets lie.
_OF_CDK = "aws:"

Template = dict[str, Any]


def snapshot_of_stack(stack: Stack) -> Template:
    """Return the template of a stack, with everything sorted that has no order."""
    template = {**stack.canonical, "Resources": _resources(stack.canonical.get("Resources", {}))}
    result: Template = json.loads(hide_assets(json.dumps(template, sort_keys=True)))
    return result


def snapshot_of_plan(plan: SavedPlan) -> dict[str, dict[str, Any]]:
    """Return what was decided for each workload: instance types, counts and bounds; prices and digests are left out."""
    return {
        workload.name: _decided(workload)
        for workload in sorted(plan.workloads, key=lambda planned: planned.name)
    }


def _resources(resources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {logical_id: _resource(body) for logical_id, body in resources.items()}


def _resource(body: Mapping[str, Any]) -> dict[str, Any]:
    result = {key: value for key, value in body.items() if key != "Metadata" and value != {}}
    metadata = body.get("Metadata")
    own = (
        {k: v for k, v in metadata.items() if not k.startswith(_OF_CDK)}
        if isinstance(metadata, Mapping)
        else {}
    )
    return {**result, "Metadata": own} if own else result


def _decided(workload: Workload) -> dict[str, Any]:
    if isinstance(workload, SavedVariant):
        return _endpoint(workload)
    if isinstance(workload, SavedNotebook):
        return {"instance_type": workload.instance_type, "volume_size_gib": workload.volume_size_gib}
    return _training_job(workload) if isinstance(workload, SavedTrainingJob) else _job(workload)


def _job(job: SavedBatchTransform | SavedProcessingJob) -> dict[str, Any]:
    return {"attempts": [attempt.model_dump() for attempt in job.attempts]}


def _endpoint(endpoint: SavedVariant) -> dict[str, Any]:
    scaling = endpoint.scaling
    return {
        "instance_type": endpoint.instance_type,
        "initial_instance_count": endpoint.initial_instance_count,
        "min_instance_count": scaling.min_instance_count if scaling else endpoint.initial_instance_count,
        "max_instance_count": scaling.max_instance_count if scaling else endpoint.initial_instance_count,
    }


def _training_job(job: SavedTrainingJob) -> dict[str, Any]:
    return {
        "attempts": [
            {
                "instance_type": attempt.instance_type,
                "instance_count": attempt.instance_count,
                "spot": attempt.spot,
            }
            for attempt in job.attempts
        ],
        "deadline_s": job.deadline_s,
    }
