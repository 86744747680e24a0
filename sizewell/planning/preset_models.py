"""Models named by a preset: its published facts, overridden by the keys beside it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sizewell.config.ml_model import DescribedModel, Model, PresetModel
from sizewell.config.printable import printable_word
from sizewell.config.served_model import ContainedModel
from sizewell.config.training import TrainedModel
from sizewell.instance_selection.presets import Preset, UnknownPresetError, find_preset
from sizewell.planning.errors import PlanFault
from sizewell.planning.model_keys import MODEL_KEYS

_DESCRIBED: TypeAdapter[DescribedModel] = TypeAdapter(DescribedModel)
_CLASSES = {
    architecture: model
    for model in get_args(get_args(DescribedModel)[0])
    for architecture in get_args(model.model_fields["architecture"].annotation)
}
#: How a name says of how many tokens the context is, in units of 1,024.
_LENGTH = re.compile(r"[-_](\d{1,4})k\b")


class PresetContradictionError(ValueError):
    """A preset is of another architecture than is written beside it."""


@lru_cache(maxsize=256)
def described_model(model: Model) -> DescribedModel:
    """Return the description of a model: its own, or that of its preset, where what is written beside it wins.

    Raises:
        UnknownPresetError: no public model has this name.
        PresetContradictionError: the public model is of another architecture.
        ValidationError: both together are no valid model; the locations of its errors start with the architecture.
    """
    if not isinstance(model, PresetModel):
        return model
    preset = find_preset(model.preset)
    architecture = preset.architecture
    if model.architecture not in (None, architecture):
        raise PresetContradictionError(
            f"is {model.architecture}, but the preset {model.preset} is of architecture {architecture}"
        )
    facts = _facts(preset)
    if "max_context_tokens" in facts and (length := _LENGTH.search(model.preset.lower())):
        # phi-3-mini-128k is the preset phi-3-mini but for its positions.
        facts["max_context_tokens"] = int(length[1]) * 1024
    stated = model.model_dump(include=model.model_fields_set - {"preset"}, exclude_none=True)
    if "image_pixels" in stated and "forward_gflops_per_image" not in stated and preset.pixels:
        # Filters and patches are multiplied once for each position.
        ratio = stated.pop("image_pixels") / preset.pixels
        for key in facts.keys() & {"forward_gflops_per_image", "activations_millions_per_image"}:
            facts[key] *= ratio
    return _DESCRIBED.validate_python({**facts, **stated, "architecture": architecture})


def preset_faults(path: tuple[str, ...], workload: ContainedModel | TrainedModel) -> Iterator[PlanFault]:
    """Yield what is wrong with a preset, and with what is asked of the model that it stands for, at ``path``."""
    if not isinstance(workload.model, PresetModel):
        return
    preset = workload.model.preset
    try:
        model = described_model(workload.model)
    except UnknownPresetError as error:
        reason = f'there is no preset "{printable_word(preset)}"'
        yield PlanFault((*path, "model", "preset"), reason, _preset_hint(error))
    except PresetContradictionError as error:
        yield PlanFault((*path, "model", "architecture"), str(error), "remove the key, or use another preset")
    except ValidationError as error:
        for details in error.errors(include_url=False):
            yield _fault((*path, "model"), details["loc"][1:], details, workload.model)
    else:
        # The rules of the configuration could not see the architecture behind the name.
        try:
            type(workload).model_validate({**dict(workload), "model": model})
        except ValidationError as error:
            for details in error.errors(include_url=False):
                yield _fault(path, details["loc"][1:], details, workload.model)


def _fault(
    path: tuple[str, ...], location: tuple[int | str, ...], details: ErrorDetails, model: PresetModel
) -> PlanFault:
    path = (*path, *(str(part) for part in location))
    if details["type"] == "extra_forbidden":
        architecture = find_preset(model.preset).architecture
        return PlanFault(
            path, f"does not go with {model.preset}, which is of architecture {architecture}", "remove it"
        )
    context = details.get("ctx", {})
    keys = context.get("key", "").split(".") if context.get("key") else ()
    return PlanFault(
        (*path, *keys), context.get("reason", details["msg"]), f"the model is the preset {model.preset}"
    )


def _preset_hint(error: UnknownPresetError) -> str:
    described = "describe the model by architecture and parameters_millions"
    if not error.near_matches:
        return f"{described}; sizewell guide configuration has every key"
    return f"did you mean {' or '.join(error.near_matches)}? Or {described}"


def _facts(preset: Preset) -> dict[str, Any]:
    """Return what is known of a preset, under the keys that a description of its architecture has."""
    keys = _CLASSES[preset.architecture].model_fields
    facts = {
        name: value / key.preset_units if key.preset_units != 1 else value
        for name, key in MODEL_KEYS.items()
        if name in keys and key.preset_field and (value := getattr(preset, key.preset_field)) is not None
    }
    if "kv_hidden_size" in keys:
        _drop_what_transformers_lack(facts, preset.architecture)
    return facts


def _drop_what_transformers_lack(facts: dict[str, Any], architecture: str) -> None:
    if architecture != "encoder":  # what one encodes before it writes says nothing of a token
        facts.pop("forward_gflops_per_image", None)
    if "forward_gflops_per_image" not in facts and not {"layers", "hidden_size"} <= facts.keys():
        facts.pop("layers", None)
        facts.pop("hidden_size", None)
