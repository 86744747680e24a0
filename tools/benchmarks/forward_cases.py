"""Predictions of rows that are single forward passes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sizewell.instance_selection.catalog import Cpu
from sizewell.instance_selection.estimation.coefficients import NONE, Array, Labels
from sizewell.instance_selection.estimation.forward import DECISIVE, forward_seconds
from sizewell.instance_selection.estimation.machines import MAX_VCPUS_PER_WORKER
from sizewell.instance_selection.estimation.queueing import lognormal_tail
from sizewell.instance_selection.estimation.work import Work, forward_work
from sizewell.instance_selection.labels import units_of
from sizewell.instance_selection.presets import find_preset
from sizewell.instance_selection.requirements import Architecture
from tools.benchmarks.columns import by_metric, column, flags, machines_of_cases, stacked, words
from tools.benchmarks.load import Arrival
from tools.benchmarks.measurements import Case
from tools.benchmarks.metric_names import PERCENTILES

#: Sequence length of an encoder whose row states none: the shortest of the BERT benchmarks.
DEFAULT_TOKENS = 128.0
#: Mean tokens of a SQuAD v1.1 question, where inputs are not padded to the 384 of the model (MLPerf inference rules).
UNPADDED_SQUAD_TOKENS = 177.0
#: Their 90th percentile, which decides the tail of single queries.
LONG_SQUAD_TOKENS = 256.0
PADDED_SQUAD_TOKENS = 384.0
#: Mean over longest clip of LibriSpeech dev-clean, whose clips fill a batch as long as they come.
MEAN_OVER_LONGEST_CLIP = 0.5
#: 99th percentiles that MLPerf's server scenario allows, ms (MLPerf inference rules), by the beginning of a model's name;
#: a record is tuned until most of it is used.
ALLOWED_P99_MS = {
    "resnet50": 15.0, "ssd-resnet34": 100.0, "ssd-mobilenet": 10.0, "bert": 130.0, "dlrm": 30.0, "rnn-t": 1000.0, "rnnt": 1000.0,
    "dlrm-v2": 60.0, "retinanet": 100.0, "stable-diffusion": 20000.0,
}  # fmt: skip
USED_SHARE_OF_P99 = 1.0
#: A machine that is ten times as fast leaves this power of ten more of it unused.
SPARE_EXPONENT = 0.02
#: User-item pairs in one sample of MLPerf's recommender (100 to 700, MLPerf inference rules).
PAIRS_PER_SAMPLE = 180.0
#: A record is the best of many trials of its maker: what is expected of one stays on the slow side.
RECORD_MARGIN = 1.08
#: Time of a convolution over a volume relative to its arithmetic in a plane: no kernels for small filters exist.
VOLUME_FACTOR = 2.0
#: Servers that put the requests that wait into one batch (documentation of text-embeddings-inference and infinity).
BATCHING_SERVERS = ("tei", "infinity")
#: Batches beside which launches vanish, and small batches that keep the latency of random arrivals low.
FULL_BATCH = {Architecture.RNN: 512.0}
DEFAULT_FULL_BATCH = 1024.0
SERVER_BATCH = 4.0
#: Least part of a throughput that is left when a small batch takes most of the time that a server may take.
MIN_SERVED_SHARE = 0.4
#: A network with a control branch computes its first half twice (Zhang et al. 2023, ControlNet).
CONTROL_BRANCH = 1.35
#: Price of inf2.xlarge, USD per hour, where a row states a cost and no price.
INF2_USD = 0.7582
#: Spread of the latencies of one shape on an idle machine, as a log standard deviation: they hardly vary.
LATENCY_LOG_SD = 0.04
#: Wait for other batches, beside those that a table keeps in progress.
QUEUED = 1.1
#: Random arrivals at a server that is tuned for them: its 99th percentile over the time of a small batch, and what they leave
#: of the throughput of batches that wait.
SERVER_P99 = 4.0
SERVER_RATE = 0.9
RATE_METRICS = ("images_s", "throughput_seq_s", "requests_s")


class ForwardCases:
    """Rows of encoders, image models, look-ups and clips."""

    physics = "forward"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases = [_with_workers(case) for case in cases]
        self._machines = machines_of_cases(cases)
        self._metric = np.array(words(cases, lambda c: c.metric))
        self._work = stacked([_work(c) for c in cases])
        neuron = np.asarray(self._machines.kinds) == "neuron"
        pipeline = column(cases, lambda c: c.pipeline_parallel)
        # Weights of a pipeline stay in the memory of its cores.
        self._weight_bytes = np.where(pipeline > 1, 0.0, column(cases, lambda c: c.model.precision.bytes))
        self._copies = column(cases, lambda c: c.copies or c.chips * c.chip.cores_per_device)
        # A copy has the bandwidth of its chip to itself where the other cores are idle.
        cores = column(cases, lambda c: c.chip.cores_per_device)
        active = np.clip(self._copies / column(cases, lambda c: c.chips), 1.0, cores)
        self._bandwidth = np.where(
            neuron, self._machines.bandwidth * cores / active, self._machines.bandwidth
        )
        users = column(cases, _users) / self._copies
        self._queued = flags(cases, lambda c: c.in_flight is not None) | (users > 1)
        self._in_progress = np.maximum(column(cases, lambda c: c.in_flight, 1.0), users)
        self._price = column(cases, lambda c: c.usd_per_hour, INF2_USD)
        self._server = flags(cases, lambda c: c.load.arrival is Arrival.SERVER)
        filled = flags(cases, lambda c: c.load.arrival in (Arrival.SERVER, Arrival.BURST))
        full = column(cases, lambda c: FULL_BATCH.get(c.model.architecture, DEFAULT_FULL_BATCH))
        batches = flags(cases, lambda c: c.library.startswith(BATCHING_SERVERS)) & (users > 1)
        self._batch = np.where(batches, np.minimum(users, full), column(cases, lambda c: c.batch))
        self._in_progress = np.where(batches, np.maximum(users / full, 1.0), self._in_progress)
        self._batch = np.where(self._batch > 0, self._batch, np.where(filled, full, 1.0))
        self._margin = np.where(flags(cases, lambda c: c.tuned_record), RECORD_MARGIN, 1.0)
        self._tuned_p99_ms = column(cases, _tuned_p99_ms)
        self._latency_batch = np.where(self._server, SERVER_BATCH, self._batch)

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        return {
            "units": units_of(self._machines),
            "engine": words(self.cases, _engine),
            "network": words(self.cases, lambda c: c.model.architecture.traits.network),
        }

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row, NaN where it is no metric of a forward pass."""
        seconds, small = self._seconds(k, self._batch), self._seconds(k, self._latency_batch)
        waiting = np.where(self._queued, self._in_progress * QUEUED, 1) * np.where(
            self._server, SERVER_P99, 1
        )
        latency_ms = 1e3 * small * waiting
        spare = np.minimum(1.0, 1e3 * small / np.maximum(self._tuned_p99_ms, 1e-9)) ** SPARE_EXPONENT
        latency_ms = np.where(self._tuned_p99_ms > 0, self._tuned_p99_ms * spare, latency_ms)
        allowed_ms = np.where(self._tuned_p99_ms > 0, self._tuned_p99_ms, np.inf)
        in_time = np.maximum(MIN_SERVED_SHARE, 1 - 1e3 * small / allowed_ms)
        rate = self._copies * self._batch / seconds * np.where(self._server, SERVER_RATE * in_time, 1)
        tails = {
            metric: np.where(self._server, 1.0, lognormal_tail(percentile, LATENCY_LOG_SD))
            for metric, percentile in PERCENTILES.items()
        }
        values = {
            "latency_ms_avg": latency_ms,
            **{metric: latency_ms * tail for metric, tail in tails.items()},
            **dict.fromkeys(RATE_METRICS, rate),
            "denoise_iters_s": 1 / seconds,
            "cost_per_1m_inferences_usd": self._price / 3600 * 1e6 / rate,
        }
        return by_metric(self._metric, values)

    def _seconds(self, k: Mapping[str, Array], batch: Array) -> Array:
        return self._margin * forward_seconds(
            self._work,
            self._machines,
            k,
            weight_bytes=self._weight_bytes,
            batch=batch,
            bandwidth=self._bandwidth,
        )


def _with_workers(case: Case) -> Case:
    """Return a throughput of a runtime on a CPU as that of the workers that an endpoint has, where nobody says how many."""
    threads = case.chip.facts.threads_per_core if isinstance(case.chip.facts, Cpu) else 1
    workers = int(case.chip.cores * threads // MAX_VCPUS_PER_WORKER)
    if not (
        isinstance(case.chip.facts, Cpu)
        and case.metric in RATE_METRICS
        and case.engine == "optimized"
        and not case.copies
        and case.load.arrival is Arrival.BATCH
        and workers > 1
    ):
        return case
    chip = replace(case.chip, cores=case.chip.cores / workers, host_cores=case.chip.host_cores / workers)
    return replace(case, chip=chip, copies=float(workers))


def _users(case: Case) -> float:
    """Return the users of a closed loop, each with one request at a time; 0 of a plain batch."""
    return case.load.users if case.load.arrival is Arrival.USERS and (case.batch or 1) <= 1 else 0.0


def _engine(case: Case) -> str:
    if case.engine in ("llm-engine", "neuron"):
        return "optimized" if case.engine == "llm-engine" else NONE
    if case.framework in ("onnxruntime", "tensorflow", "fastertransformer") and case.engine != "compiled":
        return "scripted"
    return case.engine


def _work(case: Case) -> Work:
    tokens = case.input_tokens or DEFAULT_TOKENS
    if case.tuned_record and tokens == PADDED_SQUAD_TOKENS:
        tokens = LONG_SQUAD_TOKENS if case.load.arrival is Arrival.BATCH else UNPADDED_SQUAD_TOKENS
    work = forward_work(case.model, tokens=tokens)
    flops, layers, passes = float(work.flops), float(work.layers), float(work.passes)
    weights = float(work.weights)
    if (
        case.model.architecture is Architecture.RNN
        and case.tuned_record
        and case.load.arrival is not Arrival.BATCH
    ):
        flops, layers, weights = (MEAN_OVER_LONGEST_CLIP * part for part in (flops, layers, weights))
    activations = float(work.activations)
    if case.preset and (find_preset(case.preset).input_size or "").count("x") == 2:
        flops *= VOLUME_FACTOR
    if case.metric == "denoise_iters_s":
        passes = 1.0
    if "controlnet" in case.model_name.lower():
        flops *= CONTROL_BRANCH
    if case.model.architecture is Architecture.RECOMMENDER:
        flops, activations = PAIRS_PER_SAMPLE * flops, PAIRS_PER_SAMPLE * activations
    return replace(work, flops=flops, weights=weights, activations=activations, layers=layers, passes=passes)


def _tuned_p99_ms(case: Case) -> float:
    if not (case.tuned_record and case.load.arrival is Arrival.SERVER):
        return 0.0
    names = [name for name in ALLOWED_P99_MS if case.model_name.lower().startswith(name)]
    return USED_SHARE_OF_P99 * ALLOWED_P99_MS[max(names, key=len)] if names else 0.0
