"""What a better or cheaper type does to a choice: laws over a small catalog that is changed."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import (
    Candidate,
    Catalog,
    EndpointRequirements,
    NoFeasibleInstanceError,
    Precision,
    TrainingRequirements,
    load_catalog,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.catalog import InstanceType
from tests.instance_selection.builders import BERT_BASE, LLAMA_3_8B, RESNET_50, catalog, limits
from tests.instance_selection.strategies import endpoint_needs, training_needs

NAMES = (
    "ml.c5.2xlarge",
    "ml.m7i.4xlarge",
    "ml.g5.xlarge",
    "ml.g6.12xlarge",
    "ml.inf2.xlarge",
    "ml.p4d.24xlarge",
)
REAL = tuple(load_catalog("us-east-1").get(name) for name in NAMES)
PRICES = {name: 0.5 * 2**i for i, name in enumerate(NAMES)}
Needs = EndpointRequirements | TrainingRequirements
any_needs = st.one_of(endpoint_needs(), training_needs()).map(lambda needs: replace(needs, limits=limits()))
laws = settings(derandomize=True, max_examples=60, database=None)


def ranked(needs: Needs, known: Catalog) -> list[Candidate[Any]]:
    try:
        found: Any = (
            select_endpoint_instance(needs, known)
            if isinstance(needs, EndpointRequirements)
            else select_training_instance(needs, known)
        )
    except NoFeasibleInstanceError:
        return []
    return [found.chosen, *found.runners_up]


def names(needs: Needs, types: Iterable[InstanceType] = REAL, prices: dict[str, float] = PRICES) -> list[str]:
    return [one.instance_type for one in ranked(needs, catalog(*types, usd_per_hour=prices))]


def better(one: InstanceType, what: str, factor: float) -> InstanceType:
    """Return a type whose chip is so many times better at something, and otherwise of the same kind."""
    if one.accelerator is None:
        return one
    fields = {
        "arithmetic": (
            "fp32_tflops",
            "tf32_tflops",
            "fp16_dense_tflops",
            "bf16_dense_tflops",
            "int8_dense_tops",
        ),
        "bandwidth": ("memory_bandwidth_gb_s",),
        "link": ("interconnect_gb_s",),
    }.get(what, ())
    chip = one.accelerator
    changed = {name: value * factor for name in fields if (value := getattr(chip, name)) is not None}
    memory = factor if what == "memory" else 1.0
    return replace(
        one,
        accelerator=replace(chip, **changed),
        accelerator_memory_gib=(one.accelerator_memory_gib or 0) * memory,
    )


@laws
@given(any_needs, st.sampled_from(NAMES), st.floats(0.05, 1.0))
def test_a_cheaper_price_never_loses_a_rank(needs: Needs, name: str, factor: float) -> None:
    before = names(needs)
    after = names(needs, prices=PRICES | {name: PRICES[name] * factor})

    assert set(after) == set(before)
    if name in before:
        assert after.index(name) <= before.index(name)
        others = [one for one in before if one != name]
        assert [one for one in after if one != name] == others


@laws
@given(any_needs, st.sets(st.sampled_from(NAMES), max_size=len(NAMES) - 1))
def test_an_unknown_price_never_wins_over_a_known_one(needs: Needs, unknown: set[str]) -> None:
    found = names(needs, prices={name: usd for name, usd in PRICES.items() if name not in unknown})

    assert [name in unknown for name in found] == sorted(name in unknown for name in found)


@laws
@given(any_needs, st.sampled_from(["arithmetic", "bandwidth", "link", "memory"]), st.floats(1.0, 8.0))
def test_a_better_chip_of_the_same_kind_never_makes_a_type_infeasible(
    needs: Needs, what: str, factor: float
) -> None:
    assert set(names(needs)) <= set(names(needs, (better(one, what, factor) for one in REAL)))


@laws
@given(any_needs, st.sets(st.sampled_from(NAMES), min_size=1))
def test_a_type_is_judged_the_same_whatever_else_is_in_the_catalog(needs: Needs, kept: set[str]) -> None:
    some = [one for one in REAL if one.name in kept]

    alone = {one.instance_type: one for one in ranked(needs, catalog(*some, usd_per_hour=PRICES))}
    together = {one.instance_type: one for one in ranked(needs, catalog(*REAL, usd_per_hour=PRICES))}

    assert alone.keys() == together.keys() & kept
    for name, one in alone.items():
        assert one.cost == together[name].cost or one.cost.usd_per_month == pytest.approx(
            together[name].cost.usd_per_month
        )


#: Numbers that nobody would write, but somebody does.
absurd = st.sampled_from([1e-9, 1e-3, 1.0, 1e3, 1e9, 1e18])


@laws
@given(
    st.sampled_from([BERT_BASE, RESNET_50, LLAMA_3_8B]),
    endpoint_needs(),
    absurd,
    absurd,
    st.sampled_from([0, 1, 10**6]),
    st.sampled_from([0, 1, 10**9]),
    st.sampled_from(Precision),
)
@pytest.mark.filterwarnings("error")
def test_absurd_endpoints_end_in_a_choice_or_in_the_reasons_against_all(
    model: Any,
    needs: EndpointRequirements,
    size: float,
    bound: float,
    layers: int,
    tokens: int,
    precision: Precision,
) -> None:
    strange = replace(
        needs,
        model=replace(
            model,
            parameters=size,
            layers=layers,
            hidden_size=0,
            embedding_parameters=0.0,
            precision=precision,
        ),
        limits=limits(),
        max_p95_latency_ms=bound,
        input_tokens=tokens,
    )

    ranked(strange, catalog(*REAL, usd_per_hour=PRICES))


@laws
@given(
    training_needs(), absurd, absurd, absurd, st.sampled_from([0, 1, 10**6]), st.sampled_from([0, 1, 10**6])
)
@pytest.mark.filterwarnings("error")
def test_absurd_jobs_end_in_a_choice_or_in_the_reasons_against_all(
    needs: TrainingRequirements, size: float, units: float, deadline: float, layers: int, length: int
) -> None:
    strange = replace(
        needs,
        model=replace(needs.model, parameters=size, layers=layers, hidden_size=0, embedding_parameters=0.0),
        limits=limits(),
        units=units,
        deadline_hours=deadline,
        sequence_length=length,
    )

    ranked(strange, catalog(*REAL, usd_per_hour=PRICES))
