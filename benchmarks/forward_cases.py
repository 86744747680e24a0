"""Predictions of rows that are single forward passes."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.columns import column, flags, machines_of_cases, words
from benchmarks.measurements import Case
from instance_selection.estimation.coefficients import Array, Labels
from instance_selection.estimation.forward import DECISIVE, forward_seconds
from instance_selection.estimation.work import Work, forward_work
from instance_selection.requirements import Architecture

#: Sequence length of an encoder whose row states none: the shortest of the BERT benchmarks.
DEFAULT_TOKENS = 128.0
#: Mean tokens of a SQuAD v1.1 question, where inputs are not padded to the 384 of the model (MLPerf inference rules).
UNPADDED_SQUAD_TOKENS = 177.0
PADDED_SQUAD_TOKENS = 384.0
#: User-item pairs in one sample of MLPerf's recommender (100 to 700, MLPerf inference rules).
PAIRS_PER_SAMPLE = 180.0
#: Batches that fill a device, and small batches that keep the latency of random arrivals low.
FULL_BATCH = {Architecture.RNN: 512.0}
DEFAULT_FULL_BATCH = 128.0
SERVER_BATCH = 8.0
#: A network with a control branch computes its first half twice (Zhang et al. 2023, ControlNet).
CONTROL_BRANCH = 1.35
#: Price of inf2.xlarge under a one-year reservation without upfront, USD per hour (the page states costs at it).
RESERVED_INF2_USD = 0.4548
TIME_METRICS = {"latency_ms_avg": "", "latency_ms_p50": "", "latency_ms_p90": "p90", "latency_ms_p95": "p95", "latency_ms_p99": "p99"}  # fmt: skip
RATE_METRICS = ("images_s", "throughput_seq_s", "requests_s")


class ForwardCases:
    """Rows of encoders, image models, look-ups and clips."""

    physics = "forward"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self._machines = machines_of_cases(cases, per_core=True)
        self._metric = np.array(words(cases, lambda c: c.metric))
        self._work = _stack([_work(c) for c in cases])
        image = flags(cases, lambda c: c.model.forward_flops_per_image > 0)
        neuron = np.asarray(self._machines.kinds) == "neuron"
        pipeline = column(cases, lambda c: c.pipeline_parallel)
        # Weights of a pipeline stay in the memory of its cores.
        self._weight_bytes = np.where(pipeline > 1, 0.0, column(cases, lambda c: c.model.precision.bytes))
        real_time = flags(cases, lambda c: c.real_time)
        cores = column(cases, lambda c: c.chip.cores_per_device)
        first_generation = np.array([c.chip.name == "Inferentia" for c in cases])
        # One request at a time: a core of the first Inferentia then has the bandwidth of its chip to itself.
        alone = neuron & real_time & first_generation
        self._bandwidth = np.where(alone, self._machines.bandwidth * cores, self._machines.bandwidth)
        devices = column(cases, lambda c: c.chips) * cores
        # Real-time tables of image models on later Neuron chips drive one core.
        self._copies = np.where(neuron & real_time & image & ~first_generation, 1.0, devices)
        self._queued = flags(cases, lambda c: c.batch_mode) & neuron
        self._server = flags(cases, lambda c: c.load == "server")
        filled = flags(cases, lambda c: c.load in ("server", "offline"))
        full = column(cases, lambda c: FULL_BATCH.get(c.model.architecture, DEFAULT_FULL_BATCH))
        self._batch = column(cases, lambda c: c.batch)
        self._batch = np.where(self._batch > 0, self._batch, np.where(filled, full, 1.0))
        self._latency_batch = np.where(self._server, SERVER_BATCH, self._batch)

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        return {
            "kind": self._machines.kinds,
            "chip": self._machines.chips,
            "arithmetic": self._machines.arithmetic,
            "engine": words(self.cases, lambda c: c.engine if c.engine != "llm-engine" else "optimized"),
            "framework": words(self.cases, lambda c: c.framework),
            "architecture": words(self.cases, lambda c: c.model.architecture.value),
        }

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row, NaN where it is no metric of a forward pass."""
        seconds, small = self._seconds(k, self._batch), self._seconds(k, self._latency_batch)
        latency_ms = 1e3 * small * np.where(self._queued, k["queue"], 1) * np.where(self._server, k["server"], 1)
        rate = self._copies * self._batch / seconds * np.where(self._server, k["server_throughput"], 1)
        out = np.full(len(self.cases), np.nan)
        for metric, tail in TIME_METRICS.items():
            factor = np.where(self._server, 1.0, k[tail]) if tail else 1.0
            out = np.where(self._metric == metric, latency_ms * factor, out)
        out = np.where(np.isin(self._metric, RATE_METRICS), rate, out)
        out = np.where(self._metric == "denoise_iters_s", 1 / seconds, out)
        return np.where(self._metric == "cost_per_1m_inferences_usd", RESERVED_INF2_USD / 3600 * 1e6 / rate, out)

    def _seconds(self, k: Mapping[str, Array], batch: Array) -> Array:
        return forward_seconds(
            self._work, self._machines, k, weight_bytes=self._weight_bytes, batch=batch, bandwidth=self._bandwidth
        )


def _work(case: Case) -> Work:
    tokens = case.input_tokens or DEFAULT_TOKENS
    if case.tuned_record and tokens == PADDED_SQUAD_TOKENS:
        tokens = UNPADDED_SQUAD_TOKENS
    scale = 1.0
    if case.model.architecture is Architecture.DIFFUSION and case.pixels:
        side = 1024 if "xl" in case.preset or "1024" in case.preset or "sd-3" in case.preset else 512
        scale = case.pixels[0] * case.pixels[1] / side**2
    work = forward_work(case.model, tokens=tokens, image_scale=scale)
    flops, passes = float(work.flops), float(work.passes)
    if case.metric == "denoise_iters_s":
        passes = 1.0
    if "controlnet" in case.model_name.lower():
        flops *= CONTROL_BRANCH
    if case.model.architecture is Architecture.RECOMMENDER:
        flops *= PAIRS_PER_SAMPLE
    return Work(flops, work.weights, work.activations, work.layers, work.width, work.rows, passes)


def _stack(works: Sequence[Work]) -> Work:
    return Work(
        *(
            np.array([float(getattr(w, name)) for w in works])
            for name in ("flops", "weights", "activations", "layers", "width", "rows", "passes")
        )
    )
