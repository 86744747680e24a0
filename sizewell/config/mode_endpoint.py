"""An endpoint that states its needs and leaves it to the plan how they are served."""

import re
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from sizewell.config.base import fault
from sizewell.config.endpoint import EndpointNeeds

#: How a model can be served: one of the modes that are compared, or the cheapest of those that meet the needs and are built.
ServingMode = Literal["auto", "real-time", "multi-model", "serverless", "asynchronous", "batch", "lambda"]

#: Modes that are a kind of workload of their own.
KIND_OF_MODE = {
    "asynchronous": "asynchronous-endpoint",
    "serverless": "serverless-endpoint",
    "multi-model": "multi-model-endpoint",
    "batch": "batch-transform",
}


def mode_meant(kind: Any) -> str | None:
    """Return the mode that somebody wrote as a kind of workload: asynchronous of AsyncInference."""
    word = re.match(r"[A-Za-z][a-z]{4,}", kind) if isinstance(kind, str) else None
    modes = (mode for mode in get_args(ServingMode) if mode not in ("real-time", "auto"))
    return next((mode for mode in modes if word and mode.replace("-", "").startswith(word[0].lower())), None)


class ModeEndpoint(EndpointNeeds):
    """A model that is served in the mode which the plan takes: all of them are compared."""

    kind: Literal["endpoint"]
    """The workload is served in the mode that costs least, or in the one that it names."""
    mode: ServingMode = "auto"
    """How the model is served; auto takes the cheapest mode that meets every need."""
    similar_models: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """How many models of this shape and traffic could share a multi-model endpoint, this one included."""

    @model_validator(mode="after")
    def _mode_matches_instances(self) -> Self:
        if self.mode in ("serverless", "lambda") and self.instances.instance_type is not None:
            raise fault(
                "mode",
                f"{self.mode} has no instances to choose, but instances.instance_type asks for "
                f"{self.instances.instance_type}; remove one of the two",
            )
        return self
