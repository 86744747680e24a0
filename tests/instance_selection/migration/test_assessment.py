"""What a workload would be on Neuron chips, on hardware with round figures."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import Engine, NoFeasibleInstanceError, Usage, select_endpoint_instance
from sizewell.instance_selection.migration import (
    MIN_SAVING,
    Verdict,
    assess_endpoint_migration,
    assess_training_migration,
)
from tests.instance_selection.builders import (
    ROUND_DECODER,
    catalog,
    cpu_instance,
    decoder_training,
    endpoint,
    gpu_instance,
    limits,
    neuron_instance,
    training,
)

GPU, INF2, TRN1 = "ml.g9.xlarge", "ml.inf2.xlarge", "ml.trn1.2xlarge"
BOTH = (gpu_instance(GPU), neuron_instance(INF2))


@pytest.mark.parametrize(
    ("usd", "verdict", "why"),
    [
        (0.50, Verdict.PILOT, "ml.inf2.xlarge costs 50% less"),
        (0.95, Verdict.STAY, "ml.inf2.xlarge saves 5%, below the 10% that a port is worth"),
        (1.00, Verdict.STAY, "ml.inf2.xlarge costs 0% more"),
        (1.50, Verdict.STAY, "ml.inf2.xlarge costs 50% more"),
        (None, Verdict.UNKNOWN, "the price of ml.inf2.xlarge is not known"),
    ],
)
def test_the_verdict_follows_the_saving(usd: float | None, verdict: Verdict, why: str) -> None:
    prices = {GPU: 1.0} | ({INF2: usd} if usd is not None else {})
    found = assess_endpoint_migration(endpoint(), catalog(*BOTH, usd_per_hour=prices))
    assert (found.verdict, found.why) == (verdict, why)
    assert (found.now.instance_type, found.then and found.then.instance_type) == (GPU, INF2)
    expected = None if usd is None else pytest.approx(730 * (usd - 1.0))
    assert found.difference_usd_per_month == expected


def test_a_saving_of_exactly_the_threshold_is_worth_a_pilot() -> None:
    prices = {GPU: 1.0, INF2: 1 - MIN_SAVING}
    assert assess_endpoint_migration(endpoint(), catalog(*BOTH, usd_per_hour=prices)).verdict is Verdict.PILOT


def test_now_is_what_it_runs_on_and_not_the_best_gpu() -> None:
    known = catalog(
        *BOTH, gpu_instance("ml.g9.2xlarge"), usd_per_hour={GPU: 1.0, INF2: 1.2, "ml.g9.2xlarge": 2.0}
    )
    pinned = endpoint(limits=limits(instance_type="ml.g9.2xlarge"))
    now = select_endpoint_instance(pinned, known).chosen
    found = assess_endpoint_migration(pinned, known, now)
    assert found.now.instance_type == "ml.g9.2xlarge"
    assert found.then is not None, "a type that the configuration asks for does not stand in the way"
    assert found.verdict is Verdict.PILOT


def test_a_cpu_can_be_where_it_runs_now() -> None:
    known = catalog(cpu_instance(), neuron_instance(INF2), usd_per_hour={"ml.c9.xlarge": 0.1, INF2: 1.0})
    now = select_endpoint_instance(endpoint(limits=limits()), known).chosen
    found = assess_endpoint_migration(endpoint(), known, now)
    assert (found.now_hardware, found.verdict) == ("cpu_x86_64", Verdict.STAY)
    assert found.outcome_ratio is not None
    assert found.outcome_ratio < 1


def test_what_runs_on_neuron_already_stays_there() -> None:
    known = catalog(*BOTH, usd_per_hour={GPU: 1.0, INF2: 0.5})
    now = select_endpoint_instance(endpoint(), known).chosen
    found = assess_endpoint_migration(endpoint(), known, now)
    assert (found.verdict, found.then, found.changes) == (Verdict.DONE, now, ())


def test_without_a_gpu_and_without_a_pick_there_is_nothing_to_compare() -> None:
    with pytest.raises(NoFeasibleInstanceError):
        assess_endpoint_migration(endpoint(), catalog(neuron_instance(INF2)))


def test_the_first_inferentia_is_passed_over_because_its_sdk_has_ended() -> None:
    known = catalog(
        *BOTH, neuron_instance("ml.inf1.xlarge"), usd_per_hour={GPU: 1.0, INF2: 0.8, "ml.inf1.xlarge": 0.1}
    )
    found = assess_endpoint_migration(endpoint(), known)
    assert found.then is not None
    assert found.then.instance_type == INF2
    alone = catalog(gpu_instance(GPU), neuron_instance("ml.inf1.xlarge"), usd_per_hour={GPU: 1.0})
    ended = assess_endpoint_migration(endpoint(), alone)
    assert ended.verdict is Verdict.IMPOSSIBLE
    assert ended.why.startswith("the Neuron SDK does not run it: cnn on inf1 is ended")
    assert [(r.instance_type, r.filter) for r in ended.rejected] == [("ml.inf1.xlarge", "neuron-sdk")]


def test_a_model_that_does_not_fit_says_so() -> None:
    known = catalog(
        gpu_instance(GPU, accelerator_memory_gib=200.0, memory_gib=500.0),
        neuron_instance(INF2, accelerator_memory_gib=4.0),
        usd_per_hour={GPU: 1.0, INF2: 0.5},
    )
    big = replace(ROUND_DECODER, parameters=5e9)
    found = assess_endpoint_migration(
        endpoint(
            model=big, engine=Engine.LLM_ENGINE, images_per_request=0, input_tokens=10, output_tokens=10
        ),
        known,
    )
    assert (found.verdict, found.then) == (Verdict.IMPOSSIBLE, None)
    assert found.why.startswith("no Neuron type will do; the nearest, ml.inf2.xlarge: memory: needs ")


def test_tensorflow_is_refused_for_its_framework() -> None:
    model = replace(endpoint().model, framework="tensorflow")
    found = assess_endpoint_migration(endpoint(model=model), catalog(*BOTH))
    assert found.verdict is Verdict.IMPOSSIBLE
    assert "tensorflow on inf2 is ended: Neuron 2.28 was the last release with it" in found.why


def test_a_region_without_neuron_types() -> None:
    found = assess_endpoint_migration(endpoint(), catalog(gpu_instance(GPU)))
    assert (found.verdict, found.rejected) == (Verdict.IMPOSSIBLE, ())
    assert found.why.endswith("none is offered here")


def test_training_on_trainium() -> None:
    known = catalog(gpu_instance(GPU), neuron_instance(TRN1), usd_per_hour={GPU: 1.0, TRN1: 0.2})
    needs = decoder_training(deadline_hours=500)
    found = assess_training_migration(replace(needs, model=replace(needs.model, parameters=0.7e9)), known)
    assert (found.now.instance_type, found.then and found.then.instance_type) == (GPU, TRN1)
    assert found.outcome_ratio is not None
    assert found.outcome_ratio > 1, "Trainium reaches a smaller part of the same peak"
    assert found.verdict is Verdict.PILOT
    assert {change.topic for change in found.changes} >= {"container", "compilation", "static shapes", "code"}


def test_training_of_a_convolutional_network_is_not_supported() -> None:
    usages = frozenset({Usage.TRAINING})
    known = catalog(
        gpu_instance(GPU), neuron_instance(TRN1, usages=usages), usd_per_hour={GPU: 1.0, TRN1: 0.1}
    )
    found = assess_training_migration(training(), known)
    assert found.verdict is Verdict.IMPOSSIBLE
    assert found.why.startswith("the Neuron SDK does not run it: cnn on trn1 is unsupported")


def test_a_family_of_which_the_documentation_is_silent() -> None:
    known = catalog(
        gpu_instance(GPU), neuron_instance("ml.trn9.xlarge"), usd_per_hour={GPU: 1.0, "ml.trn9.xlarge": 0.1}
    )
    found = assess_endpoint_migration(endpoint(), known)
    assert found.verdict is Verdict.UNKNOWN
    assert "covers neither architecture nor framework" in found.why
