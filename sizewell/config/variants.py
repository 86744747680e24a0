"""Other models behind a real-time endpoint: variants that share its requests, and a shadow that gets copies of them.

A variant states what differs from its endpoint, as an environment file states what differs from base.yaml. Rules and plan see
each of them as an endpoint of its own, called ENDPOINT/VARIANT, with its share of the traffic: ``RealTimeEndpoint.beside``.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from sizewell.config.alarms import Alarms
from sizewell.config.base import ON_MAX_USD, ConfigModel, Margin, Usd
from sizewell.config.capacity_reservation import ON_CAPACITY_RESERVATION, CapacityReservationArn
from sizewell.config.container import ServingContainer
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, SelectionNeed
from sizewell.config.inference_pipeline import ON_PIPELINE, InferencePipeline
from sizewell.config.instance_pools import ON_INSTANCE_POOLS, InstancePools
from sizewell.config.instances import InstanceConstraints
from sizewell.config.merge import merge_layers
from sizewell.config.ml_model import ON_MODEL, Model
from sizewell.config.scaling import Scaling
from sizewell.config.served_model import Batching, Request
from sizewell.config.tree import Node
from sizewell.config.variant_names import SHADOW
from sizewell.facts.models import Engine
from sizewell.facts.production_variants import MAX_VARIANTS


class _Variant(ConfigModel):
    """What an endpoint and a variant of it may differ in; what is not stated is as the endpoint has it."""

    model: Annotated[Model | None, ON_MODEL, SelectionNeed.MODEL] = None
    """The model, where it is another one."""
    engine: Annotated[
        Engine | None, OnChange("another engine: latency and memory change"), SelectionNeed.MODEL
    ] = None
    """What executes the model, where that is another engine."""
    container: ServingContainer | None = None
    """What differs in the images, the artifact and what they are given."""
    request: Annotated[Request | None, Below(OnFactor()), SelectionNeed.LOAD] = None
    """What differs in a request, such as the tokens that another model writes."""
    batching: Annotated[Batching | None, SelectionNeed.MODEL] = None
    """How the server batches requests, where it does so otherwise."""
    objective: Annotated[Literal["least-cost", "least-latency"] | None, SelectionNeed.COST] = None
    """What makes one instance type better than another, where that is something else."""
    instances: Annotated[InstanceConstraints | None, SelectionNeed.INSTANCES] = None
    """What differs in the limits on the choice of the instance type."""
    margin: Annotated[Margin | None, SelectionNeed.MARGIN] = None
    """Room that estimates must leave to latency and memory, as a share, where it is another."""
    max_usd_per_month: Annotated[Usd | None, ON_MAX_USD, SelectionNeed.COST] = None
    """The most that the variant may cost at its average load, in USD per month; that of the endpoint holds for each variant."""
    capacity_reservation_arn: Annotated[CapacityReservationArn | None, ON_CAPACITY_RESERVATION] = None
    """An ML capacity reservation of its instances.instance_type, where it is another."""
    alarms: Alarms | None = None
    """What differs in the alarms."""

    @property
    def stated(self) -> dict[str, Any]:
        """What differs, by the keys of an endpoint; null is stated, too."""
        share = {"traffic_percent", "sampling_percent"}
        return {
            key: getattr(self, key) for key in type(self).model_fields if key in self.model_fields_set - share
        }


class Variant(_Variant):
    """A variant that answers a share of the requests."""

    traffic_percent: Annotated[
        float,
        Field(ge=0, le=100),
        OnNumber("the variant answers fewer of the requests", "the variant answers more of the requests"),
        SelectionNeed.LOAD,
    ]
    """Percent of the requests that it answers; what the variants leave is answered by the endpoint's own model. At 0 it answers
    those that name it (TargetVariant)."""
    pipeline: Annotated[InferencePipeline | None, *ON_PIPELINE] = None
    """What differs in the containers before and after the model."""
    scaling: Scaling | None = None
    """What differs in how the number of instances follows the load, and the clock."""
    instance_pools: Annotated[InstancePools | None, ON_INSTANCE_POOLS] = None
    """Other instance types for when there is no capacity for the best one, where it is not as for the endpoint."""


class ShadowVariant(_Variant):
    """A variant that gets copies of requests, and whose answers nobody gets: to see how a model does before it answers."""

    sampling_percent: Annotated[
        float,
        Field(gt=0, le=100),
        OnNumber("fewer of the requests are copied", "more of the requests are copied"),
        SelectionNeed.LOAD,
    ] = 100
    """Percent of the requests that are copied to it; its instances are as many as their peak needs, all the time."""


Variants = Annotated[
    dict[
        Annotated[
            str,
            Field(
                pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
                min_length=2,
                max_length=26,
                examples=["candidate"],
                description="lower-case letters, digits and single hyphens, first a letter",
            ),
        ],
        Variant,
    ],
    # One of them is the endpoint's own.
    Field(max_length=MAX_VARIANTS - 1),
]


def merge_variants(root: Node) -> Node:
    """Return a tree in which each key that a variant states is that of its endpoint, with what the variant states upon it."""
    workloads = root.child("workloads")
    if workloads is None or not isinstance(workloads.value, dict):
        return root
    merged = {name: _merge_in(workload) for name, workload in workloads.value.items()}
    assert isinstance(root.value, dict)
    return Node({**root.value, "workloads": Node(merged, workloads.position)}, root.position)


def _merge_in(workload: Node) -> Node:
    endpoint = workload.value
    if not isinstance(endpoint, dict):
        return workload
    changed: dict[str, Node] = {}
    if (shadow := endpoint.get(SHADOW)) is not None:
        changed[SHADOW] = _upon(endpoint, shadow)
    variants = endpoint.get("variants")
    if variants is not None and isinstance(variants.value, dict):
        on_it = {name: _upon(endpoint, one) for name, one in variants.value.items()}
        changed["variants"] = Node(on_it, variants.position)
    return Node({**endpoint, **changed}, workload.position) if changed else workload


def _upon(endpoint: Mapping[str, Node], variant: Node) -> Node:
    if not isinstance(variant.value, dict):
        return variant
    stated = {key: _upon_key(endpoint.get(key), node) for key, node in variant.value.items()}
    return Node(stated, variant.position)


def _upon_key(of_endpoint: Node | None, stated: Node) -> Node:
    if of_endpoint is None or not isinstance(stated.value, dict):
        return stated
    # What null removes where there is nothing stays as it is: without.
    merged, _ = merge_layers(of_endpoint, stated)
    return Node(merged.value, stated.position)
