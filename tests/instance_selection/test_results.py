"""Results that are made without validation are the same as validated ones."""

from collections.abc import Iterator

import pytest
from pydantic import ValidationError

from sizewell.instance_selection import (
    EndpointEstimate,
    NoFeasibleInstanceError,
    Rejection,
    Selection,
    TrainingEstimate,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.results import MemoryEstimate, Result
from tests.instance_selection.builders import (
    catalog,
    cpu_instance,
    decoder_endpoint,
    decoder_training,
    endpoint,
    gpu_instance,
    training,
)

KNOWN = catalog(
    cpu_instance(),
    gpu_instance(),
    gpu_instance("ml.g9.2xlarge", accelerator_count=2),
    gpu_instance("ml.x9.xlarge", accelerator=None),
    usd_per_hour={"ml.c9.xlarge": 1.0, "ml.g9.xlarge": 2.0},
)
ENDPOINTS = {
    "image": endpoint(),
    "decoder": decoder_endpoint(max_p95_latency_ms=60_000),
    "savings plan": endpoint(savings_plan_discount_pct=10),
    "budget": endpoint(max_usd_per_month=1000),
}
TRAININGS = {"image": training(deadline_hours=500), "decoder": decoder_training(deadline_hours=500)}


def parts(result: Result) -> Iterator[Result]:
    """Yield a result and all that it is made of."""
    yield result
    for name in type(result).model_fields:
        value = getattr(result, name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Result):
                yield from parts(one)


def assert_as_validated(result: Result) -> None:
    for one in parts(result):
        kind = type(one)
        fields = list(kind.model_fields)
        # In the order of the fields, because that is the order in which they are written.
        assert list(one.__dict__) == fields, kind.__name__
        validated = kind(**one.__dict__)
        assert validated == one
        assert hash(validated) == hash(one)
        assert one.model_fields_set == set(fields)
        assert validated.model_dump_json() == one.model_dump_json()


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_selection_of_an_endpoint_is_as_if_it_were_validated(name: str) -> None:
    found = select_endpoint_instance(ENDPOINTS[name], KNOWN)

    assert_as_validated(found)
    assert Selection[EndpointEstimate].model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize("name", TRAININGS)
def test_a_selection_of_a_job_is_as_if_it_were_validated(name: str) -> None:
    found = select_training_instance(TRAININGS[name], KNOWN)

    assert_as_validated(found)
    assert Selection[TrainingEstimate].model_validate_json(found.model_dump_json()) == found


def test_rejections_of_an_error_are_as_if_they_were_validated() -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        select_endpoint_instance(endpoint(max_p95_latency_ms=1e-6), KNOWN)

    for one in raised.value.rejected:
        assert_as_validated(one)


def test_a_trusted_result_is_as_frozen_as_any() -> None:
    trusted = Rejection.trusted(
        {"instance_type": "ml.a.b", "filter": "image", "reason": "none", "shortfall": None}
    )

    with pytest.raises(ValidationError, match="frozen"):
        trusted.reason = "another"  # type: ignore[misc]
    assert trusted.model_copy(update={"reason": "x"}).reason == "x"
    assert repr(trusted) == repr(Rejection(instance_type="ml.a.b", filter="image", reason="none"))


def test_the_sum_of_memory_is_written_and_not_read() -> None:
    memory = MemoryEstimate(weights_gib=1.0, usable_gib=2.0)

    assert memory.needed_gib == 1.0
    assert memory.fits
    assert MemoryEstimate.model_validate_json(memory.model_dump_json()) == memory
    assert not MemoryEstimate(weights_gib=3.0, usable_gib=2.0).fits
