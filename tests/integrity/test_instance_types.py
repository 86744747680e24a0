import pytest

from sizewell.instance_selection.catalog import InstanceType, load_catalog

Row = dict[str, str]
Tables = dict[str, list[Row]]


@pytest.fixture(scope="module")
def instance_types() -> tuple[InstanceType, ...]:
    return load_catalog("us-east-1").instance_types


def test_types_are_unique_and_sorted(tables: Tables, instance_types: tuple[InstanceType, ...]) -> None:
    names = [row["instance_type"] for row in tables["instances"]]

    assert len(names) == len(set(names)) == len(instance_types) > 300
    assert names == sorted(names)
    assert all(one.usages for one in instance_types)


def test_names_are_made_of_family_and_size(instance_types: tuple[InstanceType, ...]) -> None:
    for one in instance_types:
        assert one.name == f"ml.{one.family}.{one.size}"


def test_references_to_processors_and_accelerators_resolve_and_none_is_left_over(
    tables: Tables, instance_types: tuple[InstanceType, ...]
) -> None:
    assert {row["family"] for row in tables["cpus"]} == {one.family for one in instance_types}
    assert all(one.cpu is not None and one.cpu.name == one.family for one in instance_types)
    assert {row["accelerator"] for row in tables["accelerators"]} == {
        one.accelerator.name for one in instance_types if one.accelerator
    }
    for row in tables["instances"]:
        assert bool(row["accelerator"]) == (int(row["accelerator_count"]) > 0), row["instance_type"]


def test_accelerator_memory_agrees_per_chip_in_total_and_with_the_chip(tables: Tables) -> None:
    chips = {row["accelerator"]: float(row["memory_gib"]) for row in tables["accelerators"]}

    for row in tables["instances"]:
        if not row["accelerator"]:
            assert not row["accelerator_memory_gib"]
            assert not row["accelerator_memory_gib_total"]
            continue
        per_chip, count = float(row["accelerator_memory_gib"]), int(row["accelerator_count"])
        assert per_chip == chips[row["accelerator"]], row["instance_type"]
        # The EC2 API rounds the total to whole MiB.
        assert float(row["accelerator_memory_gib_total"]) == pytest.approx(per_chip * count, rel=1e-4)


def test_quantities_are_positive_and_peaks_are_not_below_baselines(
    instance_types: tuple[InstanceType, ...],
) -> None:
    for one in instance_types:
        assert one.vcpus >= 1
        assert one.memory_gib >= 2
        assert one.cpu_architecture in {"x86_64", "arm64"}
        assert one.local_storage_nvme == (one.local_storage_gb > 0)
        assert one.network_baseline_gbps is not None
        assert one.network_peak_gbps is not None
        assert 0 < one.network_baseline_gbps <= one.network_peak_gbps, one.name


def test_only_the_t_families_are_burstable(instance_types: tuple[InstanceType, ...]) -> None:
    assert {one.family for one in instance_types if one.burstable} == {"t2", "t3"}


@pytest.mark.parametrize(
    ("name", "current_generation"),
    [("ml.g6.xlarge", True), ("ml.m4.xlarge", False), ("ml.p6e-gb200.36xlarge", None)],
)
def test_the_generation_is_current_previous_or_unknown(name: str, current_generation: bool | None) -> None:
    assert load_catalog("us-east-1").get(name).current_generation is current_generation


def test_accelerators_are_of_a_known_kind_and_interconnect(instance_types: tuple[InstanceType, ...]) -> None:
    for one in instance_types:
        chip = one.accelerator
        if chip is None:
            continue
        assert chip.kind == {"NVIDIA": "cuda", "AWS": "neuron"}.get(chip.vendor, "other")
        assert chip.interconnect in {"pcie", "nvlink", "nvswitch", "neuronlink", None}
        assert (chip.interconnect is None) == (chip.interconnect_gb_s is None)
        for rate in (
            chip.memory_bandwidth_gb_s,
            chip.fp32_tflops,
            chip.fp16_dense_tflops,
            chip.bf16_dense_tflops,
            chip.fp8_dense_tflops,
            chip.fp4_dense_tflops,
            chip.int8_dense_tops,
            chip.cache_mib,
        ):
            assert rate is None or rate > 0


def test_an_unknown_peak_is_none() -> None:
    t4 = load_catalog("us-east-1").get("ml.g4dn.xlarge").accelerator

    assert t4 is not None
    assert (t4.bf16_dense_tflops, t4.fp16_dense_tflops, t4.memory_gib) == (None, 65.0, 16.0)


def test_a_type_has_the_accelerators_of_its_row(
    tables: Tables, instance_types: tuple[InstanceType, ...]
) -> None:
    chips = {row["accelerator"]: row for row in tables["accelerators"]}
    loaded = {one.name: one for one in instance_types}

    for row in tables["instances"]:
        one, chip = loaded[row["instance_type"]], chips.get(row["accelerator"])
        assert one.accelerator_count == int(row["accelerator_count"])
        assert (one.accelerator is None) == (chip is None)
        if one.accelerator and chip:
            assert one.accelerator_memory_gib == float(row["accelerator_memory_gib"])
            assert (one.accelerator.name, one.accelerator.memory_gib, one.accelerator.interconnect or "") == (
                chip["accelerator"],
                float(chip["memory_gib"]),
                chip["interconnect"],
            )


def test_cpu_peaks_are_clock_times_rate_over_threads() -> None:
    catalog = load_catalog("us-east-1")
    m7i, c6g = catalog.get("ml.m7i.xlarge").cpu, catalog.get("ml.c6g.xlarge").cpu

    assert m7i is not None
    assert m7i.peak_fp32_gflops_per_vcpu == pytest.approx(3.2 * 64 / 2)
    assert m7i.peak_bf16_gflops_per_vcpu == pytest.approx(3.2 * 1024 / 2)
    assert m7i.memory_bandwidth_gb_s_per_vcpu == pytest.approx(307.2 / 96)
    assert c6g is not None
    assert c6g.peak_fp32_gflops_per_vcpu == pytest.approx(2.5 * 16)
    assert c6g.peak_bf16_gflops_per_vcpu is None
