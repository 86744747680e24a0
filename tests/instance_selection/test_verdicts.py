"""Whether named types could serve a workload, whatever AWS offers or charges."""

import pytest

from sizewell.instance_selection import (
    Catalog,
    HardwareKind,
    NoFeasibleInstanceError,
    Usage,
    endpoint_verdicts,
    select_endpoint_instance,
)
from tests.instance_selection.builders import (
    LLAMA_3_8B,
    catalog,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    gpu_instance,
    limits,
)

NOWHERE = catalog(
    cpu_instance(), gpu_instance(usages=frozenset({Usage.TRAINING})), cpu_instance("ml.c9.2xlarge"), listed={}
)


def test_a_type_that_nobody_offers_may_be_able_to() -> None:
    assert endpoint_verdicts(endpoint(), NOWHERE, ["ml.c9.xlarge", "ml.g9.xlarge"]) == {
        "ml.c9.xlarge": None,
        "ml.g9.xlarge": None,
    }


def test_only_named_types_that_exist_are_judged_in_the_order_of_the_catalog() -> None:
    found = endpoint_verdicts(endpoint(), NOWHERE, ["ml.g9.xlarge", "ml.none.large", "ml.c9.2xlarge"])

    assert list(found) == ["ml.c9.2xlarge", "ml.g9.xlarge"]


def test_what_cannot_serve_says_why() -> None:
    found = endpoint_verdicts(endpoint(max_p95_latency_ms=1e-3), NOWHERE, ["ml.c9.xlarge"])["ml.c9.xlarge"]

    assert found is not None
    assert found.filter == "latency"


def test_what_the_workload_does_not_allow_is_no_question_of_offers() -> None:
    cpu_only = endpoint(limits=limits(images=frozenset({HardwareKind.CPU_X86_64})))

    found = endpoint_verdicts(cpu_only, NOWHERE, ["ml.g9.xlarge"])["ml.g9.xlarge"]

    assert found is not None
    assert found.filter == "image"


def test_a_budget_is_no_question_of_ability() -> None:
    assert endpoint_verdicts(endpoint(max_usd_per_month=0.01), NOWHERE, ["ml.c9.xlarge"]) == {
        "ml.c9.xlarge": None
    }


def test_verdicts_agree_with_the_selection_about_everything_that_is_offered(real_catalog: Catalog) -> None:
    needs = decoder_endpoint(model=LLAMA_3_8B, max_p95_latency_ms=20_000)
    names = [one.name for one in real_catalog.instance_types]
    verdicts = endpoint_verdicts(needs, real_catalog, names)

    found = select_endpoint_instance(needs, real_catalog)

    assert list(verdicts) == names
    for candidate in (found.chosen, *found.runners_up):
        assert verdicts[candidate.instance_type] is None
    for rejection in found.rejected:
        if rejection.filter not in ("use", "region"):
            assert verdicts[rejection.instance_type] == rejection


def test_where_nothing_is_offered_a_selection_fails_and_verdicts_do_not() -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        select_endpoint_instance(endpoint(), NOWHERE)

    assert {one.filter for one in raised.value.rejected} == {"use", "region"}
    names = [one.name for one in NOWHERE.instance_types]
    assert set(endpoint_verdicts(endpoint(), NOWHERE, names).values()) == {None}
