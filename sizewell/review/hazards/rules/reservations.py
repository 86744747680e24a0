"""Reserved capacity that is no longer used."""

from collections.abc import Iterator

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import moved
from sizewell.templates.endpoints import Variant
from sizewell.templates.values import mapping


@hazard_rule("availability")
def capacity_reservation_removed(environment: Environment) -> Iterator[Found]:
    """A variant no longer takes its instances from its capacity reservation."""
    for endpoint in environment.diff.kept_endpoints:
        for base, head in endpoint.variants:
            before, after = _arn(base), _arn(head)
            if before and before != after:
                yield Found(
                    "warning",
                    endpoint.stack,
                    endpoint.logical_id,
                    f"variant {head.name} of {endpoint.subject}",
                    f"MlReservationArn {moved(before, after)}",
                    "The variant no longer takes its instances from the reservation, which you still pay for"
                    + (
                        "."
                        if after
                        else ". New instances need free on-demand capacity. Without it the update fails with insufficient "
                        "capacity."
                    ),
                    "Make sure that the reservation has ended or serves something else.",
                )


def _arn(variant: Variant) -> object:
    return mapping(variant.properties.get("CapacityReservationConfig")).get("MlReservationArn")
