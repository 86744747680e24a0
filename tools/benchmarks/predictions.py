"""Predict the rows of a table from their descriptive columns, with the shipped coefficients or with left-out ones."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.estimation.coefficients import Coefficients, Table
from sizewell.instance_selection.estimation.uncertainty import estimate_class, range_group
from tools.benchmarks.calibration import Calibration, PhysicsCases, sampled
from tools.benchmarks.case_groups import MEMORY_METRICS, grouped, physics_of
from tools.benchmarks.cells import UnreadableRowError
from tools.benchmarks.load import Arrival
from tools.benchmarks.measurements import Case, case_of, number
from tools.benchmarks.memory_cases import MemoryCases
from tools.benchmarks.priors import prior_table
from tools.benchmarks.tables import publisher_of

FIRST_TOKEN_METRICS = ("ttft_ms", "prefill_tokens_s")
STEP_METRICS = ("itl_ms", "ms_per_token_all")
#: The metric that is a yes (1) or a no (0).
FITS_MEMORY = "fits_memory"
#: What a metric says something of: the groups of a report.
MetricClass = Literal["latency", "first token", "step", "throughput", "training", "memory"]
#: What a physics raises for a row that it cannot make sense of.
ROW_ERRORS = (ValueError, ArithmeticError, LookupError, TypeError)
#: A prediction outside of these is a defect of the row or of the physics, in any unit of the tables.
MIN_PREDICTION, MAX_PREDICTION = 1e-12, 1e15
Progress = Callable[[str], None]
#: What a source leaves together with: its publisher, or itself.
Together = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A row of a table and what is predicted of it; ``predicted`` is None where ``reason`` says why not.

    ``low`` and ``high`` bound the nominal 90 % interval. ``measured`` is None where the file has no number. The unit
    of all is that of the metric.
    """

    id: str
    source: str
    metric: str
    accelerator: str
    measured: float | None
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    physics: str = ""
    metric_class: MetricClass = "latency"
    kind: str = ""
    architecture: str = ""
    unseen_log_sd: float = 0.0
    estimate_class: str = ""
    """What people run, as accuracy is told and ranges are made; empty where the row is not read."""
    range_group: str = ""
    """The group of this class that may have a range of its own; empty of what does not serve."""
    tuned_record: bool = False
    trust: float = 1.0
    size_is_stated: bool = True
    """Whether the row says how much was done: without that, a duration is no target."""
    unread: tuple[tuple[str, str], ...] = ()
    """Columns, and the words of each that nothing was made of."""

    @property
    def publisher(self) -> str:
        """Who published the row."""
        return publisher_of(self.source)

    @property
    def log_ratio(self) -> float | None:
        """The logarithm of measured over predicted; None where one is missing or no positive number, or a yes or no."""
        if (
            self.metric != FITS_MEMORY
            and self.predicted
            and self.measured
            and self.predicted > 0
            and self.measured > 0
        ):
            return math.log(self.measured / self.predicted)
        return None


def predict_rows(
    rows: Sequence[Mapping[str, str]],
    catalog: Catalog,
    *,
    fit_rows: Sequence[Mapping[str, str]] | None = None,
    together: Together = publisher_of,
    progress: Progress = lambda _: None,
) -> list[Prediction]:
    """Return one prediction for each row, in their order; intervals are added by `tools.benchmarks.intervals`.

    The shipped coefficients predict, or with ``fit_rows`` those that fit these rows without the source of the row and
    all that leave ``together`` with it. What only those have shown of software is not known then either: such a level is
    neutral, whatever its prior says.
    """
    predictions, cases = _read(rows, catalog)
    _, pool = _read(fit_rows or (), catalog)
    for physics in dict.fromkeys(physics_of(case) for case in cases):
        members = [case for case in cases if physics_of(case) == physics]
        found = _isolate(members, _memory if physics == "memory" else _shipped)
        if fit_rows is not None and physics != "memory":
            sound = [case for case in members if not isinstance(found[case.id], str)]
            found |= _left_out(
                sound, [case for case in pool if physics_of(case) == physics], together, progress
            )
        for case in members:
            i, value = int(case.id), found[case.id]
            if isinstance(value, str):
                predictions[i] = replace(predictions[i], reason=value)
            else:
                predictions[i] = replace(
                    predictions[i], predicted=value.value, unseen_log_sd=value.unseen_log_sd
                )
    return predictions


def _read(rows: Sequence[Mapping[str, str]], catalog: Catalog) -> tuple[list[Prediction], list[Case]]:
    """Return a prediction without a number for each row, and the readable cases with the place of their row as id."""
    predictions, cases = [], []
    for i, row in enumerate(rows):
        blank = _blank(row)
        try:
            case = replace(case_of(row, catalog), id=str(i), value=blank.measured)
        except UnreadableRowError as error:
            blank = replace(blank, reason=str(error))
        except ROW_ERRORS as error:
            blank = replace(blank, reason=f"the row makes no sense: {error}")
        else:
            blank = _described(blank, case)
            cases.append(case)
        predictions.append(blank)
    return predictions, cases


def read_cases(rows: Sequence[Mapping[str, str]], catalog: Catalog) -> list[Case]:
    """Return the rows that something can be made of."""
    cases = _read(rows, catalog)[1]
    found = {physics: [c for c in cases if physics_of(c) == physics] for physics in map(physics_of, cases)}
    sound = {
        physics: _isolate(members, _memory if physics == "memory" else _by_priors)
        for physics, members in found.items()
    }
    return [case for case in cases if not isinstance(sound[physics_of(case)][case.id], str)]


@dataclass(frozen=True, slots=True)
class _Value:
    value: float
    unseen_log_sd: float = 0.0


_Found = dict[str, _Value | str]


def _blank(row: Mapping[str, str]) -> Prediction:
    def cell(column: str) -> str:
        return (row.get(column) or "").strip()

    measured = number(cell("value"))
    return Prediction(
        id=cell("id"),
        source=cell("source_id"),
        metric=cell("metric"),
        metric_class=class_of_metric(cell("metric"), training=cell("task").lower() == "training"),
        accelerator=cell("accelerator"),
        measured=measured if measured is not None and math.isfinite(measured) else None,
    )


def _described(blank: Prediction, case: Case) -> Prediction:
    return replace(
        blank,
        metric=case.metric,
        metric_class=class_of_metric(case.metric, training=case.training),
        physics=physics_of(case),
        kind=case.chip.kind,
        architecture=case.model.architecture.value,
        estimate_class=_estimate_class(case),
        range_group=_range_group(case),
        tuned_record=case.tuned_record and case.metric not in MEMORY_METRICS,
        trust=case.trust,
        size_is_stated=case.size_is_stated,
        unread=case.unread,
    )


def _estimate_class(case: Case) -> str:
    """Return the class of an estimate; first tokens in a crowd that comes at once wait as no product plans, and are apart."""
    model, arrival = case.model, case.load.arrival
    first_token = case.metric in FIRST_TOKEN_METRICS
    crowd = arrival is Arrival.BURST or (
        arrival is Arrival.USERS and case.load.users > 1 and not case.load.varied
    )
    if first_token and crowd and case.chip.kind == "cuda":
        return "first token in a crowd"
    return estimate_class(
        physics_of(case),
        case.chip.kind,
        first_token=first_token,
        mixture=(model.active_parameters or model.parameters) < model.parameters,
        weight_only=case.quantization != "none",
    )


def _range_group(case: Case) -> str:
    if physics_of(case) not in ("forward", "generation"):
        return ""
    devices = case.tensor_parallel * case.pipeline_parallel
    return range_group(eager=case.engine == "eager", devices=devices)


def class_of_metric(metric: str, *, training: bool) -> MetricClass:
    """Return what a metric says something of; rates and times of one thing are one class."""
    if metric in MEMORY_METRICS:
        return "memory"
    if training:
        return "training"
    if metric in FIRST_TOKEN_METRICS:
        return "first token"
    if metric in STEP_METRICS:
        return "step"
    return "latency" if metric.startswith("latency_") else "throughput"


def _isolate(cases: list[Case], predict: Callable[[list[Case]], _Found]) -> _Found:
    """Predict all cases at once; where that fails, halves of them, until the row that is to blame stands alone."""
    try:
        return predict(cases)
    except ROW_ERRORS as error:
        if len(cases) == 1:
            return {cases[0].id: f"the row makes no sense: {error}"}
    half = len(cases) // 2
    return _isolate(cases[:half], predict) | _isolate(cases[half:], predict)


def _shipped(cases: list[Case]) -> _Found:
    (group,) = grouped(cases)
    return _values(group, None)


def _by_priors(cases: list[Case]) -> _Found:
    """Return predictions without any fit: they tell which rows make sense."""
    (group,) = grouped(cases)
    return _values(group, prior_table(group.physics))


def _memory(cases: list[Case]) -> _Found:
    """Return whether each case fits, or the peak it needs; no coefficient of it is fitted."""
    values, _ = MemoryCases(cases).predict()
    return {case.id: _value(case, float(v)) for case, v in zip(cases, values, strict=True)}


def _values(group: PhysicsCases, table: Table | None) -> _Found:
    coefficients = Coefficients(group.physics, table)
    count = len(group.cases)
    with np.errstate(all="ignore"):
        values = group.predict(coefficients.values(group.labels, count))
    unseen = np.hypot(
        coefficients.unseen_log_sd(group.labels, count, group.decisive),
        [case.chip.unstated_log_sd for case in group.cases],
    )
    return {
        case.id: _value(case, float(v), float(sd))
        for case, v, sd in zip(group.cases, values, unseen, strict=True)
    }


def _value(case: Case, value: float, unseen_log_sd: float = 0.0) -> _Value | str:
    if math.isnan(value):
        return f"metric {case.metric or '(empty)'} is not predicted for {physics_of(case)}"
    if case.metric != FITS_MEMORY and not MIN_PREDICTION <= value <= MAX_PREDICTION:
        return "the row makes no sense: its prediction is no number of this world"
    return _Value(value, unseen_log_sd)


def _left_out(cases: list[Case], pool: list[Case], together: Together, progress: Progress) -> _Found:
    """Return the prediction of each case by coefficients fitted to the cases of the pool that do not leave with it."""
    sound = _isolate(pool, _by_priors) if pool else {}
    pool = sampled([case for case in pool if not isinstance(sound[case.id], str)])
    calibration = Calibration(grouped(pool)[0]) if pool else None
    leaving = np.array([together(case.source) for case in pool])
    names = sorted({together(case.source) for case in cases})
    found: _Found = {}
    for done, name in enumerate(names, start=1):
        members = [case for case in cases if together(case.source) == name]
        (group,) = grouped(members)
        progress(f"{group.physics}: fit without {name or '(no source)'} ({done} of {len(names)})")
        stays = leaving != name
        found |= _values(group, calibration.fit(stays) if calibration else prior_table(group.physics))
    return found
