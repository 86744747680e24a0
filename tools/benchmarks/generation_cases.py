"""Predictions of rows that generate tokens."""

from collections.abc import Mapping, Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Labels
from sizewell.instance_selection.estimation.generation import (
    DECISIVE,
    Decoder,
    decoder_of,
    experts_read,
    prefill_seconds,
    serve,
)
from tools.benchmarks.columns import Bools, column, flags, machines_of_cases, words
from tools.benchmarks.measurements import Case

#: Tokens of a prompt and of an answer where a row states none, and of a prompt whose speed is measured.
DEFAULT_INPUT, DEFAULT_OUTPUT, MEASURED_PROMPT = 64.0, 128.0, 512.0
#: Most sequences in progress (vLLM, max_num_seqs), and where a throughput is the aim (batch sizes of TensorRT-LLM's pages).
MAX_SEQUENCES, MAX_SEQUENCES_OF_RECORDS = 256.0, 1024.0
#: Memory of a group of devices relative to the weights, from which a copy of the model of its own serves faster.
ROOM_FOR_CACHE = 1.3


class GenerationCases:
    """Rows of decoders, and of encoder-decoders that write text."""

    physics = "generation"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self._machines = machines_of_cases(cases)
        self._metric = np.array(words(cases, lambda c: c.metric))
        decoders = [decoder_of(c.model) for c in cases]
        self._decoder = Decoder(
            *(np.array([float(getattr(d, name)) for d in decoders]) for name in Decoder.__dataclass_fields__)
        )
        prompt = np.where(self._metric == "prefill_tokens_s", MEASURED_PROMPT, DEFAULT_INPUT)
        stated_input, stated_output = (
            column(cases, lambda c: c.input_tokens),
            column(cases, lambda c: c.output_tokens),
        )
        self._input = np.where(stated_input > 0, stated_input, prompt)
        self._output = np.where(stated_output > 0, stated_output, DEFAULT_OUTPUT)
        self._open_ended = stated_output == 0
        offline = flags(cases, lambda c: c.load in ("offline", "server"))
        self._degree = self._split(offline)
        self._pipelined = flags(cases, lambda c: c.pipeline_parallel > 1)
        self._streamed = flags(cases, lambda c: c.sharding == "shard")
        # Weights that are gathered for each block serve a batch of its own on every device.
        stated = column(cases, lambda c: c.tensor_parallel)
        self._copies = np.where(self._streamed, self._machines.count, stated / self._degree)
        self._neuron = np.asarray(self._machines.kinds) == "neuron"
        concurrency, batch = column(cases, lambda c: c.concurrency), column(cases, lambda c: c.batch)
        self._continuous = flags(cases, lambda c: c.load != "batch")
        self._sequences = np.where(concurrency > 0, concurrency, np.where(batch > 0, batch, 1.0))
        free = self._machines.memory_bytes * self._degree - self._decoder.stored_bytes
        fitting = free / np.maximum(self._decoder.cache_bytes_per_token * (self._input + self._output), 1.0)
        record = flags(cases, lambda c: c.tuned_record or c.framework in ("tensorrt-llm", "tensorrt"))
        max_sequences = np.where(record, MAX_SEQUENCES_OF_RECORDS, MAX_SEQUENCES)
        self._sequences = np.where(offline, np.clip(fitting, 1.0, max_sequences), self._sequences)
        self._experts = np.array(
            [float(experts_read(c.model, s)) for c, s in zip(cases, self._sequences, strict=True)]
        )

    def _split(self, offline: Bools) -> Array:
        """Return over how many devices a copy lies: as few as hold it, where throughput is the aim and nothing is said."""
        stated = column(self.cases, lambda c: c.tensor_parallel)
        free = (
            flags(self.cases, lambda c: not c.split_stated)
            & offline
            & ~np.isin(self._machines.kinds, ("neuron", "cpu"))
        )
        min_devices = ROOM_FOR_CACHE * self._decoder.stored_bytes / self._machines.memory_bytes
        return np.where(free, np.minimum(2 ** np.ceil(np.log2(np.maximum(min_devices, 1.0))), stated), stated)

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        return {
            "kind": self._machines.kinds,
            "chip": self._machines.chips,
            "arithmetic": self._machines.arithmetic,
            "engine": words(self.cases, lambda c: c.engine),
            "framework": words(self.cases, lambda c: c.framework),
            "link": self._machines.links,
            "quantization": words(self.cases, lambda c: c.quantization),
        }

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row, NaN where it is no metric of generation."""
        n = self._sequences
        served = serve(
            self._decoder,
            self._machines,
            k,
            input_tokens=self._input,
            output_tokens=self._output,
            sequences=n,
            degree=self._degree,
            continuous=self._continuous,
            pipelined=self._pipelined,
            streamed=self._streamed,
            experts=self._experts,
        )
        prompt = prefill_seconds(
            self._decoder, self._machines, k, tokens=self._input, sequences=n, degree=self._degree
        )
        tokens_s = n * self._output / served.request
        # A decoding speed leaves the prompt out where the length of the answer is not stated.
        speed = np.where(self._open_ended | self._neuron, n / served.step, tokens_s)
        values = {
            "latency_ms_avg": served.request * 1e3,
            "latency_ms_p50": served.request * 1e3,
            "latency_ms_p90": served.request * 1e3 * k["p95"],
            "latency_ms_p95": served.request * 1e3 * k["p95"],
            "latency_ms_p99": served.request * 1e3 * k["p95"],
            "ttft_ms": served.first_token * 1e3,
            "prefill_tokens_s": self._input * n / prompt,
            "itl_ms": served.step * 1e3,
            "tokens_s_total": self._copies * speed,
            "tokens_s_per_gpu": tokens_s / self._degree,
            "tokens_s_inout": self._copies * n * (self._input + self._output) / served.request,
            "requests_s": self._copies * n / served.request,
            "throughput_seq_s": self._copies * n / served.request,
            "ms_per_token_all": served.request / (self._output * n * self._copies) * 1e3,
        }
        out = np.full(len(self.cases), np.nan)
        for metric, value in values.items():
            out = np.where(self._metric == metric, value, out)
        return out
