from dataclasses import replace
from typing import Any

import pytest

from sizewell.instance_selection import (
    EndpointRequirements,
    HardwareKind,
    InstanceLimits,
    Precision,
    Usage,
    select_endpoint_instance,
)
from sizewell.instance_selection.catalog import InstanceType
from tests.instance_selection.builders import (
    CPU,
    GPU,
    ROUND_CNN,
    ROUND_DECODER,
    catalog,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    gpu_instance,
    limits,
    neuron_instance,
    rejection,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")


def rejected(needs: EndpointRequirements, instance_type: InstanceType, **world: Any) -> tuple[str, str]:
    found = rejection(needs, catalog(instance_type, **world))
    return found.filter, found.reason


def test_a_type_that_fails_several_filters_is_reported_with_the_first() -> None:
    burstable = cpu_instance("ml.t9.large", usages=frozenset({Usage.TRAINING}), burstable=True)

    assert rejected(endpoint(max_p95_latency_ms=1), burstable)[0] == "use"


def test_a_pinned_type_turns_down_every_other_one_even_a_cheaper_one() -> None:
    known = catalog(
        cpu_instance("ml.c9.xlarge"),
        cpu_instance("ml.c9.2xlarge"),
        usd_per_hour={"ml.c9.xlarge": 1, "ml.c9.2xlarge": 2},
    )
    needs = endpoint(limits=limits(instance_type="ml.c9.2xlarge"))

    selection = select_endpoint_instance(needs, known)

    assert selection.chosen.instance_type == "ml.c9.2xlarge"
    (other,) = selection.rejected
    assert (other.filter, other.reason) == ("pinned", "the configuration asks for ml.c9.2xlarge")


@pytest.mark.parametrize(
    ("usages", "others"),
    [
        ({Usage.TRAINING, Usage.PROCESSING}, "processing, training"),
        (set(), "none"),
    ],
)
def test_a_type_that_the_api_does_not_accept_for_hosting(usages: set[Usage], others: str) -> None:
    training_only = gpu_instance(usages=frozenset(usages))

    assert rejected(endpoint(), training_only) == (
        "use",
        f"SageMaker does not accept it for hosting (only for: {others})",
    )


def test_a_type_that_aws_does_not_price_for_hosting_in_the_region() -> None:
    priced_elsewhere = {"ml.g9.xlarge": frozenset({"processing"})}

    assert rejected(endpoint(), gpu_instance(), listed=priced_elsewhere) == (
        "region",
        "AWS does not publish a hosting price for it in us-east-1",
    )


@pytest.mark.parametrize(
    ("policy", "instance_type", "reason"),
    [
        (
            limits(allowed_families=frozenset({"c9"})),
            gpu_instance(),
            "family g9 is not among the allowed families",
        ),
        (limits(denied_families=frozenset({"g9"})), gpu_instance(), "family g9 is denied"),
        (
            limits(allow_burstable=False),
            cpu_instance("ml.t9.large", burstable=True),
            "burstable types are not allowed in this environment",
        ),
    ],
    ids=["allowed families", "denied families", "burstable"],
)
def test_what_the_environment_does_not_allow(
    policy: InstanceLimits, instance_type: InstanceType, reason: str
) -> None:
    assert rejected(endpoint(limits=policy), instance_type) == ("policy", reason)


@pytest.mark.parametrize(
    ("instance_type", "kind"),
    [
        (gpu_instance(), "cuda"),
        (neuron_instance(), "neuron"),
        (cpu_instance(), "cpu_x86_64"),
        (cpu_instance(cpu_architecture="arm64"), "cpu_arm64"),
    ],
)
def test_a_kind_of_hardware_without_an_image(instance_type: InstanceType, kind: str) -> None:
    other_images = frozenset(HardwareKind) - {HardwareKind(kind)}

    assert rejected(endpoint(limits=limits(images=other_images)), instance_type) == (
        "image",
        f"no container image for {kind}",
    )


def test_where_one_name_stands_for_the_images_it_is_told() -> None:
    named = limits(images=frozenset({HardwareKind.CUDA}), image_name="vllm 0.31")

    assert rejected(endpoint(limits=named), neuron_instance()) == (
        "image",
        "no container image for neuron: vllm 0.31 has none",
    )


def test_an_accelerator_that_no_image_is_built_for() -> None:
    gaudi = gpu_instance(accelerator=replace(GPU, kind="other"))

    assert rejected(endpoint(), gaudi) == ("image", "no container image for its accelerator")


def test_an_accelerator_that_nothing_is_known_about_runs_no_image() -> None:
    assert rejected(endpoint(), gpu_instance(accelerator=None)) == (
        "image",
        "no container image for its accelerator",
    )


def test_neuron_has_no_tensorflow() -> None:
    needs = endpoint(model=replace(ROUND_CNN, framework="tensorflow"))

    filter_, reason = rejected(needs, neuron_instance("ml.inf2.xlarge"))

    assert filter_ == "neuron-sdk"
    assert reason.startswith("the Neuron SDK does not run it: ")
    assert select_endpoint_instance(needs, catalog(gpu_instance())).chosen.instance_type == "ml.g9.xlarge"


def test_a_neuron_family_of_which_nothing_is_documented_is_not_rejected() -> None:
    assert select_endpoint_instance(endpoint(), catalog(neuron_instance())).rejected == ()


def test_a_burstable_type_cannot_follow_a_stated_range_of_instances() -> None:
    burstable = cpu_instance("ml.t9.large", burstable=True)
    needs = endpoint(
        limits=limits(allow_burstable=True), min_instances=1, max_instances=4, max_instances_is_stated=True
    )

    assert rejected(needs, burstable) == (
        "autoscaling",
        "burstable types cannot be autoscaled, and the configuration asks for a range of instances",
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"min_instances": 4, "max_instances": 4, "max_instances_is_stated": True},
        {"min_instances": 1, "max_instances": 4, "max_instances_is_stated": False},
    ],
    ids=["fixed number", "ceiling of the policy"],
)
def test_a_burstable_type_serves_where_no_range_is_stated(changes: dict[str, Any]) -> None:
    burstable = cpu_instance("ml.t9.large", burstable=True)
    needs = endpoint(limits=limits(allow_burstable=True), peak_requests_per_second=1, **changes)

    assert select_endpoint_instance(needs, catalog(burstable)).chosen.instance_type == "ml.t9.large"


@pytest.mark.parametrize(
    ("precision", "instance_type", "reason"),
    [
        (
            Precision.FP8,
            gpu_instance(),
            "Round GPU has no fp8 arithmetic, or its rate is not published",
        ),
        (
            Precision.FP16,
            gpu_instance(accelerator=replace(GPU, memory_bandwidth_gb_s=None)),
            "the memory bandwidth of Round GPU is not published",
        ),
        (
            Precision.INT8,
            cpu_instance(),
            "the CPU of c9 has no int8 arithmetic, or its rate is not known",
        ),
        (
            Precision.FP8,
            cpu_instance(),
            "the CPU of c9 has no fp8 arithmetic, or its rate is not known",
        ),
        (
            Precision.FP32,
            cpu_instance(cpu=None),
            "the arithmetic rate of the CPU of c9 is not known",
        ),
        (
            Precision.FP32,
            cpu_instance(cpu=replace(CPU, peak_fp32_gflops_per_vcpu=None)),
            "the arithmetic rate of the CPU of c9 is not known",
        ),
    ],
)
def test_hardware_without_the_precision_or_without_a_known_rate(
    precision: Precision, instance_type: InstanceType, reason: str
) -> None:
    needs = endpoint(model=replace(ROUND_CNN, precision=precision))

    assert rejected(needs, instance_type) == ("precision", reason)


def test_a_model_that_does_not_fit_into_one_accelerator() -> None:
    # 10^10 weights x 2 bytes = 18.63 GiB, and 0.5 GiB of CUDA context; 92 % of 20 GiB are usable.
    needs = endpoint(model=replace(ROUND_CNN, parameters=10e9))

    found = rejection(needs, catalog(gpu_instance()))

    assert (found.filter, found.reason) == ("memory", "needs 19.1 GiB, memory offers 18.4")
    assert found.shortfall == pytest.approx(19.1 / 18.4, rel=1e-2)


def test_a_decoder_that_does_not_fit_into_all_accelerators_together() -> None:
    # 4 x 10^10 weights x 2 bytes / 4 = 18.63 GiB; context, communication and the engine's reserve take 0.5, 1.8 and 0.7,
    # sampling 0.3.
    needs = decoder_endpoint(model=replace(ROUND_DECODER, parameters=40e9))

    assert rejected(needs, gpu_instance(accelerator_count=4)) == (
        "memory",
        "needs 21.9 GiB, each of 4 accelerators offers 18.4",
    )


def test_unknown_accelerator_memory_never_fits_and_has_no_shortfall() -> None:
    found = rejection(endpoint(), catalog(gpu_instance(accelerator_memory_gib=None)))

    assert (found.filter, found.reason) == ("memory", "needs 0.5 GiB, memory offers 0.0")
    assert found.shortfall is None


def test_weights_that_do_not_pass_through_the_host() -> None:
    # 8 x 10^9 weights x 2 bytes = 14.9 GiB; 85 % of 16 GiB are usable.
    needs = endpoint(model=replace(ROUND_CNN, parameters=8e9))

    assert rejected(needs, gpu_instance(memory_gib=16)) == (
        "host-memory",
        "14.9 GiB of weights pass through 13.6 GiB of usable host memory",
    )


def test_the_host_holds_the_weights_of_all_accelerators_of_a_tensor_parallel_group() -> None:
    # 1.5 x 10^10 weights x 2 bytes = 27.9 GiB on two accelerators.
    needs = decoder_endpoint(model=replace(ROUND_DECODER, parameters=15e9))

    assert rejected(needs, gpu_instance(memory_gib=32, accelerator_count=2)) == (
        "host-memory",
        "27.9 GiB of weights pass through 27.2 GiB of usable host memory",
    )


def test_weights_that_do_not_fit_on_a_local_disk() -> None:
    # 8 x 10^9 weights x 2 bytes are 16 GB. A volume can be made larger, a local disk cannot.
    needs = endpoint(model=replace(ROUND_CNN, parameters=8e9))

    found = rejection(needs, catalog(gpu_instance(local_storage_gb=10, local_storage_nvme=True)))

    assert (found.filter, found.reason) == ("disk", "needs 16 GB of disk for the artifact, offers 10")
    assert found.shortfall == 1.6
    assert select_endpoint_instance(needs, catalog(gpu_instance(local_storage_gb=10))).rejected == ()


def test_artifact_that_is_larger_than_any_volume() -> None:
    # A volume has 512 GiB, of which the image and the logs take 30.
    assert select_endpoint_instance(endpoint(artifact_gib=482), catalog(gpu_instance())).rejected == ()

    found = rejection(endpoint(artifact_gib=483), catalog(gpu_instance()))

    assert (found.filter, found.reason) == ("disk", "needs 519 GB of disk for the artifact, offers 518")


def test_an_idle_instance_that_is_too_slow() -> None:
    # 10^10 operations at half of 4 x 100 GFLOPS: 50 ms; the 95th percentile is 1.2 times that.
    found = rejection(endpoint(max_p95_latency_ms=40), catalog(cpu_instance()))

    assert (found.filter, found.reason) == ("latency", "p95 of 60 ms on an idle instance, 40 ms asked")
    assert found.shortfall == pytest.approx(60 / 40)


def test_a_peak_that_needs_more_instances_than_are_allowed() -> None:
    # 0.85 / 50 ms = 17 requests per second of one instance, 30 % of them kept free: 11.9; 100 need 9.
    found = rejection(endpoint(peak_requests_per_second=100, max_instances=3), catalog(cpu_instance()))

    assert (found.filter, found.reason) == (
        "throughput",
        "9 instances carry the peak, at most 3 are allowed",
    )
    assert found.shortfall == 3.0
