"""Forecasters of time series: recurrent ones step by step, as DeepAR, and transformers over patches, as PatchTST."""

import math
from dataclasses import replace

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.architectures.rnn import FORECAST_LAYERS, assumed_cells, recurrent_work
from sizewell.instance_selection.estimation.work import Work, assumed_shape, transformer_work
from sizewell.instance_selection.requirements import ModelSpec


def _assumed(model: ModelSpec) -> tuple[str, ...]:
    return assumed_shape(model) if model.patch_length else assumed_cells(model, FORECAST_LAYERS)


@architecture(
    Architecture.TIME_SERIES,
    Traits(has_logits=False, shards_in_training=False, reads_images=True),
    _assumed,
)
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of the forecast of one series.

    A recurrent network goes through the past once, and through the future once for each path that it draws, all paths
    side by side (Salinas et al. 2017, DeepAR, section 3). A transformer reads patches of the past beside those of the
    future in one pass (Woo et al. 2024, Moirai; a head on the past alone, as in Nie et al. 2023, PatchTST, takes less).
    """
    past, future = float(model.time_steps), float(model.forecast_steps)
    if not model.patch_length:
        return recurrent_work(
            model,
            sequential=max(past + future, 1.0),
            computed=max(past + model.samples * future, 1.0),
            default_layers=FORECAST_LAYERS,
            # What is drawn is the input of the next step.
            driven=future if model.samples > 1 else 0.0,
        )
    patches = max(math.ceil(past / model.patch_length) + math.ceil(future / model.patch_length), 1)
    work = transformer_work(model, float(patches))
    return replace(work, flops=model.forward_flops_per_image or work.flops)
