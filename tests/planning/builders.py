"""Valid parts of an environment, as small as they can be: a test states only what it is about."""

from collections.abc import Mapping
from typing import Any

from sizewell.config.base import ConfigModel
from sizewell.config.environment import Environment
from sizewell.config.kind import environment_model
from sizewell.config.policy import Policy
from sizewell.config.workload import Workload
from sizewell.instance_selection import Catalog, Measurement
from sizewell.kinds.asynchronous_endpoint.config import AsynchronousEndpoint
from sizewell.kinds.endpoint.config import ModeEndpoint
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.kinds.real_time_endpoint.plan import plan_endpoint
from sizewell.kinds.training_job.config import TrainingJob
from sizewell.kinds.training_job.plan import plan_training_job
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.kind import Stated
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.names import Names

IMAGE = {"account": "763104351884", "repository": "pytorch-inference", "tag": "2.6.0-gpu"}
CNN = {
    "architecture": "cnn",
    "parameters_millions": 1,
    "layers": 10,
    "forward_gflops_per_image": 10,
    "activations_millions_per_image": 1,
}
DECODER = {
    "architecture": "decoder",
    "parameters_millions": 1000,
    "layers": 10,
    "hidden_size": 1000,
    "precision": "bf16",
}
NAMES = Names("demo", "dev", "111122223333", "us-east-1")


def endpoint(**changes: Any) -> RealTimeEndpoint:
    """Return an endpoint whose CNN answers 10 requests per second at peak within a second."""
    default = {
        "kind": "real-time-endpoint",
        "model": CNN,
        "container": container(artifact={"key": "models/plants/model.tar.gz"}),
        "request": {"images": 1},
        "traffic": {"peak_requests_per_second": 10, "average_requests_per_second": 5},
        "latency": {"max_p95_ms": 1000},
    }
    return RealTimeEndpoint.model_validate({**default, **changes})


def queue_endpoint(**changes: Any) -> AsynchronousEndpoint:
    """Return an endpoint whose CNN answers a request now and then within half an hour."""
    default = {
        "kind": "asynchronous-endpoint",
        "model": CNN,
        "container": container(artifact={"key": "models/plants/model.tar.gz"}),
        "request": {"images": 1},
        "traffic": {"peak_requests_per_second": 10, "average_requests_per_second": 0.0001},
        "latency": {"max_wait_minutes": 30},
    }
    return AsynchronousEndpoint.model_validate({**default, **changes})


def mode_endpoint(**changes: Any) -> ModeEndpoint:
    """Return the same endpoint, whose mode is left to the plan."""
    stated = endpoint().model_dump(exclude_unset=True)
    return ModeEndpoint.model_validate({**stated, "kind": "endpoint", **changes})


def llm_endpoint(**changes: Any) -> RealTimeEndpoint:
    """Return an endpoint whose decoder writes 100 tokens for each of two users."""
    default = {
        "model": DECODER,
        "engine": "llm-engine",
        "request": {"input_tokens": 100, "output_tokens": 100},
        "traffic": {"peak_concurrent_users": 2},
        "latency": {"max_p95_ms": 20_000},
    }
    return endpoint(**{**default, **changes})


def training_job(**changes: Any) -> TrainingJob:
    """Return a job that trains a CNN on a thousand images."""
    default = {
        "kind": "training-job",
        "model": CNN,
        "container": container(),
        "dataset": {"prefix": "datasets/plants/", "size_gib": 10, "examples": 1000},
        "deadline_hours": 24,
    }
    return TrainingJob.model_validate({**default, **changes})


def llm_training_job(**changes: Any) -> TrainingJob:
    """Return a job that trains a decoder on a million tokens."""
    default = {
        "model": DECODER,
        "dataset": {"prefix": "datasets/texts/", "size_gib": 10, "tokens_millions": 1},
    }
    return training_job(**{**default, **changes})


def container(**changes: Any) -> dict[str, Any]:
    """Return a container with one image for all hardware but arm64."""
    return {"images": dict.fromkeys(("cuda", "neuron", "cpu_x86_64"), IMAGE), **changes}


def policy(**changes: Any) -> Policy:
    return Policy.model_validate({"account": "111122223333", "region": "us-east-1", **changes})


def environment(workloads: Mapping[str, ConfigModel] | None = None, **changes: Any) -> Environment:
    """Return an environment with one endpoint, unless other workloads are given."""
    default = {
        "name": "dev",
        "platform": "demo",
        "policy": policy(),
        "network": {"mode": "new"},
        "workloads": workloads or {"plants": endpoint()},
    }
    return environment_model().model_validate({**default, **changes})


def as_stated(
    name: str,
    workload: Workload,
    under: Policy,
    catalog: Catalog,
    names: Names = NAMES,
    locked: LockedWorkload | None = None,
    measurements: tuple[Measurement, ...] = (),
) -> Stated:
    return Stated(
        name=name,
        workload=workload,
        policy=under,
        catalog=catalog,
        names=names,
        locked=locked,
        measurements=measurements,
        environment_tags={},
    )


def planned_endpoint(
    catalog: Catalog, of: RealTimeEndpoint | None = None, under: Policy | None = None
) -> EndpointPlan:
    return plan_endpoint(as_stated("plants", of or endpoint(), under or policy(), catalog))


def p95_alone_ms(catalog: Catalog) -> float:
    """Return how long a request to an `llm_endpoint` takes with nobody beside it, at the 95th percentile."""
    alone = planned_endpoint(catalog, llm_endpoint(traffic={"peak_concurrent_users": 1}))
    return alone.selection.chosen.estimate.p95_latency_ms


def planned_job(
    catalog: Catalog, of: TrainingJob | None = None, under: Policy | None = None
) -> TrainingJobPlan:
    return plan_training_job(as_stated("plants-train", of or training_job(), under or policy(), catalog))


def on_type(plan: EndpointPlan, instance_type: str) -> EndpointPlan:
    """Return a plan as if another instance type had been chosen."""
    chosen = plan.selection.chosen.model_copy(update={"instance_type": instance_type})
    return plan.model_copy(update={"selection": plan.selection.model_copy(update={"chosen": chosen})})
