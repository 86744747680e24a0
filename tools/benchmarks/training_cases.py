"""Predictions of rows that train a network."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Labels
from sizewell.instance_selection.estimation.training import (
    DECISIVE,
    TrainingWork,
    step_seconds,
    training_work,
)
from sizewell.instance_selection.requirements import Architecture
from tools.benchmarks.columns import column, flags, machines_of_cases, words
from tools.benchmarks.measurements import Case

#: Sequence lengths where a row states none, by what the models are usually trained with.
DEFAULT_TOKENS = {
    Architecture.DECODER: 2048.0,
    Architecture.ENCODER: 512.0,
    Architecture.ENCODER_DECODER: 512.0,
}
LLAMA_TOKENS = 4096.0
PHASE_ONE_TOKENS = 128.0
PATCHES = 197.0
#: Mean over longest example of an instruction data set, whose rows state the longest (Alpaca: 1,304 at most).
MEAN_OVER_LONGEST = 0.5
#: Largest micro-batches that are used where only a global batch is stated: longer ones are accumulated.
LARGEST_MICRO_BATCH = ((128.0, 64.0), (float("inf"), 16.0))
ENCODER_DECODER_MICRO_BATCH = 24.0
DEFAULT_BATCH = 64.0
#: Below so many examples per device, a stated batch can only be meant per device.
MIN_GLOBAL_SHARE = {Architecture.DECODER: 0.9}
DEFAULT_MIN_SHARE = 3.9
ADAPTER_SHARE = 0.01
#: Devices in a node, and the network of a node where a row states none: Gbit/s of the DGX and EC2 nodes of that chip.
NODE_DEVICES = {"neuron": 32.0}
NODE_GBIT_S = (
    ("Trainium", 800.0),
    ("V100", 400.0),
    ("A100", 1600.0),
    ("H100", 3200.0),
    ("H200", 3200.0),
    ("B200", 3200.0),
)
DEFAULT_NODE_GBIT_S = 100.0
ITERATIONS_PER_VALUE = 1000.0


class TrainingCases:
    """Rows of encoders, decoders and image models in training."""

    physics = "training"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self._machines = machines_of_cases(cases)
        self._metric = np.array(words(cases, lambda c: c.metric))
        self._tokens = column(cases, _tokens)
        works = [training_work(c.model, t) for c, t in zip(cases, self._tokens, strict=True)]
        self._work = TrainingWork(
            *(np.array([float(getattr(w, n)) for w in works]) for n in TrainingWork.__dataclass_fields__)
        )
        units = column(cases, lambda c: c.chips * c.chip.cores_per_device)
        self._split = column(cases, lambda c: c.tensor_parallel * c.pipeline_parallel)
        self._workers = np.maximum(1.0, np.floor(units / self._split))
        self._units = units
        self._devices = column(cases, lambda c: c.chips)
        self._adapters = flags(cases, lambda c: c.adapters)
        self._sharded = flags(cases, lambda c: c.sharding == "shard")
        self._recompute = flags(cases, lambda c: c.recompute)
        self._batches()
        in_node = column(cases, lambda c: NODE_DEVICES.get(c.chip.kind, 8.0))
        # A ring enters and leaves each node once, so it has the whole network of the node.
        network = column(cases, _node_bandwidth)
        self._link = np.where(
            (units > in_node) | flags(cases, lambda c: c.nodes > 1),
            np.minimum(network, self._machines.link_bandwidth),
            self._machines.link_bandwidth,
        )

    def _batches(self) -> None:
        cases, workers = self.cases, self._workers
        batch, micro = column(cases, lambda c: c.batch), column(cases, lambda c: c.micro_batch)
        min_share = column(cases, lambda c: MIN_GLOBAL_SHARE.get(c.model.architecture, DEFAULT_MIN_SHARE))
        per_device = (
            flags(cases, lambda c: c.per_device or (c.data_parallel and not c.micro_batch))
            | self._adapters
            | ((workers > 1) & (batch / workers < min_share))
        )
        share = np.where(batch > 0, np.where(per_device, batch, batch / workers), DEFAULT_BATCH)
        size = np.where(micro > 0, micro, share)
        whole = np.where(per_device | (batch == 0), size * workers, batch)
        accumulation = np.maximum(whole / workers / np.maximum(size, 1e-9), 1.0)
        largest = column(cases, _largest_micro_batch)
        more = np.maximum(size / largest, 1.0)
        self._micro, self._accumulation, self._global = size / more, accumulation * more, whole

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        return {
            "kind": self._machines.kinds,
            "arithmetic": self._machines.arithmetic,
            "architecture": words(self.cases, lambda c: c.model.architecture.value),
        }

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row, NaN where it is no metric of training."""
        seconds = step_seconds(
            self._work,
            self._machines,
            k,
            micro_batch=self._micro,
            accumulation=self._accumulation,
            workers=self._workers,
            split=self._split,
            link_bandwidth=self._link,
            trainable_share=np.where(self._adapters, ADAPTER_SHARE, 1.0),
            frozen=self._adapters,
            sharded=self._sharded,
            recompute=self._recompute,
        )
        examples_s = self._global / seconds
        peak = column(self.cases, lambda c: c.chip.peak(c.arithmetic)[0] * c.chips)
        useful = 3 * examples_s * self._work.forward_flops
        values = {
            "throughput_seq_s": examples_s,
            "images_s": examples_s,
            "tokens_s_total": examples_s * self._tokens,
            "tokens_s_per_gpu": examples_s * self._tokens / self._devices,
            "mfu": 100 * useful / peak,
            "train_time_s": ITERATIONS_PER_VALUE * seconds,
        }
        out = np.full(len(self.cases), np.nan)
        for metric, value in values.items():
            out = np.where(self._metric == metric, value, out)
        return out


def _tokens(case: Case) -> float:
    model, name = case.model, case.model_name.lower()
    if case.input_tokens:
        return case.input_tokens * (MEAN_OVER_LONGEST if case.adapters else 1.0)
    if "vit" in name:
        return PATCHES
    if "llama" in name:
        return LLAMA_TOKENS
    if model.architecture is Architecture.ENCODER and case.chip.kind == "neuron" and "ph2" not in name:
        return PHASE_ONE_TOKENS
    return DEFAULT_TOKENS.get(model.architecture, 128.0)


def _node_bandwidth(case: Case) -> float:
    stated = re.search(r"(\d+) ?Gbps", case.note)
    usual = next((rate for chip, rate in NODE_GBIT_S if case.chip.name.startswith(chip)), DEFAULT_NODE_GBIT_S)
    return (float(stated[1]) if stated else case.network_gbit_s or usual) * 1e9 / 8


def _largest_micro_batch(case: Case) -> float:
    if case.model.architecture is Architecture.ENCODER_DECODER:
        return ENCODER_DECODER_MICRO_BATCH
    if case.model.architecture is Architecture.ENCODER:
        return next(size for tokens, size in LARGEST_MICRO_BATCH if _tokens(case) <= tokens)
    return float("inf")
