from typing import Any

from tests.review.hazards.apps import described, endpoint_app, hazards, text


def test_a_reservation_that_is_given_up() -> None:
    def app(arn: str | None) -> dict[str, Any]:
        reserved = {"CapacityReservationConfig": {"MlReservationArn": arn}} if arn else {}
        return endpoint_app(variant_properties=reserved)

    assert described(hazards(app("arn:one"), app(None), theme="reservations")) == text("""
        warning capacity-reservation-removed, dev/app-stack/Endpoint: variant primary of endpoint assistant
        MlReservationArn arn:one → none
        The variant no longer takes its instances from the reservation, which you still pay for. New instances need
            free on-demand capacity. Without it the update fails with insufficient capacity.
        Make sure that the reservation has ended or serves something else.
        """)
    assert hazards(app(None), app("arn:one"), theme="reservations") == ()
    (found,) = hazards(app("arn:one"), app("arn:two"), theme="reservations")
    assert found.consequence == (
        "The variant no longer takes its instances from the reservation, which you still pay for."
    )
