"""Which types may be considered at all; the reasons are worded in the tests of the filters."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import Architecture, Catalog, HardwareKind, InstanceLimits, Usage
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, Eligible, eligible_types
from tests.instance_selection.builders import GPU, catalog, cpu_instance, gpu_instance, limits

CPU_ONLY = frozenset({HardwareKind.CPU_X86_64})
TRAINING_ONLY = gpu_instance("ml.p9.xlarge", usages=frozenset({Usage.TRAINING}))
KNOWN = catalog(cpu_instance("ml.c9.b"), gpu_instance(), cpu_instance("ml.c9.a"), TRAINING_ONLY)


def eligible(
    usage: Usage = Usage.HOSTING,
    of: InstanceLimits | None = None,
    *,
    known: Catalog = KNOWN,
    any_offer: bool = False,
) -> Eligible:
    return eligible_types(known, usage, of or limits(), Architecture.CNN, "pytorch", any_offer=any_offer)


def test_types_are_in_the_order_of_the_catalog_and_each_is_kept_or_rejected() -> None:
    found = eligible()

    assert found.names == ("ml.c9.a", "ml.c9.b", "ml.g9.xlarge")
    assert list(found.rejected) == ["ml.p9.xlarge"]
    assert found.rejected["ml.p9.xlarge"].filter == "use"


def test_another_use_is_another_question() -> None:
    assert eligible(Usage.TRAINING).names == tuple(t.name for t in KNOWN.instance_types)


def test_two_catalogs_are_never_confused() -> None:
    other = catalog(*KNOWN.instance_types, listed={})

    assert eligible(known=other).names == ()
    assert eligible().names != ()


def test_any_offer_asks_neither_what_the_api_accepts_nor_what_the_region_has() -> None:
    nowhere = catalog(*KNOWN.instance_types, listed={})

    assert eligible(known=nowhere, any_offer=True).names == tuple(t.name for t in KNOWN.instance_types)


def test_any_offer_still_asks_what_the_workload_allows() -> None:
    found = eligible(of=limits(images=CPU_ONLY), any_offer=True)

    assert {r.filter for r in found.rejected.values()} == {"image"}


@pytest.mark.parametrize(
    ("cuda", "compute_capability", "reason"),
    [
        ((12, 9), "7.0", None),
        ((13, 0), "7.0", "CUDA 13.0 ended compute capabilities below 7.5"),
        ((13, 3), "7.5", None),
        ((11, 0), "8.9", None),  # the code for 8.0 runs on it
        ((11, 7), "9.0", "compute capability 9 began with CUDA 11.8"),
        ((11, 8), "9.0", None),
        ((12, 6), "12.0", "compute capability 12 began with CUDA 12.8"),
        ((12, 8), "10.3", None),
        (None, "3.7", None),
        ((13, 0), None, None),
    ],
)
def test_a_gpu_needs_an_image_with_code_for_it(
    cuda: tuple[int, int] | None, compute_capability: str | None, reason: str | None
) -> None:
    gpu = gpu_instance(accelerator=replace(GPU, generation=compute_capability))
    found = eligible(known=catalog(gpu, cpu_instance()), of=limits(cuda=cuda))

    expected = {gpu.name: ("cuda", reason)} if reason else {}
    assert {
        name: (missed.filter, missed.reason.partition("its Round GPU: ")[2])
        for name, missed in found.rejected.items()
    } == expected


def test_reasons_come_in_the_order_of_the_filters() -> None:
    pinned = limits(instance_type="ml.c9.a", images=CPU_ONLY, denied_families=frozenset({"p9"}))

    assert {r.filter for r in eligible(of=pinned).rejected.values()} == {"pinned"}
    denied = limits(images=frozenset(), denied_families=frozenset({"c9"}))
    assert {name: r.filter for name, r in eligible(of=denied).rejected.items()} == {
        "ml.c9.a": "policy",
        "ml.c9.b": "policy",
        "ml.g9.xlarge": "image",
        "ml.p9.xlarge": "use",
    }
    assert ELIGIBILITY_FILTERS[:5] == ("pinned", "use", "region", "policy", "image")
