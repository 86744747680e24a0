"""A batch size that nobody states is derived, once for all types that a run may be tried on."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import NoFeasibleInstanceError, select_training_instance
from sizewell.instance_selection.requirements import TrainingRequirements
from sizewell.instance_selection.training_selection import LEAST_GAIN, with_batch_size
from tests.instance_selection.builders import TREES, catalog, decoder_training, gpu_instance, training

KNOWN = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})


def derived(needs: TrainingRequirements) -> int | None:
    return with_batch_size(replace(needs, batch_size_per_accelerator=None), KNOWN).batch_size_per_accelerator


def usd_per_run(needs: TrainingRequirements, batch_size: int) -> float:
    stated = replace(needs, batch_size_per_accelerator=batch_size)
    return select_training_instance(stated, KNOWN).chosen.estimate.usd_per_run or 0.0


def test_a_stated_batch_size_stays() -> None:
    assert with_batch_size(training(batch_size_per_accelerator=3), KNOWN).batch_size_per_accelerator == 3


def test_a_batch_is_doubled_while_that_makes_a_run_cheaper() -> None:
    needs = training()
    batch_size = derived(needs)

    assert batch_size is not None
    assert batch_size > 1
    assert usd_per_run(needs, batch_size) <= (1 - LEAST_GAIN) * usd_per_run(needs, batch_size // 2)
    assert usd_per_run(needs, 2 * batch_size) > (1 - LEAST_GAIN) * usd_per_run(needs, batch_size)


def test_one_sequence_that_keeps_an_accelerator_busy_stays_alone() -> None:
    assert derived(decoder_training()) == 1


def test_a_batch_is_not_larger_than_memory_holds() -> None:
    # A step changes many weights, which more examples share; each keeps 0.6 GiB of activations.
    model = replace(training().model, parameters=0.8e9, activations_per_image=1e8)
    full = training(model=model)
    batch_size = derived(full)

    assert batch_size is not None
    assert batch_size > 1
    assert usd_per_run(full, batch_size)
    with pytest.raises(NoFeasibleInstanceError, match="memory"):
        usd_per_run(full, 2 * batch_size)


def test_the_deadline_is_met_where_a_larger_batch_meets_it() -> None:
    needs = training(units=60_000_000)
    hours = select_training_instance(
        replace(needs, batch_size_per_accelerator=64, deadline_hours=10_000), KNOWN
    ).chosen.estimate.duration_hours
    tight = replace(needs, deadline_hours=1.5 * hours)

    with pytest.raises(NoFeasibleInstanceError, match="deadline"):
        select_training_instance(replace(tight, batch_size_per_accelerator=1), KNOWN)
    chosen = select_training_instance(replace(tight, batch_size_per_accelerator=None), KNOWN).chosen
    assert chosen.estimate.batch_size_per_accelerator > 1


def test_a_table_has_no_batches() -> None:
    assert derived(training(model=TREES)) == 1
