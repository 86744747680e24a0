"""Disks are large enough, within the limits of the API, and encrypted by the right party."""

from sizewell.planning.volumes import endpoint_volume_size_gib, has_local_disks, training_volume_size_gib
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, planned_endpoint, planned_job, training_job

EBS = gpu_instance("ml.g9.xlarge")
NVME = gpu_instance("ml.g9.xlarge", local_storage_gb=125.0, local_storage_nvme=True)


def test_only_nvme_disks_refuse_a_key() -> None:
    assert has_local_disks(NVME)
    assert not has_local_disks(EBS)


def test_endpoint_on_nvme_has_neither_volume_nor_key() -> None:
    plan = planned_endpoint(catalog(NVME))
    assert plan.volume_size_gib is None
    assert plan.encrypt_volume_with_key is False


def test_endpoint_on_ebs_holds_its_artifact_twice_under_a_key() -> None:
    artifact = {"key": "model.tar.gz", "size_gib": 12}
    plan = planned_endpoint(
        catalog(EBS),
        endpoint(container={**endpoint().container.model_dump(exclude={"artifact"}), "artifact": artifact}),
    )
    assert plan.volume_size_gib == 30 + 24
    assert plan.encrypt_volume_with_key is True


def test_endpoint_volume_stays_within_the_limit_of_a_production_variant() -> None:
    assert endpoint_volume_size_gib(400) == 512


def test_training_volume_holds_three_checkpoints_and_scratch() -> None:
    assert training_volume_size_gib(EBS, checkpoint_gib=20.5) == 30 + 20 + 62


def test_training_volume_does_not_grow_with_the_dataset_because_it_is_streamed() -> None:
    small, large = (
        planned_job(catalog(EBS), training_job(dataset={"prefix": "d", "size_gib": size, "examples": 1000}))
        for size in (1, 10_000)
    )
    assert small.attempts == large.attempts


def test_training_volume_stays_within_the_limit_of_a_training_job() -> None:
    assert training_volume_size_gib(EBS, checkpoint_gib=10_000) == 16_384


def test_training_on_nvme_never_asks_for_more_than_the_disks_hold() -> None:
    assert training_volume_size_gib(NVME, checkpoint_gib=100) == 125


def test_small_training_job_on_nvme_asks_for_what_it_needs() -> None:
    assert training_volume_size_gib(NVME, checkpoint_gib=10) == 80


def test_training_disk_has_room_for_the_optimizer_states_of_a_checkpoint() -> None:
    model = {**training_job().model.model_dump(), "parameters_millions": 2**29 / 1e6}
    (attempt,) = planned_job(catalog(EBS), training_job(model=model, max_instances=1)).attempts
    assert attempt.volume_size_gib == 30 + 20 + 3 * 6
    assert attempt.encrypt_volume_with_key is True


def test_training_on_nvme_has_no_key() -> None:
    (attempt,) = planned_job(catalog(NVME)).attempts
    assert attempt.encrypt_volume_with_key is False
