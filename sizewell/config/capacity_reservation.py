"""An ML capacity reservation that instances start in."""

from typing import Annotated

from pydantic import Field

from sizewell.config.effects import OnChange

#: API reference: ProductionVariantCapacityReservationConfig.
CapacityReservationArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:[a-z0-9-]{1,14}/[A-Za-z0-9._/-]+$",
        max_length=258,
        examples=["arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc"],
    ),
]
ON_CAPACITY_RESERVATION = OnChange(
    changed="instances start in another reservation or not at all",
    added="instances start in the reservation or not at all",
    removed="instances start in the capacity that everybody shares",
)
