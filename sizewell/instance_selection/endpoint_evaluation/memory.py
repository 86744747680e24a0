"""What an endpoint holds on each type: in the memory of a device, in that of the host, and on the disk."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from sizewell.facts.production_variants import VOLUME_SIZE_BOUNDS_GIB
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import BASE_VOLUME_GIB, GIB, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.memory import (
    ENGINES,
    NEAR_FULL,
    ServingMemory,
    host_bytes,
    serving_memory,
    stored_bytes,
)
from sizewell.instance_selection.filters import Marks


class EndpointMemory:
    """What the model needs, and what each type offers."""

    def __init__(self, types: EndpointTypes, measured_gib: Mapping[int, float] | None = None) -> None:
        """``measured_gib``: what is in use on the fullest device, by the position of the type, where it was measured."""
        self._types = types
        self._measured_gib = measured_gib or {}

    def of_device(self, concurrency: float | Array = 1.0, degree: float | Array = 1.0) -> ServingMemory:
        """Return the memory of one device of a group of ``degree`` while it serves ``concurrency`` requests.

        A server that batches serves a batch at a time.
        """
        if not self._types.generates:
            return self._single_pass
        return self._of_device(concurrency, degree)

    @cached_property
    def _single_pass(self) -> ServingMemory:
        """One request, or one batch; nothing that answers in one pass is split over several devices."""
        return self._of_device(max(self._types.needs.images_per_request, 1), 1.0)

    @cached_property
    def _offered_bytes(self) -> Array:
        """What a device, or the host of a CPU, has for the model."""
        types = self._types
        if not types.needs.pipeline_memory_gib:
            return types.machines.memory_bytes
        left = np.maximum(types.machines.memory_bytes - types.needs.pipeline_memory_gib * GIB, 0.0)
        return np.where(types.on_cpu, left, types.machines.memory_bytes)

    def _of_device(self, at_once: float | Array, degree: float | Array) -> ServingMemory:
        types, needs = self._types, self._types.needs
        return serving_memory(
            needs.model,
            ENGINES[needs.engine],
            kinds=types.machines.kinds,
            links=types.machines.links,
            device_bytes=self._offered_bytes,
            tokens=needs.input_tokens + needs.output_tokens,
            input_tokens=needs.input_tokens,
            sequences=at_once * types.max_batch_size,
            degree=degree,
            value_scale=types.value_scale,
        )

    @cached_property
    def workers(self) -> Array:
        """Devices that serve; on a CPU processes with a copy of the model each: no more than the host holds."""
        types = self._types
        needed = np.maximum(self.of_device().total, 1.0) * (1 + types.needs.margin)
        held = np.clip(np.floor(NEAR_FULL * self._offered_bytes / needed), 1.0, types.machines.count)
        return np.where(types.on_cpu, held, types.machines.count)

    @cached_property
    def device_bytes(self) -> Array:
        """What one of the workers may use."""
        shares = np.where(self._types.on_cpu, self.workers, 1.0)
        return np.asarray(self._offered_bytes / shares)

    def fits(self, needed_bytes: Array) -> Marks:
        """Return whether a device of each type holds this much; estimates must leave the margin, measurements need not."""
        offered = self.device_bytes
        fits = np.asarray(needed_bytes * (1 + self._types.needs.margin) <= offered)
        for i, gib in self._measured_gib.items():
            fits[..., i] = gib * GIB <= offered[i]
        return fits

    @cached_property
    def host_needed_gib(self) -> Array:
        """Weights pass through host memory on their way to an accelerator; look-up tables and other containers stay there."""
        needs = self._types.needs
        passing_gib = host_bytes(needs.model, self._types.machines.kinds) / GIB
        return np.where(self._types.on_cpu, 0.0, passing_gib + needs.pipeline_memory_gib)

    @cached_property
    def host_gib(self) -> Array:
        """What the host offers."""
        return np.array([t.memory_gib for t in self._types.instance_types]) * USABLE_HOST_SHARE

    @cached_property
    def artifact_gb(self) -> float:
        """What must lie on the disk, in 10^9 bytes: the artifact where its size is stated, otherwise the weights.

        Those of other containers lie there too.
        """
        needs = self._types.needs
        stored = stored_bytes(needs.model) if needs.artifact_gib is None else needs.artifact_gib * GIB
        return (stored + needs.pipeline_disk_gib * GIB) / 1e9

    @cached_property
    def disk_gb(self) -> Array:
        """Local NVMe storage, where the type has one: no volume can be attached there. Elsewhere, the largest volume."""
        largest_volume_gb = (VOLUME_SIZE_BOUNDS_GIB[1] - BASE_VOLUME_GIB) * GIB / 1e9
        return np.array(
            [
                t.local_storage_gb if t.local_storage_nvme else largest_volume_gb
                for t in self._types.instance_types
            ]
        )
