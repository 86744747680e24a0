"""Variants and a shadow beside an endpoint's own model: each states what differs."""

from collections.abc import Callable
from typing import Any

import pytest

LoadDev = Callable[[str], Any]
MessageFor = Callable[[str], str]
OF_BERT = "workloads:\n  support-bert:\n"


def test_a_variant_has_from_its_endpoint_what_it_does_not_state(load_dev: LoadDev) -> None:
    loaded = load_dev(
        OF_BERT + "    variants:\n      larger:\n        traffic_percent: 25\n"
        "        container: {artifact: {key: models/larger.tar.gz}}\n        request: {payload_mb: 2}\n"
    )
    endpoint = loaded.environment.workloads["support-bert"]
    variant = endpoint.beside()["larger"]
    assert variant.container.artifact.key == "models/larger.tar.gz"
    assert variant.container.environment == endpoint.container.environment == {"LOG_LEVEL": "info"}
    assert (variant.request.input_tokens, variant.request.payload_mb) == (256, 2)
    assert variant.model == endpoint.model
    assert endpoint.without_variants().traffic.peak_requests_per_second == 30
    assert (variant.traffic.peak_requests_per_second, variant.traffic.average_requests_per_second) == (
        10,
        2.5,
    )


def test_a_fault_of_the_endpoint_is_not_one_of_its_variants(message_for: MessageFor) -> None:
    fault = message_for(
        OF_BERT
        + "    request: {payload_mb: -1}\n    variants: {other: {traffic_percent: 5, request: {response_mb: 1}}}\n"
    )
    assert fault.count("config/dev.yaml") == 1


def test_a_variant_removes_with_null(load_dev: LoadDev) -> None:
    loaded = load_dev(
        OF_BERT + "    variants: {plain: {traffic_percent: 5, container: {environment: null}}}\n"
    )
    endpoint = loaded.environment.workloads["support-bert"]
    assert endpoint.beside()["plain"].container.environment == {}


def test_a_shadow_has_the_instances_of_its_peak_all_the_time(load_dev: LoadDev) -> None:
    loaded = load_dev(OF_BERT + "    shadow: {sampling_percent: 50}\n")
    endpoint = loaded.environment.workloads["support-bert"]
    traffic = endpoint.beside()["shadow"].traffic
    assert (traffic.peak_requests_per_second, traffic.average_requests_per_second) == (20, 20)
    assert endpoint.without_variants().traffic.peak_requests_per_second == 40, "copies take nothing away"


@pytest.mark.parametrize(
    ("stated", "place", "words"),
    [
        ("variants: {a1: {traffic_percent: 60}, b1: {traffic_percent: 40}}", "3  {}.variants", "share 100 %"),
        ("variants: {primary: {traffic_percent: 5}}", "3  {}.variants.primary", "choose another name"),
        ("variants: {shadow: {traffic_percent: 5}}", "3  {}.variants.shadow", "choose another name"),
        (
            "shadow: {}\n    variants: {a1: {traffic_percent: 5}}",
            "3  {}.shadow",
            "a shadow test compares one variant with one shadow",
        ),
        (
            "variants: {a1: {traffic_percent: 5, latency: {max_p95_ms: 1}}}",
            "3  {}.variants.a1.latency",
            "this key belongs elsewhere: workloads.<name>.latency",
        ),
        (
            "variants: {a1: {traffic_percent: 5, request: {input_tokens: null, images: 1}}}",
            "3  {}.variants.a1.request",
            "input_tokens",
        ),
        (
            "variants: {a1: {traffic_percent: 5, capacity_reservation_arn: "
            "'arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc'}}",
            "3  {}.variants.a1",
            "a reservation holds instances of one type",
        ),
        (
            "variants: {a1: {traffic_percent: 5, scaling: {min_instances: 3, max_instances: 2}}}",
            "3  {}.variants.a1.scaling",
            "3",
        ),
        (
            "variants: {a1: {traffic_percent: 5, pipeline: {before: [{name: f, processing_ms: 99, memory_gib: 1, "
            'image: {framework: scikit-learn, version: "1.9-0"}, '
            'images: {cpu_x86_64: {account: "111122223333", repository: f, tag: "1"}}}]}}}',
            "3  {}.variants.a1.pipeline.before.0.images",
            "stands beside image",
        ),
        (
            "variants: {a1: {traffic_percent: 5, pipeline: {before: [{name: f, processing_ms: 100, memory_gib: 1, "
            'image: {framework: scikit-learn, version: "1.9-0"}}]}}}',
            "3  {}.variants.a1",
            "nothing is left for the model",
        ),
        ("shadow: {pipeline: null}", "3  {}.shadow.pipeline", "unknown key"),
        ("variants: {a1: {}}", "3  {}.variants.a1", "traffic_percent"),
        ("shadow: {sampling_percent: 0}", "3  {}.shadow.sampling_percent", "a number above 0"),
        ("shadow: {scaling: {max_instances: 2}}", "3  {}.shadow.scaling", "unknown key"),
    ],
)
def test_what_does_not_go_together_is_told_at_its_key(
    message_for: MessageFor, stated: str, place: str, words: str
) -> None:
    message = message_for(f"{OF_BERT}    {stated}\n")
    assert "config/dev.yaml:" + place.format("workloads.support-bert") in message
    assert words in message


def test_a_rule_names_the_variant_that_has_the_fault_from_its_endpoint(message_for: MessageFor) -> None:
    message = message_for(
        "policy: {min_endpoint_instances: 2}\n" + OF_BERT + "    variants:\n"
        "      cheap: {traffic_percent: 5, scaling: {min_instances: 1}}\n"
    )
    assert message == (
        "config/dev.yaml:5  workloads.support-bert.variants.cheap.scaling.min_instances\n"
        "  1 instance(s), but policy.min_endpoint_instances asks for 2"
    )


def test_a_variant_may_be_a_version_of_the_model_registry(load_dev: LoadDev) -> None:
    package = "{group: support, version: 3, hardware: cuda, image_repository: {account: '111122223333', repository: a}}"
    loaded = load_dev(
        OF_BERT + "    variants:\n      next:\n        traffic_percent: 5\n"
        f"        container: {{images: null, artifact: null, model_package: {package}}}\n"
    )
    found = {
        path[1]: one.model_package
        for path, one in loaded.environment.apart().containers()
        if path[2:] == ("container",) and path[1] != "nightly-lora"
    }
    assert found.keys() == {"support-bert", "support-bert/next"}
    assert found["support-bert"] is None
    assert found["support-bert/next"].version == 3
