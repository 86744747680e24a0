from dataclasses import replace

import pytest

from sizewell.instance_selection import Architecture, HardwareKind, Precision, Usage, select_training_instance
from sizewell.instance_selection.catalog import Accelerator, InstanceType
from tests.instance_selection.builders import (
    GPU,
    LLAMA_2_7B,
    ROUND_CNN,
    catalog,
    cpu_instance,
    decoder_training,
    gpu_instance,
    limits,
    neuron_instance,
    rejection,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")


def test_the_filters_that_it_shares_with_endpoints_ask_about_training() -> None:
    hosting_only = gpu_instance("ml.h9.xlarge", usages=frozenset({Usage.HOSTING}))
    denied = gpu_instance("ml.d9.xlarge")
    no_image = cpu_instance("ml.a9.xlarge", cpu_architecture="arm64")
    nowhere = gpu_instance("ml.z9.xlarge")
    other = gpu_instance("ml.g9.xlarge")
    types = (hosting_only, denied, no_image, nowhere, other)
    known = catalog(*types, listed={one.name: frozenset({"hosting"}) for one in types if one is not nowhere})
    needs = training(limits=limits(images=frozenset({HardwareKind.CUDA}), denied_families=frozenset({"d9"})))

    selection = select_training_instance(needs, known)

    assert selection.chosen.instance_type == "ml.g9.xlarge"
    assert {one.instance_type: (one.filter, one.reason) for one in selection.rejected} == {
        "ml.a9.xlarge": ("image", "no container image for cpu_arm64"),
        "ml.d9.xlarge": ("policy", "family d9 is denied"),
        "ml.h9.xlarge": ("use", "SageMaker does not accept it for training (only for: hosting)"),
        "ml.z9.xlarge": ("region", "AWS prices no usage of it in us-east-1; no list says so for training"),
    }


def test_a_pinned_type_turns_down_every_other_one() -> None:
    known = catalog(gpu_instance("ml.g9.xlarge"), gpu_instance("ml.g9.2xlarge"))
    needs = training(limits=limits(instance_type="ml.g9.xlarge"))

    (other,) = select_training_instance(needs, known).rejected

    assert (other.filter, other.reason) == ("pinned", "the configuration asks for ml.g9.xlarge")


@pytest.mark.parametrize(
    ("instance_type", "max_instances", "reason"),
    [
        (gpu_instance(accelerator_count=4), 1, "4 accelerators at most, 8 asked"),
        (
            gpu_instance(accelerator_count=4, efa_supported=True),
            1,
            "4 accelerators at most, 8 asked",
        ),
        # Without EFA there is one instance, however many are allowed.
        (gpu_instance(accelerator_count=4), 2, "4 accelerators at most, 8 asked"),
        (cpu_instance(), 2, "0 accelerators at most, 8 asked"),
    ],
)
def test_fewer_accelerators_than_asked(instance_type: InstanceType, max_instances: int, reason: str) -> None:
    needs = training(min_accelerators=8, max_instances=max_instances)

    found = rejection(needs, catalog(instance_type))

    assert (found.filter, found.reason) == ("accelerators", reason)
    assert found.shortfall == (2.0 if instance_type.accelerator_count else None)


def test_a_table_is_trained_on_the_accelerators_of_one_instance() -> None:
    boosting = replace(ROUND_CNN, architecture=Architecture.GRADIENT_BOOSTING, precision=Precision.FP32)
    needs = training(model=boosting, min_accelerators=8, max_instances=2)

    found = rejection(needs, catalog(gpu_instance(accelerator_count=4, efa_supported=True)))

    assert (found.filter, found.reason) == ("accelerators", "4 accelerators at most, 8 asked")


def test_a_gpu_without_bf16_trains_a_bf16_model_in_fp16() -> None:
    v100 = replace(GPU, name="V100 16GB", bf16_dense_tflops=None)
    needs = training(model=replace(ROUND_CNN, precision=Precision.BF16))

    selection = select_training_instance(needs, catalog(gpu_instance(accelerator=v100)))

    assert selection.chosen.instance_type == "ml.g9.xlarge"


def test_hardware_without_a_known_rate_is_rejected() -> None:
    unknown = replace(GPU, name="K80", fp16_dense_tflops=None, bf16_dense_tflops=None)

    found = rejection(training(), catalog(gpu_instance(accelerator=unknown)))

    assert (found.filter, found.reason) == (
        "precision",
        "K80 has no half-precision arithmetic, or its rate is not published",
    )


@pytest.mark.parametrize("precision", [Precision.INT8, Precision.FP8])
def test_a_model_that_is_served_in_eight_bits_is_trained_in_bf16(precision: Precision) -> None:
    needs = training(model=replace(ROUND_CNN, precision=precision))

    selection = select_training_instance(needs, catalog(gpu_instance()))

    assert selection.chosen.instance_type == "ml.g9.xlarge"


def test_full_fine_tuning_of_7b_does_not_fit_one_v100() -> None:
    v100 = Accelerator(
        name="V100 16GB",
        vendor="NVIDIA",
        kind="cuda",
        memory_gib=16,
        memory_bandwidth_gb_s=900,
        fp16_dense_tflops=125,
    )
    p3 = gpu_instance("ml.p3.2xlarge", accelerator=v100, accelerator_memory_gib=16.0)

    found = rejection(decoder_training(model=LLAMA_2_7B), catalog(p3))

    # 16 bytes x 6.738 x 10^9 weights = 100.4 GiB, 0.5 of CUDA context, 0.5 of activations with recomputation;
    # 92 % of 16 GiB are usable.
    assert found.filter == "memory"
    assert found.reason == "needs 114.1 GiB on each accelerator, which offers 14.7"
    assert found.shortfall == pytest.approx(114.1 / 14.72, rel=1e-3)


def test_a_job_that_cannot_end_in_time() -> None:
    # An hour of work after ten minutes of start-up.
    found = rejection(training(deadline_hours=1), catalog(gpu_instance()))

    assert (found.filter, found.reason) == ("deadline", "1.2 h on 1 instance, 1 h asked")
    assert found.shortfall == pytest.approx(1 + 1 / 6)


def test_neuron_has_no_tensorflow() -> None:
    needs = training(model=replace(ROUND_CNN, framework="tensorflow"))

    found = rejection(needs, catalog(neuron_instance("ml.trn1.2xlarge")))

    assert found.filter == "neuron-sdk"
    assert found.reason.startswith("the Neuron SDK does not run it: ")


def test_what_a_small_batch_leaves_idle_is_said() -> None:
    needs = training(batch_size_per_accelerator=1)
    chosen = select_training_instance(needs, catalog(gpu_instance()))
    assert any(
        line.startswith("batch_size_per_accelerator is 1, which takes ") for line in chosen.assumptions
    )
