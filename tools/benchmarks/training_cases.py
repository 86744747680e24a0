"""Predictions of rows that train a network."""

from collections.abc import Mapping, Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Labels
from sizewell.instance_selection.estimation.training import (
    DECISIVE,
    EXCHANGED_BYTES,
    exchange_bandwidth,
    step_seconds,
    training_work,
)
from sizewell.instance_selection.labels import training_labels
from sizewell.instance_selection.requirements import Architecture
from tools.benchmarks.columns import by_metric, column, flags, machines_of_cases, stacked, words
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
#: Tokens of a text that people fine-tune on, where only the longest is stated: the median of the means of twelve open
#: instruction data sets, Alpaca 92, Dolly 209, OpenAssistant 395 (Wang et al. 2023, How Far Can Camels Go, table 1).
TUNED_TOKENS = 210.0
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
#: Examples where a duration does not say what it covers: a data set is the same on any machine, and only ratios mean something.
UNSTATED_EXAMPLES = 10_000.0


class TrainingCases:
    """Rows of encoders, decoders and image models in training."""

    physics = "training"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self._machines = machines_of_cases(cases)
        self._metric = np.array(words(cases, lambda c: c.metric))
        self._tokens = column(cases, _tokens)
        self._work = stacked(
            [
                training_work(c.model, t, fused_attention=not c.unfused_attention)
                for c, t in zip(cases, self._tokens, strict=True)
            ]
        )
        units = column(cases, lambda c: c.chips * c.chip.cores_per_device)
        self._split = column(cases, lambda c: c.tensor_parallel * c.pipeline_parallel)
        self._workers = np.maximum(1.0, np.floor(units / self._split))
        self._units = units
        self._devices = column(cases, lambda c: c.chips)
        self._adapters = flags(cases, lambda c: c.adapters)
        self._sharded = flags(cases, lambda c: c.sharding == "shard")
        self._recompute = flags(cases, lambda c: c.recompute)
        self._stored_bytes = column(
            cases, lambda c: min(c.model.precision.bytes, EXCHANGED_BYTES) if c.adapters else EXCHANGED_BYTES
        )
        self._micro, self._accumulation, self._global = device_batches(cases, self._workers)
        self._updates = np.where(
            flags(cases, lambda c: c.updates is None),
            UNSTATED_EXAMPLES / self._global,
            column(cases, lambda c: c.updates),
        )
        in_node = column(cases, lambda c: NODE_DEVICES.get(c.chip.kind, 8.0))
        # A ring enters and leaves each node once, so it has the whole network of the node.
        network, within = column(cases, _node_bandwidth), exchange_bandwidth(self._machines)
        self._link = np.where(
            (units > in_node) | flags(cases, lambda c: c.nodes > 1), np.minimum(network, within), within
        )

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        each = [training_labels(c.model.architecture, adapters=c.adapters) for c in self.cases]
        return {name: tuple(str(labels[name]) for labels in each) for name in each[0]}

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
            stored_bytes=self._stored_bytes,
        )
        examples_s = self._global / seconds
        peak = column(self.cases, lambda c: c.chip.peak(c.arithmetic)[0] * c.chips)
        useful = 3 * examples_s * self._work.forward_flops
        values = {
            "throughput_seq_s": examples_s,
            "images_s": examples_s,
            "tokens_s_total": examples_s * self._tokens,
            "tokens_s_inout": examples_s * self._tokens,
            "tokens_s_per_gpu": examples_s * self._tokens / self._devices,
            "mfu": 100 * useful / peak,
            "train_time_s": self._updates * seconds,
        }
        return by_metric(self._metric, values)


def device_batches(cases: Sequence[Case], workers: Array) -> tuple[Array, Array, Array]:
    """Return the examples of one pass of one copy of a model, the passes before an update, and the examples of an update."""
    batch, micro = column(cases, lambda c: c.batch), column(cases, lambda c: c.micro_batch)
    min_share = column(cases, lambda c: MIN_GLOBAL_SHARE.get(c.model.architecture, DEFAULT_MIN_SHARE))
    per_device = flags(cases, lambda c: c.per_device or (c.data_parallel and not c.micro_batch)) | (
        (workers > 1) & (batch / workers < min_share)
    )
    share = np.where(batch > 0, np.where(per_device, batch, batch / workers), DEFAULT_BATCH)
    size = np.where(micro > 0, micro, share)
    whole = np.where(per_device | (batch == 0), size * workers, batch)
    accumulation = np.maximum(whole / workers / np.maximum(size, 1e-9), 1.0)
    more = np.where(micro > 0, 1.0, np.maximum(size / column(cases, _largest_micro_batch), 1.0))
    return size / more, accumulation * more, whole


def _tokens(case: Case) -> float:
    model, name = case.model, case.model_name.lower()
    if case.input_tokens:
        tuned = case.real_texts and model.architecture.generates
        return min(case.input_tokens, TUNED_TOKENS) if tuned else case.input_tokens
    if "vit" in name:
        return PATCHES
    if "llama" in name:
        return LLAMA_TOKENS
    if model.architecture is Architecture.ENCODER and case.chip.kind == "neuron" and "ph2" not in name:
        return PHASE_ONE_TOKENS
    return DEFAULT_TOKENS.get(model.architecture, 128.0)


def _node_bandwidth(case: Case) -> float:
    usual = next((rate for chip, rate in NODE_GBIT_S if case.chip.name.startswith(chip)), DEFAULT_NODE_GBIT_S)
    return (case.network_gbit_s or usual) * 1e9 / 8


def _largest_micro_batch(case: Case) -> float:
    if case.model.architecture is Architecture.ENCODER_DECODER:
        return ENCODER_DECODER_MICRO_BATCH
    if case.model.architecture is Architecture.ENCODER:
        return next(size for tokens, size in LARGEST_MICRO_BATCH if _tokens(case) <= tokens)
    return float("inf")
