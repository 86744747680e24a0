"""Predictions of rows that generate tokens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sizewell.instance_selection.estimation.coefficients import NONE, Array, Labels
from sizewell.instance_selection.estimation.generation import (
    DECISIVE,
    Served,
    decoder_of,
    prefill_seconds,
    serve,
)
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.queueing import lognormal_tail
from sizewell.instance_selection.labels import expansion_labels
from tools.benchmarks.columns import by_metric, column, flags, machines_of_cases, stacked, words
from tools.benchmarks.load import Arrival
from tools.benchmarks.measurements import Case
from tools.benchmarks.metric_names import PERCENTILES

#: Tokens of a prompt and of an answer where a row states none, and of a prompt whose speed is measured.
DEFAULT_INPUT, DEFAULT_OUTPUT, MEASURED_PROMPT = 64.0, 128.0, 512.0
#: The same in a sample of real conversations (ShareGPT as vLLM's benchmark filters it: 215-245 in, 180-200 out).
SAMPLED_INPUT, SAMPLED_OUTPUT = 225.0, 190.0
#: Most sequences in progress, by engine: vLLM's max_num_seqs, which is 1,024 on cards of 70 GiB and more of Hopper and
#: later (engine/arg_utils.py, 0.8 and later); TensorRT-LLM's max_batch_size; TGI's max_concurrent_requests.
MAX_SEQUENCES = {"tensorrt-llm": 2048.0, "tgi": 128.0, "llama.cpp": 4.0}
MAX_SEQUENCES_OF_OTHERS, MAX_SEQUENCES_OF_LARGE_CARDS, LARGE_CARD_BYTES = 256.0, 1024.0, 70 * GIB
LARGE_CHIPS = ("H1", "H2", "B2", "B3", "GH", "GB")
#: What an engine leaves by itself of the usable memory (vLLM: a tenth of a card, of which 8 % are not usable), and what it
#: takes for the activations of its fullest step and for graphs.
ENGINE_LEAVES, ENGINE_TAKES_BYTES = 0.025, 1 * GIB
#: Memory of a group of devices relative to the weights, from which a copy of the model of its own serves faster.
ROOM_FOR_CACHE = 1.3
#: How much of a run's last requests is left when none waits any more, where lengths are drawn: their ages are spread evenly.
DRAWN_DRAIN = 0.5
#: How much faster than an engine can serve requests must arrive before a queue that grows is believed: what it can serve is
#: known no better, and a queue changes a wait by more than ten times.
CERTAIN_EXCESS = 1.25
#: Engines that read a prompt in a pass of its own, between the steps of the others.
SEPARATE_PREFILL = ("vllm-early", "tgi", "llama.cpp")
#: Those that schedule and sample in Python between the steps.
EARLY = ("vllm-early", "tgi")


class GenerationCases:
    """Rows of decoders, and of encoder-decoders that write text."""

    physics = "generation"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self._machines = machines_of_cases(cases)
        self._metric = np.array(words(cases, lambda c: c.metric))
        decoders = [decoder_of(c.model, expanded=_is_expanded(c)) for c in cases]
        decoder = stacked(decoders)
        cached = decoder.cache_bytes_per_token * column(cases, lambda c: c.cache_scale)
        self._decoder = replace(decoder, cache_bytes_per_token=cached)
        self._varied = varied = flags(cases, lambda c: c.load.varied)
        prompt = np.where(
            self._metric == "prefill_tokens_s",
            MEASURED_PROMPT,
            np.where(varied, SAMPLED_INPUT, DEFAULT_INPUT),
        )
        stated_input = column(cases, lambda c: c.input_tokens)
        stated_output = column(cases, lambda c: c.output_tokens)
        self._input = np.where(stated_input > 0, stated_input, prompt)
        self._output = np.where(
            stated_output > 0, stated_output, np.where(varied, SAMPLED_OUTPUT, DEFAULT_OUTPUT)
        )
        self._neuron = np.asarray(self._machines.kinds) == "neuron"
        # A decoding speed leaves the prompt out where no answer of a stated length belongs to it.
        self._open_ended = (stated_output == 0) & ~varied
        arrival = np.array(words(cases, lambda c: c.load.arrival.value))
        self._batch = arrival == Arrival.BATCH
        self._queued = np.isin(arrival, (Arrival.BURST, Arrival.SERVER, Arrival.RATE))
        self._burst = arrival == Arrival.BURST
        self._requests = column(cases, lambda c: c.load.requests)
        self._rate = np.where(arrival == Arrival.RATE, column(cases, lambda c: c.load.rate_per_s), np.inf)
        self._pipeline = column(cases, lambda c: c.pipeline_parallel)
        self._streamed = flags(cases, lambda c: c.sharding == "shard")
        self._continuous = ~self._batch
        # A Neuron graph is compiled for a batch, however few requests there are.
        self._slots = column(cases, lambda c: c.batch, 1.0)
        self._fused = ~np.isin(words(cases, lambda c: c.framework), SEPARATE_PREFILL)
        self._degree = self._split(self._queued & (arrival != Arrival.RATE))
        # Weights that are gathered for each block serve a batch of its own on every device.
        stated = column(cases, lambda c: c.tensor_parallel)
        self._copies = np.where(self._streamed, self._machines.count, stated / self._degree)
        on_cpu = np.asarray(self._machines.kinds) == "cpu"
        self._copies = np.where(on_cpu, column(cases, lambda c: c.copies, 1.0), self._copies)
        self._most = self._most_sequences()
        # Users whose requests are all alike get their answers, and ask again, together.
        self._in_waves = (arrival == Arrival.USERS) & ~varied
        self._open = np.flatnonzero(arrival == Arrival.RATE)
        #: The rows of an open loop by themselves: how many requests are in progress there is found by trying.
        self._open_cases = (
            GenerationCases([cases[int(i)] for i in self._open]) if 0 < len(self._open) < len(cases) else self
        )
        # Each request keeps so many hypotheses, which are steps of as many sequences.
        self._beams = column(cases, lambda c: c.beams, 1.0)
        users = column(cases, lambda c: c.load.users) / np.where(self._batch, 1.0, self._copies)
        self._users = np.where(self._batch, users, np.minimum(np.maximum(users, 1.0), self._most))
        #: Users for each request in progress: all others wait for one of these to end.
        self._crowding = np.where(self._batch | self._queued, 1.0, np.maximum(users / self._users, 1.0))

    def _split(self, free_to_choose: np.ndarray) -> Array:
        """Return over how many devices a copy lies: as few as hold it, where throughput is the aim and nothing is said."""
        stated = column(self.cases, lambda c: c.tensor_parallel)
        free = (
            free_to_choose
            & ~flags(self.cases, lambda c: c.split_stated)
            & ~np.isin(self._machines.kinds, ("neuron", "cpu"))
        )
        min_devices = ROOM_FOR_CACHE * self._decoder.stored_bytes / self._machines.memory_bytes
        return np.where(free, np.minimum(2 ** np.ceil(np.log2(np.maximum(min_devices, 1.0))), stated), stated)

    def _most_sequences(self) -> Array:
        """Return how many sequences an engine keeps in progress: within its own limit, and within the memory."""
        cases = self.cases
        limit = np.array([_max_sequences(c) for c in cases])
        devices = self._degree * self._pipeline
        usable = (1 - ENGINE_LEAVES) * self._machines.memory_bytes - ENGINE_TAKES_BYTES
        free = usable * devices - self._decoder.stored_bytes
        held = free / np.maximum(
            self._decoder.cache_bytes_per_token * (self._input + 0.5 * self._output), 1.0
        )
        return np.clip(held, 1.0, limit)

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        return {
            "kind": self._machines.kinds,
            "engine": words(self.cases, _engine),
            "link": self._machines.links,
            "expansion": expansion_labels(self._machines, [_expands(case) for case in self.cases]),
            "experts": tuple(
                "mixture" if share < 1 else "dense" for share in np.atleast_1d(self._decoder.active_share)
            ),
            "lengths": words(self.cases, lambda c: "varied" if c.load.varied else "alike"),
        }

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row, NaN where it is no metric of generation."""
        rate = self._rate / self._copies
        n = np.where(self._queued, self._most_in_run(), self._users)
        if len(self._open):
            n[self._open] = self._open_cases._in_progress(
                {name: value[self._open] for name, value in k.items()}
            )
        served = self._serve(k, n)
        carried = n / served.request
        # A queue grows where requests arrive faster than the engine ends them at its fullest.
        fullest = self._most / self._serve(k, self._most).request if len(self._open) else carried
        capacity = np.where(np.isfinite(rate), np.maximum(fullest, carried), carried)
        requests = self._requests / self._copies
        drained = np.where(self._varied, DRAWN_DRAIN, 1.0 - np.minimum(n / requests, 1.0))
        duration = requests / np.minimum(capacity, rate) + served.request * drained
        achieved = np.where(self._queued, requests / duration, carried)
        prompt = prefill_seconds(
            self._decoder, self._machines, k, tokens=self._input, sequences=n, degree=self._degree
        )
        first_token_alone = self._serve(k, np.ones_like(n)).first_token
        # So many users at such a throughput each wait for as long (Little's law).
        crowd = (self._crowding - 1.0) * served.request
        tokens_s = np.where(self._queued, achieved, carried) * self._output
        speed = np.where(self._batch & (self._open_ended | self._neuron), n / served.step, tokens_s)
        beside_a_token = self._beside_a_token(n)
        request = self._serve(k, beside_a_token).request
        values = {
            "latency_ms_avg": request + crowd + self._waiting(k, capacity, n, 0.5, first_token_alone),
            "ttft_ms": served.first_token + crowd + self._waiting(k, capacity, n, 0.5, first_token_alone),
            "itl_ms": self._serve(k, beside_a_token, interrupted=self._interrupted(n)).step,
            # In a queue that grows, the request that arrives after a share of the run waits longer than that share of all.
            **{
                metric: lognormal_tail(percentile, k["tail"])
                * (request + crowd + self._waiting(k, capacity, n, percentile, first_token_alone))
                for metric, percentile in PERCENTILES.items()
            },
        }
        values = {name: 1e3 * seconds for name, seconds in values.items()} | {
            "prefill_tokens_s": self._input * n / prompt,
            "tokens_s_total": self._copies * speed,
            "tokens_s_per_gpu": tokens_s / self._degree,
            "tokens_s_inout": self._copies * achieved * (self._input + self._output),
            "requests_s": self._copies * achieved,
            "throughput_seq_s": self._copies * achieved,
            "ms_per_token_all": served.request / (self._output * n * self._copies) * 1e3,
        }
        return by_metric(self._metric, values)

    def _most_in_run(self) -> Array:
        """Return the most requests in progress: no more than there are."""
        return np.minimum(self._most, np.maximum(self._requests / self._copies, 1.0))

    def _in_progress(self, k: Mapping[str, Array]) -> Array:
        """Return how many requests are in progress in an open loop, on the average of a run that ramps up and drains."""
        rate = self._rate / self._copies

        def seconds(n: Array) -> Array:
            request = self._serve(k, n).request
            return request / (1 + self._rate * request / self._requests)

        return sequences_at_rate(seconds, rate, self._most_in_run())

    def _beside_a_token(self, n: Array) -> Array:
        """Return how many requests are in progress while an average token of a run is computed.

        Of a burst whose lengths are drawn, the last ``n`` answers end one by one, and no others follow. Where lengths are spread
        exponentially, half of the ``n`` are in progress beside an average token.
        """
        return np.asarray(n * (1.0 - 0.5 * self._share_of_burst(n) * self._varied))

    def _interrupted(self, n: Array) -> Array:
        """Return the share of the other prompts that is read between the steps of an average answer.

        Of requests that arrive all at once, the first that find a place have their prompts read one after the other: half
        of them before an average one is answered, or all of them where prompts go first.
        """
        return np.asarray(1.0 - self._share_of_burst(n) * np.where(self._fused, 0.5, 1.0))

    def _share_of_burst(self, n: Array) -> Array:
        """Return which share of all requests ``n`` in progress are, where all arrive at once; 0 elsewhere."""
        return np.where(self._burst, np.minimum(n * self._copies / np.maximum(self._requests, 1.0), 1.0), 0.0)

    def _serve(self, k: Mapping[str, Array], sequences: Array, *, interrupted: float | Array = 1.0) -> Served:
        # The stages of a pipeline work on different requests at the same time.
        return serve(
            self._decoder,
            self._machines,
            k,
            input_tokens=self._input,
            output_tokens=self._output,
            sequences=self._beams
            * np.where(self._continuous, np.maximum(sequences / self._pipeline, 1.0), sequences),
            degree=self._degree,
            continuous=self._continuous,
            fused=self._fused,
            slots=self._slots,
            in_waves=self._in_waves,
            interrupted=interrupted,
            pipelined=self._pipeline > 1,
            streamed=self._streamed,
        )

    def _waiting(
        self, k: Mapping[str, Array], capacity: Array, n: Array, quantile: float, first_token_alone: Array
    ) -> Array:
        """Return how long the request waits that arrives after a share ``quantile`` of the run.

        Prompts are read one after the other, and from the ``n``-th on each waits until another request has ended.
        """
        arrived = quantile * self._requests / self._copies
        gap = CERTAIN_EXCESS / (self._rate / self._copies)
        # A pass over many prompts costs their arithmetic, not the weights again.
        together = prefill_seconds(
            self._decoder, self._machines, k, tokens=self._input, sequences=8.0, degree=self._degree
        )
        prompt = np.minimum(together / 8.0, first_token_alone)
        behind = np.minimum(arrived, n)
        reading = behind * np.maximum(prompt - gap, 0.0)
        ended = np.maximum(arrived - n, 0.0) * np.maximum(1 / capacity - gap, 0.0)
        return np.where(self._queued, reading + ended, 0.0)


def sequences_at_rate(
    request_seconds: Callable[[Array], Array], rate: Array, max_sequences: Array, *, halvings: int = 11
) -> Array:
    """Return how many requests are in progress while ``rate`` of them arrive per second (Little's law).

    ``request_seconds`` is the time of a request among so many. Where more arrive than can be served, ``max_sequences``.
    """
    low, high = np.zeros_like(max_sequences), np.log2(np.maximum(max_sequences, 1.0))
    for _ in range(halvings):
        middle = (low + high) / 2
        sequences = 2.0**middle
        carried = sequences / request_seconds(sequences) >= rate
        low, high = np.where(carried, low, middle), np.where(carried, middle, high)
    return np.asarray(2.0**high)


def _engine(case: Case) -> str:
    if case.chip.kind == "neuron":
        return NONE
    if case.framework in EARLY:
        return "early"
    return "optimized" if case.framework in ("torchscript", "onnxruntime") else case.engine


def _is_expanded(case: Case) -> bool:
    return case.quantization != NONE and (case.engine == "eager" or case.framework == "deepspeed")


def _expands(case: Case) -> bool:
    return case.quantization != NONE and not _is_expanded(case)


def _max_sequences(case: Case) -> float:
    if case.load.max_sequences:
        return case.load.max_sequences
    large = case.chip.memory_bytes >= LARGE_CARD_BYTES and case.chip.name.startswith(LARGE_CHIPS)
    if case.tuned_record:
        return MAX_SEQUENCES["tensorrt-llm"]
    others = MAX_SEQUENCES_OF_LARGE_CARDS if large and case.framework == "vllm" else MAX_SEQUENCES_OF_OTHERS
    return MAX_SEQUENCES.get(case.framework, others)
