"""Facts about common public models, so that a name is enough to describe one."""

from sizewell.instance_selection.presets.presets import (
    Preset,
    UnknownPresetError,
    find_preset,
    load_presets,
    matching_presets,
)

__all__ = ["Preset", "UnknownPresetError", "find_preset", "load_presets", "matching_presets"]
