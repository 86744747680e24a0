"""The user's words become the units of the selection."""

from typing import Any

import pytest

from sizewell.config.repeated_runs import runs_per_month
from sizewell.instance_selection import HardwareKind, SpotRequirements
from sizewell.instance_selection.latency_bounds import BOUNDS
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.kinds.real_time_endpoint.needs import endpoint_requirements
from sizewell.planning.translate import instance_limits, training_requirements
from tests.planning.builders import (
    IMAGE,
    container,
    endpoint,
    environment,
    llm_endpoint,
    llm_training_job,
    policy,
    training_job,
)


def test_average_of_users_is_their_peak_by_default() -> None:
    needs = endpoint_requirements(llm_endpoint(traffic={"peak_concurrent_users": 7}), policy())
    assert (needs.peak_concurrent_users, needs.average_concurrent_users) == (7.0, 7.0)
    assert needs.peak_requests_per_second is None


def test_stated_average_of_users_is_kept() -> None:
    traffic = {"peak_concurrent_users": 7, "average_concurrent_users": 2}
    assert endpoint_requirements(llm_endpoint(traffic=traffic), policy()).average_concurrent_users == 2


def test_requests_per_second_leave_the_users_open() -> None:
    needs = endpoint_requirements(endpoint(), policy())
    assert (needs.peak_requests_per_second, needs.average_requests_per_second) == (10, 5)
    assert needs.peak_concurrent_users is None


def test_policy_bounds_the_number_of_instances() -> None:
    needs = endpoint_requirements(endpoint(), policy(min_endpoint_instances=2, max_endpoint_instances=6))
    assert (needs.min_instances, needs.max_instances, needs.max_instances_is_stated) == (2, 6, False)


def test_workload_states_its_own_number_of_instances() -> None:
    needs = endpoint_requirements(endpoint(scaling={"min_instances": 3, "max_instances": 4}), policy())
    assert (needs.min_instances, needs.max_instances, needs.max_instances_is_stated) == (3, 4, True)


@pytest.mark.parametrize(
    ("by_policy", "by_workload", "both"),
    [
        (None, None, None),
        (["g5", "g6"], None, {"g5", "g6"}),
        (None, ["g6"], {"g6"}),
        (["g5", "g6"], ["g6", "c7i"], {"g6"}),
        (["g5"], ["c7i"], set()),
    ],
)
def test_allowed_families_are_those_that_policy_and_workload_both_allow(
    by_policy: list[str] | None, by_workload: list[str] | None, both: set[str] | None
) -> None:
    workload = endpoint(instances={"allowed_families": by_workload})
    limits = instance_limits(workload.instances, workload.container, policy(allowed_families=by_policy))
    assert limits.allowed_families == both


def test_denied_families_add_up() -> None:
    workload = endpoint(instances={"denied_families": ["g5"]})
    limits = instance_limits(workload.instances, workload.container, policy(denied_families=["p5"]))
    assert limits.denied_families == {"g5", "p5"}


def test_only_hardware_with_an_image_may_be_picked() -> None:
    workload = endpoint(
        container=container(images={"cpu_arm64": IMAGE, "cuda": IMAGE}, artifact={"key": "model.tar.gz"})
    )
    limits = instance_limits(workload.instances, workload.container, policy())
    assert limits.images == {HardwareKind.CPU_ARM64, HardwareKind.CUDA}


def test_the_name_of_the_images_is_told_with_the_hardware_that_has_none() -> None:
    image = {"framework": "huggingface-pytorch", "version": "2.6"}
    named = environment(
        {"it": endpoint(container=container(images={}, image=image, artifact={"key": "model.tar.gz"}))}
    )
    workload = named.part(None).workloads["it"]
    assert isinstance(workload, RealTimeEndpoint)
    limits = instance_limits(workload.instances, workload.container, policy())
    assert limits.images == {HardwareKind.CUDA, HardwareKind.CPU_X86_64}
    assert limits.image_name == "huggingface-pytorch 2.6"
    assert limits.cuda == (12, 4)


def test_the_cuda_of_an_image_is_what_its_tag_names() -> None:
    written = [
        instance_limits(workload.instances, workload.container, policy()).cuda
        for tag in ("2.13.0-gpu-py312-cu130-ubuntu22.04", "latest")
        for workload in [
            endpoint(
                container=container(images={"cuda": {**IMAGE, "tag": tag}}, artifact={"key": "m.tar.gz"})
            )
        ]
    ]
    assert written == [(13, 0), None]


@pytest.mark.parametrize(("every", "runs"), [("day", 365 / 12), ("week", 365 / 84), ("month", 1)])
def test_schedule_says_how_often_a_job_runs(every: str, runs: float) -> None:
    assert runs_per_month(training_job(schedule={"every": every})) == pytest.approx(runs)


def test_people_say_how_often_they_start_a_job() -> None:
    assert runs_per_month(training_job(runs_per_month=2.5)) == 2.5


def test_unknown_number_of_runs_stays_unknown() -> None:
    assert runs_per_month(training_job()) is None


def test_stated_wait_is_kept() -> None:
    job = training_job(
        deadline_hours=5, spot={"enabled": True, "max_wait_hours": 3}, checkpoint={"interval_minutes": 30}
    )
    needs = training_requirements(job, policy(), "full")
    assert needs.spot == SpotRequirements(
        checkpoint_interval_hours=0.5, on_demand_fallback=True, max_wait_hours=3
    )


def test_job_on_demand_has_no_spot_needs() -> None:
    assert training_requirements(training_job(), policy(), "full").spot is None


def test_units_of_all_epochs_add_up() -> None:
    dataset = {"prefix": "data", "size_gib": 1, "examples": 1000, "epochs": 90}
    assert training_requirements(training_job(dataset=dataset), policy(), "full").units == 90_000


def test_tokens_are_counted_in_whole_units() -> None:
    dataset = {"prefix": "data", "size_gib": 1, "tokens_millions": 2.5, "epochs": 2}
    assert training_requirements(llm_training_job(dataset=dataset), policy(), "full").units == 5e6


def test_adapters_are_half_a_percent_of_the_model_by_default() -> None:
    assert training_requirements(llm_training_job(), policy(), "lora").lora_parameters == 5e6


def test_packed_artifact_lies_on_the_disk_beside_its_contents() -> None:
    for key, compression, room_gib in (("m.tar.gz", "gzip", 20), ("m/", "none", 10)):
        artifact = {"key": key, "compression": compression, "size_gib": 10}
        needs = endpoint_requirements(endpoint(container=container(artifact=artifact)), policy())
        assert needs.artifact_gib == room_gib
    assert endpoint_requirements(endpoint(), policy()).artifact_gib is None


def test_stated_size_of_adapters_is_kept() -> None:
    job = llm_training_job(method="lora", lora_parameters_millions=20)
    assert training_requirements(job, policy(), "lora").lora_parameters == 20e6


def test_policy_says_how_much_room_estimates_leave() -> None:
    under = policy(margin=0.1)
    assert endpoint_requirements(endpoint(), under).margin == 0.1
    assert training_requirements(training_job(), under, "full").margin == 0.1


@pytest.mark.parametrize("margin", [0, 0.3])
def test_workload_says_its_own_margin(margin: float) -> None:
    under = policy(margin=0.1)
    assert endpoint_requirements(endpoint(margin=margin), under).margin == margin
    assert training_requirements(training_job(margin=margin), under, "full").margin == margin


def test_endpoint_without_wishes_is_the_cheapest_at_on_demand_prices() -> None:
    needs = endpoint_requirements(endpoint(), policy())
    assert (needs.objective, needs.max_usd_per_month, needs.savings_plan_discount_pct) == (
        "least-cost",
        None,
        0,
    )


def test_endpoint_may_ask_for_the_fastest_within_a_budget() -> None:
    needs = endpoint_requirements(endpoint(objective="least-latency", max_usd_per_month=500), policy())
    assert (needs.objective, needs.max_usd_per_month) == ("least-latency", 500)


def test_job_may_have_a_budget_for_each_run() -> None:
    assert training_requirements(training_job(max_usd_per_run=5), policy(), "full").max_usd_per_run == 5


def test_savings_plan_holds_for_all_but_spot() -> None:
    under = policy(savings_plan={"discount_percent": 30}, allow_spot=True)
    on_spot = training_job(spot={"enabled": True}, checkpoint={"interval_minutes": 30})
    assert endpoint_requirements(endpoint(), under).savings_plan_discount_pct == 30
    assert training_requirements(training_job(), under, "full").savings_plan_discount_pct == 30
    assert training_requirements(on_spot, under, "full").savings_plan_discount_pct == 0


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ({"architecture": "cnn", "parameters_millions": 1}, "images"),
        ({"architecture": "rnn", "parameters_millions": 1}, "clips"),
        (
            {
                "architecture": "time-series",
                "parameters_millions": 1,
                "context_length": 5,
                "prediction_length": 5,
            },
            "series",
        ),
        ({"architecture": "linear", "features": 1}, "rows"),
    ],
)
def test_whatever_a_request_holds_is_counted(model: dict[str, Any], key: str) -> None:
    assert endpoint_requirements(endpoint(model=model, request={key: 7}), policy()).images_per_request == 7


def test_job_says_what_is_assumed_of_its_model() -> None:
    job = llm_training_job(model={"architecture": "decoder", "parameters_millions": 1000})
    batch, shape = training_requirements(job, policy(), "full").assumptions
    assert batch.startswith("batch_size_per_accelerator is derived")
    assert shape.endswith("assumed from the number of weights")


def test_training_of_a_forecaster_draws_no_paths() -> None:
    model = {
        "architecture": "time-series",
        "parameters_millions": 1,
        "context_length": 48,
        "prediction_length": 24,
    }
    needs = training_requirements(training_job(model=model), policy(), "full")
    assert (needs.model.samples, needs.sequence_length) == (1, 72)
    asked = endpoint_requirements(endpoint(model=model, request={"series": 3}), policy())
    assert (asked.model.samples, asked.input_tokens) == (100, 0)


def test_all_patches_of_a_series_are_before_a_transformer() -> None:
    model = {
        "architecture": "time-series",
        "parameters_millions": 1,
        "context_length": 48,
        "prediction_length": 24,
        "patch_length": 8,
    }
    asked = endpoint_requirements(endpoint(model=model, request={"series": 3}), policy())
    assert asked.input_tokens == (48 + 24) / 8


def test_every_bound_of_latency_is_a_need() -> None:
    latency = {
        "max_p95_ms": 9000,
        "max_p99_ms": 10_000,
        "max_time_to_first_token_ms": 400,
        "max_inter_token_ms": 80,
    }
    needs = endpoint_requirements(llm_endpoint(latency=latency), policy())
    assert [bound.asked_ms(needs) for bound in BOUNDS] == [9000, 10_000, 400, 80]


def test_a_time_between_tokens_that_the_whole_answer_asks_already_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"is 90 and has no effect: 100 tokens within max_p95_ms \(9000\) are 90 ms"
    ):
        llm_endpoint(latency={"max_p95_ms": 9000, "max_inter_token_ms": 90})
