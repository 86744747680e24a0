"""What a pipeline takes of a choice, and what a model package leaves open; both in the plan."""

from typing import Any

import pytest

from sizewell.config.environment import Environment
from sizewell.facts.serving_features import ServedAs
from sizewell.instance_selection import NoFeasibleInstanceError
from sizewell.instance_selection.catalog import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.engines import engine_of
from sizewell.planning.infeasible import no_feasible_fault
from sizewell.planning.legality import legality_faults
from sizewell.planning.modes import compare_endpoint_modes
from tests.planning.builders import DECODER, container, endpoint, environment, on_type, policy
from tests.planning.builders import planned_endpoint as plan_of

CATALOG = load_catalog("us-east-1")
PACKAGE = {
    "group": "churn",
    "version": 3,
    "hardware": "cpu_x86_64",
    "image_repository": {"account": "111122223333", "repository": "churn"},
    "artifact": {"bucket": "company-registry", "key": "churn/"},
}


def step(name: str, *cpus: str, **changes: Any) -> dict[str, Any]:
    images = {
        f"cpu_{cpu}": {"account": "111122223333", "repository": name, "tag": cpu}
        for cpu in cpus or ("x86_64",)
    }
    return {"name": name, "images": images, "processing_ms": 1, "memory_gib": 0.1, **changes}


def planned(**pipeline: Any) -> EndpointPlan:
    return plan_of(CATALOG, endpoint(pipeline=pipeline) if pipeline else endpoint())


def test_time_is_part_of_each_latency_and_leaves_the_rest_to_the_model() -> None:
    rare = {
        "peak_requests_per_second": 0.001,
        "average_requests_per_second": 0.001,
    }  # nobody waits for another
    alone = plan_of(CATALOG, endpoint(traffic=rare))
    model_ms = alone.selection.chosen.estimate.p95_latency_ms

    def behind(max_p95_ms: float) -> EndpointPlan:
        stated = endpoint(
            traffic=rare,
            pipeline={"before": [step("a", processing_ms=100)], "after": [step("b", processing_ms=50)]},
            instances={"instance_type": alone.instance_type},
            latency={"max_p95_ms": max_p95_ms},
        )
        return plan_of(CATALOG, stated)

    plan = behind(model_ms + 151)
    assert plan.selection.chosen.estimate.p95_latency_ms == pytest.approx(model_ms + 150)
    (assumed,) = (one for one in plan.selection.assumptions if "of the pipeline take" in one)
    assert assumed.startswith(
        "the containers of the pipeline take 150 ms of a request and 0.2 GiB of the host, as stated"
    )
    with pytest.raises(NoFeasibleInstanceError):
        behind(model_ms + 149)


def test_memory_is_added_to_that_of_the_model_or_of_its_host() -> None:
    for images in ({"cpu_x86_64"}, {"cuda"}):
        chosen = {key: value for key, value in container()["images"].items() if key in images}
        stated = endpoint(container=container(images=chosen, artifact={"key": "models/plants/model.tar.gz"}))
        alone = plan_of(CATALOG, stated)
        host_gib = CATALOG.get(alone.instance_type).memory_gib
        filled = stated.model_copy(
            update={"pipeline": endpoint(pipeline={"before": [step("a", memory_gib=host_gib)]}).pipeline}
        )
        rejected = {one.instance_type: one for one in plan_of(CATALOG, filled).selection.rejected}
        assert rejected[alone.instance_type].filter == ("memory" if "cpu_x86_64" in images else "host-memory")
        assert "pipeline" in rejected[alone.instance_type].reason


def test_every_container_has_an_image_for_the_cpus_of_the_type() -> None:
    images = {**container()["images"], "cpu_arm64": container()["images"]["cuda"]}
    stated = container(images=images, artifact={"key": "models/plants/model.tar.gz"})
    both = {"before": [step("a", "x86_64", "arm64")], "after": [step("b", "arm64")]}
    plan = plan_of(CATALOG, endpoint(container=stated, pipeline=both))
    assert plan.pipeline is not None
    assert CATALOG.get(plan.instance_type).cpu_architecture == "arm64"
    assert [one.image.uri.rpartition(":")[2] for one in plan.pipeline.steps] == ["arm64", "arm64"]
    reasons = {one.reason for one in plan.selection.rejected if one.filter == "pipeline"}
    assert "a container of the pipeline has no image for its x86_64 CPUs" in reasons


def test_a_pipeline_is_asked_as_one_and_other_modes_have_none() -> None:
    plan = planned(before=[step("a")])
    assert list(legality_faults(plan, CATALOG)) == []
    on_inf1 = on_type(plan, "ml.inf1.xlarge")
    assert f"{ServedAs.PIPELINE} has no Inf1" in next(iter(legality_faults(on_inf1, CATALOG))).reason
    stated = endpoint(pipeline={"before": [step("a")]})
    compared = {one.mode: one for one in compare_endpoint_modes(stated, policy(), CATALOG).options}
    without = {
        mode
        for mode, one in compared.items()
        if any(miss.requirement == "serial-pipeline" for miss in one.misses)
    }
    assert without == {"serverless", "asynchronous", "lambda"}


def test_the_steps_are_told_of_the_proxy() -> None:
    stated = endpoint(
        container=container(artifact={"key": "models/plants/model.tar.gz"}, network_isolation=False),
        pipeline={"before": [step("a", environment={"A": "1"})]},
    )
    network = {
        "mode": "existing",
        "vpc_id": "vpc-0123456789abcdef0",
        "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
        "proxy": {"url": "http://proxy.example.com:3128"},
    }
    (plan,) = build_plan(environment({"plants": stated}, network=network), CATALOG).endpoints
    assert plan.pipeline is not None
    (told,) = plan.pipeline.before
    assert told.environment["A"] == "1"
    assert (
        told.environment["HTTPS_PROXY"] == plan.environment["HTTPS_PROXY"] == "http://proxy.example.com:3128"
    )


def packaged(**changes: Any) -> Any:
    return endpoint(container={"model_package": {**PACKAGE, **changes}})


def test_a_package_is_of_the_account_and_region_where_the_workload_runs() -> None:
    plan = plan_of(CATALOG, packaged())
    assert plan.model_package is not None
    assert plan.model_package.arn == "arn:aws:sagemaker:us-east-1:111122223333:model-package/churn/3"
    assert plan.model_package.image_repository_arn == "arn:aws:ecr:us-east-1:111122223333:repository/churn"
    assert (plan.image, plan.artifact_key) == (None, None)
    assert CATALOG.get(plan.instance_type).accelerator_count == 0
    assert any("the model package holds one container" in one for one in plan.selection.assumptions)
    of_others = "arn:aws:sagemaker:us-east-1:444455556666:model-package/churn/3"
    plan = plan_of(CATALOG, packaged(group=None, version=None, arn=of_others))
    assert plan.model_package is not None
    assert plan.model_package.arn == of_others


@pytest.mark.parametrize(
    ("framework", "version", "family", "repository"),
    [
        ("huggingface-pytorch", "2.6", "g5", "huggingface-pytorch-inference"),
        ("djl-lmi", "0.36", "g5", "djl-inference"),
        ("djl-neuronx", "0.29", "inf2", "djl-inference"),
    ],
)
def test_plain_objects_go_with_images_by_name(
    framework: str, version: str, family: str, repository: str
) -> None:
    stated = endpoint(
        container={
            "image": {"framework": framework, "version": version},
            "artifact": {"key": "models/plants/", "compression": "none"},
            "environment": {"OPTION_ENTRYPOINT": "model.py"},
        },
        pipeline={"before": [step("a", artifact={"key": "models/a/", "compression": "none"})]},
        instances={"allowed_families": [family]},
    )
    (plan,) = build_plan(environment({"plants": stated}), CATALOG).endpoints
    assert plan.image is not None
    assert f"/{repository}:" in plan.image.uri
    assert (plan.artifact_key, plan.artifact_compression) == ("models/plants/", "none")
    assert plan.pipeline is not None
    assert plan.pipeline.before[0].artifact_compression == "none"


def test_a_function_takes_no_package() -> None:
    compared = compare_endpoint_modes(packaged(), policy(), CATALOG).options
    without = [
        one.mode for one in compared if any(miss.requirement == "model-package" for miss in one.misses)
    ]
    assert without == ["lambda"]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"pipeline": {"before": [step("a", "arm64")]}}, ("pipeline",)),
        (
            {"container": {"model_package": {**PACKAGE, "hardware": "neuron"}}},
            ("container", "model_package", "hardware"),
        ),
    ],
)
def test_where_nothing_fits_the_key_is_that_of_the_containers(changes: Any, key: tuple[str, ...]) -> None:
    stated = endpoint(**changes, instances={"allowed_families": ["m5", "g5"]})
    with pytest.raises(NoFeasibleInstanceError) as raised:
        plan_of(CATALOG, stated)
    assert no_feasible_fault("plants", stated, raised.value).key_path == ("workloads", "plants", *key)


def test_a_new_vpc_lets_models_read_the_buckets_of_packages() -> None:
    def network(where: Environment) -> Any:
        return build_plan(where, CATALOG).foundations[None].network

    assert network(environment({"plants": packaged()})).readable_bucket_names == ("company-registry",)
    assert network(environment()).readable_bucket_names == ()


@pytest.mark.parametrize(
    ("repository", "engine"), [("vllm", "llm-engine"), ("churn", "eager"), (None, "eager")]
)
def test_the_engine_of_a_package_is_that_of_its_repository(repository: str | None, engine: str) -> None:
    of = {"account": "111122223333", "repository": repository} if repository else None
    stated = endpoint(
        model=DECODER,
        request={"input_tokens": 100, "output_tokens": 100},
        container={"model_package": {**PACKAGE, "image_repository": of}},
    )
    assert engine_of(stated) == engine
