"""A need that nothing meets: the message leads to the key to change."""

from sizewell.instance_selection import NoFeasibleInstanceError, Rejection
from sizewell.instance_selection.catalog import UnknownInstanceTypeError
from sizewell.instance_selection.endpoint_selection import endpoint_filter_names
from sizewell.instance_selection.training_selection import training_filter_names
from sizewell.planning.infeasible import no_feasible_fault, unknown_type_fault
from sizewell.planning.remedies import ENDPOINT_REMEDIES, TRAINING_REMEDIES
from tests.planning.builders import container, endpoint, llm_endpoint, training_job


def rejection(name: str, filter_: str, reason: str, shortfall: float | None = None) -> Rejection:
    return Rejection(instance_type=name, filter=filter_, reason=reason, shortfall=shortfall)


def test_every_filter_of_an_endpoint_has_a_remedy_and_no_other() -> None:
    assert set(endpoint_filter_names()) == set(ENDPOINT_REMEDIES)


def test_every_filter_of_a_training_job_has_a_remedy_and_no_other() -> None:
    assert set(training_filter_names()) == set(TRAINING_REMEDIES)


def test_a_pinned_type_has_its_own_reason_under_its_name_in_ec2_as_well() -> None:
    pinned = training_job(instances={"instance_type": "ml.p3.8xlarge"})
    for name in ("ml.p3.8xlarge", "p3.8xlarge"):
        nearest = (rejection(name, "cuda", "no code"), rejection("c4.large", "pinned", "another one"))
        fault = no_feasible_fault("train", pinned, NoFeasibleInstanceError(nearest, nearest))
        assert fault.key_path == ("workloads", "train", "instances", "instance_type")
        assert fault.reason == "ml.p3.8xlarge cannot be used: cuda: no code"


def test_nearest_types_are_listed_with_what_each_missed_and_by_how_much() -> None:
    nearest = (
        rejection("ml.a.large", "latency", "p95 of 15 ms, 10 ms asked", 1.5),
        rejection("ml.b.large", "image", "no container image for neuron"),
    )
    rejected = (*nearest, *(rejection(f"ml.c.{size}", "use", "no hosting") for size in range(1500)))
    fault = no_feasible_fault("plants", endpoint(), NoFeasibleInstanceError(nearest, rejected))
    assert fault.key_path == ("workloads", "plants", "latency", "max_p95_ms")
    assert fault.reason == (
        "none of 1502 instance types meets all requirements; the nearest:\n"
        "  ml.a.large: latency: p95 of 15 ms, 10 ms asked (1.50 times)\n"
        "  ml.b.large: image: no container image for neuron\n"
        "rejected: 1,500 by use, 1 by image, 1 by latency"
    )
    assert fault.hint == (
        "max_p95_ms: 1500 is the least that any type reaches; " + ENDPOINT_REMEDIES["latency"].advice
    )


def test_miss_by_a_hair_does_not_read_as_no_miss() -> None:
    nearest = (rejection("ml.a.large", "deadline", "late", 1.0000001),)
    fault = no_feasible_fault("job", training_job(), NoFeasibleInstanceError(nearest, nearest))
    assert "(1.01 times)" in fault.reason


def test_pinned_type_says_only_why_it_is_not_used_itself() -> None:
    workload = endpoint(instances={"instance_type": "ml.b.large"})
    nearest = (
        rejection("ml.b.large", "memory", "needs 20 GiB, memory offers 10", 2),
        rejection("ml.a.large", "pinned", "the configuration asks for ml.b.large"),
    )
    fault = no_feasible_fault("plants", workload, NoFeasibleInstanceError(nearest, nearest))
    assert fault.key_path == ("workloads", "plants", "instances", "instance_type")
    assert fault.reason == "ml.b.large cannot be used: memory: needs 20 GiB, memory offers 10 (2.00 times)"
    assert fault.hint is not None
    assert fault.hint.endswith("; or leave instance_type out, and the needs decide")


def test_forgotten_prefix_is_the_best_match() -> None:
    known = frozenset({"ml.r5.large", "ml.m5.large"})
    fault = unknown_type_fault("plants", UnknownInstanceTypeError("m5.large", known), known)
    assert fault.reason == 'SageMaker has no instance type "m5.large", in any region'
    assert fault.hint is not None
    assert fault.hint.startswith("did you mean ml.m5.large? ")


def test_type_of_ec2_without_a_relative_has_no_match() -> None:
    known = frozenset({"ml.m5.large"})
    fault = unknown_type_fault("plants", UnknownInstanceTypeError("u-6tb1.metal", known), known)
    assert fault.hint == "some types of EC2 do not exist in SageMaker; without the key, the needs decide"


def test_when_the_region_has_nothing_at_all_the_advice_is_said_once() -> None:
    nearest = (rejection("ml.g5.xlarge", "region", "AWS does not publish a hosting price for it"),)
    fault = no_feasible_fault("plants", endpoint(), NoFeasibleInstanceError(nearest, nearest))
    assert fault.reason.endswith(
        "rejected: 1 by region\n"
        "the region is the main reason: it offers 0 of the 1 types that the images run on"
    )
    assert fault.hint == ENDPOINT_REMEDIES["region"].advice


def test_where_a_name_stands_for_the_images_the_name_is_the_key_to_change() -> None:
    nearest = (rejection("ml.g5.xlarge", "image", "no container image for cuda: xgboost 3.2-0 has none"),)
    images = container(
        images={},
        image={"framework": "xgboost", "version": "3.2-0"},
        artifact={"key": "models/a/model.tar.gz"},
    )
    for workload in (
        endpoint(container=images),
        endpoint(container=images, instances={"instance_type": "ml.g5.xlarge"}),
    ):
        fault = no_feasible_fault("it", workload, NoFeasibleInstanceError(nearest, nearest))
        assert fault.hint is not None
        assert "name another framework or version, allow the families that it has images for" in fault.hint
    free = no_feasible_fault("it", endpoint(container=images), NoFeasibleInstanceError(nearest, nearest))
    assert free.key_path == ("workloads", "it", "container", "image")


def test_the_bound_of_latency_that_was_missed_is_the_key_to_change() -> None:
    nearest = (rejection("ml.a.large", "inter-token", "time between tokens of 15 ms, 10 ms asked", 1.5),)
    latency = {"max_p95_ms": 20_000, "max_inter_token_ms": 10}
    fault = no_feasible_fault("it", llm_endpoint(latency=latency), NoFeasibleInstanceError(nearest, nearest))
    assert fault.key_path == ("workloads", "it", "latency", "max_inter_token_ms")
    assert fault.hint is not None
    assert fault.hint.startswith("max_inter_token_ms: 15 is the least that any type reaches")
