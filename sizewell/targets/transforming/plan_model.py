"""The plan of a batch transform on instances of EC2, whatever launches them."""

from typing import Literal

from sizewell.instance_selection.results import Selection, TransformEstimate
from sizewell.planning.workload_plan import PlanModel
from sizewell.targets.plan_model import RunOnEc2Plan


class TransformedDataPlan(PlanModel):
    """What one run reads, in the artifact bucket, and how it becomes requests."""

    prefix: str
    content_type: str
    accept: str | None
    """None leaves the type of the results to the container."""
    split: Literal["line", "none"]
    compression: Literal["gzip", "none"]
    strategy: Literal["multi-record", "single-record"]
    max_payload_mb: int


class TransformedOnEc2Plan(RunOnEc2Plan):
    """One batch transform, whose containers share its objects: each run has a folder below the prefix of its output."""

    instance_count: int
    """The instances of a run, all at the same time."""
    artifact_key: str | None
    """None where the model is in the image."""
    artifact_compression: Literal["gzip", "none"]
    data: TransformedDataPlan
    max_concurrent_requests: int
    """Requests that are sent to a container at a time."""
    answer_timeout_s: int
    startup_s: int
    """What a container may take to start."""
    retries: int
    selection: Selection[TransformEstimate]
