from typing import Any

from sizewell.review.model import Hazard
from tests.review.hazards.apps import endpoint_app, hazards


def test_a_reservation_that_is_given_up() -> None:
    def app(arn: str | None) -> dict[str, Any]:
        reserved = {"CapacityReservationConfig": {"MlReservationArn": arn}} if arn else {}
        return endpoint_app(variant_properties=reserved)

    assert hazards(app("arn:one"), app(None), theme="reservations") == (
        Hazard(
            rule="capacity-reservation-removed",
            severity="warning",
            environment="dev",
            stack="app-stack",
            logical_id="Endpoint",
            subject="variant primary of endpoint assistant",
            cause="MlReservationArn arn:one → none",
            consequence=(
                "The variant no longer takes its instances from the reservation, which is paid "
                "for all the same: new instances depend on what happens to be free, and the "
                "update fails with insufficient capacity where nothing is."
            ),
            what_to_do="Make sure that the reservation has ended or serves something else.",
        ),
    )
    assert hazards(app(None), app("arn:one"), theme="reservations") == ()
    (found,) = hazards(app("arn:one"), app("arn:two"), theme="reservations")
    assert found.consequence == (
        "The variant no longer takes its instances from the reservation, which is paid for all the same."
    )
