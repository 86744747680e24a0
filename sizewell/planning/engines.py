"""The engine of an endpoint that states none: that of its containers, where their names tell, otherwise the framework."""

import re

from sizewell.config.container import Image
from sizewell.config.served_model import ContainedModel
from sizewell.facts.engine_variables import LLM_CONTAINER_WORDS, RUNTIME_CONTAINER_WORDS
from sizewell.facts.models import Engine
from sizewell.instance_selection import Architecture
from sizewell.planning.preset_models import described_model

_LLM_CONTAINER, _RUNTIME_CONTAINER = (
    re.compile(rf"(?<![a-z])(?:{'|'.join(words)})(?![a-z])")
    for words in (LLM_CONTAINER_WORDS, RUNTIME_CONTAINER_WORDS)
)


def engine_of(endpoint: ContainedModel) -> Engine:
    """Return the engine: as stated, what every image names (an llm-engine for a decoder alone), else eager."""
    return _named(endpoint) or endpoint.engine


def engine_assumptions(endpoint: ContainedModel) -> tuple[str, ...]:
    """Return which engine is taken though none is stated; tables are scored without one."""
    if "engine" in endpoint.model_fields_set:
        return ()
    architecture = Architecture(described_model(endpoint.model).architecture)
    if architecture.tabular:
        return ()
    if named := _named(endpoint):
        return (f"the engine is {named}, as the images say ({', '.join(_images(endpoint))})",)
    others = (
        "compiled, optimized-runtime or llm-engine"
        if architecture.generates
        else "compiled or optimized-runtime"
    )
    return (f"the engine is eager, as none is stated; {others} may need far less",)


def _named(endpoint: ContainedModel) -> Engine | None:
    names = _images(endpoint)
    if "engine" in endpoint.model_fields_set or not names:
        return None
    architecture = Architecture(described_model(endpoint.model).architecture)
    if architecture == "decoder" and all(map(_LLM_CONTAINER.search, names)):
        return Engine.LLM_ENGINE
    if not architecture.tabular and all(map(_RUNTIME_CONTAINER.search, names)):
        return Engine.OPTIMIZED_RUNTIME
    return None


def _images(endpoint: ContainedModel) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            f"{image.repository}:{image.tag}" if isinstance(image, Image) else image.repository
            for image in endpoint.container.repositories
        )
    )
