"""How long a request takes on each type, and how sure that is."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.boosting import REFERENCE_GHZ, answer_seconds
from sizewell.instance_selection.estimation.coefficients import NONE, Array, Labels, coefficients
from sizewell.instance_selection.estimation.forward import DECISIVE as FORWARD_DECISIVE
from sizewell.instance_selection.estimation.forward import forward_seconds
from sizewell.instance_selection.estimation.generation import DECISIVE as GENERATION_DECISIVE
from sizewell.instance_selection.estimation.generation import Served, decoder_of, serve
from sizewell.instance_selection.estimation.machines import Machines
from sizewell.instance_selection.estimation.uncertainty import estimate_class, interval_factors, range_group
from sizewell.instance_selection.estimation.work import forward_work
from sizewell.instance_selection.labels import is_expanded_apart, is_mixture, serving_labels, weight_only
from sizewell.instance_selection.requirements import Engine

#: Sustained speed of a burstable vCPU: the lowest baseline of the t2 and t3 sizes on SageMaker (EC2 user guide,
#: "Key concepts for burstable performance instances": t2.2xlarge 16.9 %).
BURSTABLE_BASELINE = 0.169
#: Parsing, scoring and answering one row by a web server in Python, on one core (SageMaker guide, "Inference
#: Recommender load test": 500 requests per second of an XGBoost container on one ml.c5.large).
TABULAR_REQUEST_S = 2.5e-3


class EndpointTimes:
    """The seconds of a request: what is predicted, times ``scale``, which measurements say.

    ``part_scales`` are further factors on parts of an answer (`Served`). A request follows them where no latency was measured.
    """

    def __init__(
        self,
        types: EndpointTypes,
        scale: float | Array = 1.0,
        part_scales: Mapping[str, Array] = MappingProxyType({}),
    ) -> None:
        self._types = types
        self._part_scales = part_scales
        self._scale = np.where(types.burstable, 1 / BURSTABLE_BASELINE, 1.0) * scale
        self._physics = "generation" if types.generates else "forward"
        self._decisive: tuple[str, ...] = GENERATION_DECISIVE if types.generates else FORWARD_DECISIVE

    def serve(
        self, sequences: float | Array = 1.0, degree: float | Array = 1.0, slots: float | Array = 1.0
    ) -> Served:
        """Return the times of a request while ``sequences`` are in progress on a group of ``degree`` devices.

        ``slots`` are those that a Neuron graph was compiled for. An answer in one pass is computed alone, whatever waits
        beside it.
        """
        if not self._types.generates:
            return self._single_pass
        return self._scaled(self._generate(self._types.machines, sequences, degree, slots))

    def serve_each(self, sequences: Array, degrees: Array) -> Served:
        """Return the times of a request for each degree and number of sequences (the first axes) on each type (the last)."""
        shape = (len(degrees), len(sequences), len(self._types))
        if not self._types.generates:
            return self._single_pass.each(lambda part: np.broadcast_to(part, shape))
        machines, place = self._types.machines.distinct
        served = self._generate(machines, sequences, degrees)
        scaled = self._scaled(served.each(lambda part: part[..., place]))
        return scaled.each(lambda part: np.broadcast_to(part, shape))

    def batch(self, sizes: Array, degree: Array) -> Served:
        """Return the times of requests that share a pass, or are generated together."""
        if self._types.generates:
            return self.serve(sizes, degree)
        seconds = np.asarray(self._forward_s(sizes) * self._scale)
        return Served(seconds, np.zeros_like(seconds), seconds)

    def interval_of(self, part: str, degree: Array) -> tuple[Array, Array]:
        """Return the factors below and above the time of a part of an answer (`Served`) of the nominal 90 % range.

        ``degree`` devices of each type share the weights.
        """
        machines, model = self._types.machines, self._types.needs.model
        unseen = coefficients(self._physics).unseen_log_sd(
            self._labels(machines), len(machines), self._decisive
        )
        classes = {
            kind: estimate_class(
                self._physics,
                kind,
                first_token=part == "first_token",
                mixture=is_mixture(model),
                weight_only=weight_only(model) != NONE,
            )
            for kind in set(machines.kinds)
        }
        eager = self._types.needs.engine is Engine.EAGER
        keys = [
            (classes[kind], range_group(eager=eager, devices=devices))
            for kind, devices in zip(machines.kinds, degree.tolist(), strict=True)
        ]
        return interval_factors(keys, unseen)

    def _labels(self, machines: Machines) -> Labels:
        return serving_labels(machines, self._types.needs.model, self._types.needs.engine)

    def _coefficients(self, machines: Machines) -> dict[str, Array]:
        return coefficients(self._physics).values(self._labels(machines), len(machines))

    def _generate(
        self, machines: Machines, sequences: float | Array, degree: float | Array, slots: float | Array = 1.0
    ) -> Served:
        needs, model = self._types.needs, self._types.needs.model
        served = serve(
            decoder_of(model, expanded=is_expanded_apart(model, needs.engine)),
            machines,
            self._coefficients(machines),
            input_tokens=float(needs.input_tokens or 1),
            output_tokens=float(needs.output_tokens),
            sequences=sequences,
            degree=degree,
            continuous=self._types.batches,
            slots=slots,
        )
        return replace(served, request=served.request * needs.windows_per_request)

    def _scaled(self, served: Served) -> Served:
        served = served.each(lambda part: part * self._scale)
        if not self._part_scales:
            return served
        first_token = served.first_token * self._part_scales.get("first_token", 1.0)
        step = served.step * self._part_scales.get("step", 1.0)
        needs, request = self._types.needs, served.request
        if all(m.p95_latency_ms is None for m in self._types.measurements.values()):
            more = first_token - served.first_token + (step - served.step) * (needs.output_tokens - 1)
            request = request + more * needs.windows_per_request
        return Served(first_token, step, request)

    @cached_property
    def _single_pass(self) -> Served:
        seconds = self._forward_s() * self._scale
        return Served(seconds, np.zeros(len(self._types)), seconds)

    def _forward_s(self, requests: float | Array = 1.0) -> Array:
        needs, model = self._types.needs, self._types.needs.model
        if model.architecture.tabular:
            rows = max(needs.images_per_request, 1)
            core_ghz = np.where(self._types.on_cpu, self._types.machines.core_ghz, REFERENCE_GHZ)
            scoring = answer_seconds(rows=rows, trees=model.trees, depth=model.tree_depth, core_ghz=core_ghz)
            return TABULAR_REQUEST_S + scoring * float(model.architecture.traits.grows_trees)
        return forward_seconds(
            forward_work(model, tokens=float(needs.input_tokens or 1)),
            self._types.machines,
            self._coefficients(self._types.machines),
            weight_bytes=model.precision.bytes * self._types.value_scale,
            batch=requests * float(max(needs.images_per_request, 1)),
        )
