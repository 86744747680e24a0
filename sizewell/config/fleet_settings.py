"""What SageMaker does with the instances of an endpoint beside its model: which of them gets a request, what they report."""

from typing import Annotated

from sizewell.config.base import ConfigModel
from sizewell.config.effects import OnToggle, OnValue
from sizewell.facts.production_variants import RoutingStrategy


class ObservedFleet(ConfigModel):
    """Instances that report what they do."""

    detailed_metrics: Annotated[
        bool,
        OnToggle(
            on="containers, GPUs and hosts publish detailed metrics, which are paid by the GB",
            off="detailed metrics of containers, GPUs and hosts are no longer published",
        ),
    ] = True
    """Whether metrics of each container, GPU and host are published to CloudWatch beside those that alarms watch
    (EnableDetailedObservability), as SageMaker does unless told otherwise; CloudWatch takes its price by the GB."""


class RoutedFleet(ObservedFleet):
    """Instances of which each can answer any request."""

    routing: Annotated[
        RoutingStrategy,
        OnValue(
            (
                ("random", "requests also go to instances that are still busy with long ones"),
                ("least-outstanding-requests", "requests go to the instance that works on the fewest"),
            )
        ),
    ] = "least-outstanding-requests"
    """Which instance gets a request: the one that works on the fewest, or any (RoutingStrategy). SageMaker's own default is
    random, which lengthens the tail of latency where requests vary."""
