"""An endpoint that states its needs and leaves it to the plan how they are served."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import fault, without
from sizewell.config.container import NamedImage
from sizewell.config.effects import OnToggle
from sizewell.config.endpoint import EndpointNeeds
from sizewell.config.endpoint_rules import member_violations
from sizewell.config.kind import ConfigKind
from sizewell.config.served_on_demand import NOT_FOR_LAMBDA
from sizewell.facts.image_registries import accounts_of_aws

#: How a model can be served: one of the modes that are compared, or the cheapest of those that meet the needs and are built.
ServingMode = Literal["auto", "real-time", "multi-model", "serverless", "asynchronous", "batch", "lambda"]

#: Modes that are a kind of workload of their own.
KIND_OF_MODE = {
    "asynchronous": "asynchronous-endpoint",
    "serverless": "serverless-endpoint",
    "multi-model": "multi-model-endpoint",
    "batch": "batch-transform",
    "lambda": "lambda-function",
}


class ModeEndpoint(EndpointNeeds):
    """A model that is served in the mode which the plan takes: all of them are compared."""

    kind: Literal["endpoint"]
    """The workload is served in the mode that costs least, or in the one that it names."""
    mode: ServingMode = "auto"
    """How the model is served; auto takes the cheapest mode that meets every need."""
    similar_models: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """How many models of this shape and traffic could share a multi-model endpoint, this one included."""
    lambda_runtime: Annotated[
        bool,
        OnToggle(
            on="the endpoint may become a Lambda function",
            off="the endpoint does not become a Lambda function",
        ),
    ] = False
    """Whether container.images.cpu_x86_64 has the Lambda runtime interface, and so starts in Lambda as well; without it no
    Lambda function is made of the endpoint."""

    @property
    def asked_mode(self) -> str:
        """As stated."""
        return self.mode

    @property
    def models_alike(self) -> int:
        """As stated."""
        return self.similar_models

    @property
    def starts_in_lambda(self) -> bool:
        """As stated."""
        return self.lambda_runtime

    @model_validator(mode="after")
    def _mode_matches_instances(self) -> Self:
        if self.mode in ("serverless", "lambda") and self.instances.instance_type is not None:
            raise fault(
                "mode",
                f"{self.mode} has no instances to choose, but instances.instance_type asks for "
                f"{self.instances.instance_type}; remove one of the two",
            )
        return self

    @model_validator(mode="after")
    def _lambda_runtime_has_an_effect(self) -> Self:
        if not self.lambda_runtime:
            return self
        if self.mode not in ("auto", "lambda"):
            raise fault(
                "lambda_runtime", f"has no effect beside mode: {self.mode}; {without('lambda_runtime')}"
            )
        if self.container.model_package is not None:
            raise fault(
                "lambda_runtime",
                f"has no effect beside container.model_package, which Lambda does not start; {without('lambda_runtime')}",
            )
        if self.access is not None:
            raise fault(
                "access",
                "has no effect on a Lambda function, which lambda_runtime lets the endpoint become: allow the roles by a policy "
                "of yours, and remove it, or remove lambda_runtime",
            )
        image = self.container.images.by_hardware().get("cpu_x86_64")
        if self.container.image is not None or isinstance(image, NamedImage):
            raise fault("lambda_runtime", f"cannot be: {NOT_FOR_LAMBDA}")
        if image is None or image.account in accounts_of_aws():
            raise fault(
                "lambda_runtime", f"needs container.images.cpu_x86_64, an image of yours: {NOT_FOR_LAMBDA}"
            )
        return self


FACET = ConfigKind(rank=13, model=ModeEndpoint, rules=member_violations)
