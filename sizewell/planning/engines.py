"""The engine of an endpoint that states none: that of its containers, where their names tell, otherwise the framework."""

import re

from sizewell.config.container import Image
from sizewell.config.served_model import ContainedModel
from sizewell.facts.engine_variables import LLM_CONTAINER_WORDS
from sizewell.facts.models import Engine
from sizewell.instance_selection import Architecture
from sizewell.planning.preset_models import described_model

_LLM_CONTAINER = re.compile(rf"(?<![a-z])(?:{'|'.join(LLM_CONTAINER_WORDS)})(?![a-z])")


def engine_of(endpoint: ContainedModel) -> Engine:
    """Return the engine: as stated, an llm-engine for a decoder whose every image names one, else eager."""
    return Engine.LLM_ENGINE if _names_engine(endpoint) else endpoint.engine


def engine_assumptions(endpoint: ContainedModel) -> tuple[str, ...]:
    """Return which engine is taken though none is stated; tables are scored without one."""
    if "engine" in endpoint.model_fields_set:
        return ()
    architecture = Architecture(described_model(endpoint.model).architecture)
    if architecture.tabular:
        return ()
    if _names_engine(endpoint):
        return (f"the engine is llm-engine, as the images say ({', '.join(_images(endpoint))})",)
    others = (
        "compiled, optimized-runtime or llm-engine"
        if architecture.generates
        else "compiled or optimized-runtime"
    )
    return (f"the engine is eager, as none is stated; {others} may need far less",)


def _names_engine(endpoint: ContainedModel) -> bool:
    if "engine" in endpoint.model_fields_set or described_model(endpoint.model).architecture != "decoder":
        return False
    names = _images(endpoint)
    return bool(names) and all(_LLM_CONTAINER.search(name) for name in names)


def _images(endpoint: ContainedModel) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            f"{image.repository}:{image.tag}" if isinstance(image, Image) else image.repository
            for image in endpoint.container.repositories
        )
    )
