"""What the program is told that trains: ``train_model.py``, which runs around the script in the image of a training."""

import json
from typing import Protocol

from sizewell.facts.training_jobs import (
    CHECKPOINT_DIR_VARIABLE,
    CHECKPOINT_INTERVAL_VARIABLE,
    DEFAULT_CHECKPOINT_PATH,
)
from sizewell.targets.training.plan_model import TrainedOnEc2Plan


class Buckets(Protocol):
    """The plan of the foundation, or what a stack reads of it."""

    @property
    def artifact_bucket_name(self) -> str:
        """Where the data is, and the output goes."""

    @property
    def checkpoint_bucket_name(self) -> str:
        """Where the checkpoints of all runs are."""


def training_variables(plan: TrainedOnEc2Plan, buckets: Buckets, region: str) -> dict[str, str]:
    """Return its environment variables, but for ``RUN_NAME`` and ``HYPERPARAMETERS``, of which a run may have its own."""
    artifacts, checkpoint = f"s3://{buckets.artifact_bucket_name}", plan.checkpoint
    channels = {name: f"{artifacts}/{prefix}/" for name, prefix in plan.downloads.items()}
    variables = {
        **plan.environment,
        "AWS_DEFAULT_REGION": region,
        "AWS_REGION": region,
        "CHANNELS": json.dumps(channels, sort_keys=True),
        "CHECKPOINT_URI": "",
        "HARDWARE": plan.hardware,
        # The first of the types: nothing tells a container which one its instance has.
        "INSTANCE_TYPE": plan.instance_type,
        "OUTPUT_URI": f"{artifacts}/{plan.output_prefix}/",
    }
    if checkpoint is not None:
        variables |= {
            "CHECKPOINT_URI": f"s3://{buckets.checkpoint_bucket_name}/{checkpoint.prefix}/",
            CHECKPOINT_DIR_VARIABLE: DEFAULT_CHECKPOINT_PATH,
            CHECKPOINT_INTERVAL_VARIABLE: str(checkpoint.interval_minutes),
        }
    return variables
