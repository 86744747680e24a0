"""Time zones of schedules."""

from collections.abc import Iterator
from zoneinfo import available_timezones

from sizewell.config.faults import near_match
from sizewell.config.request_members import Violation


def time_zone_violations(path: tuple[str, ...], zone: str) -> Iterator[Violation]:
    """Yield that a time zone does not exist: EventBridge Scheduler and Application Auto Scaling say so at deployment only."""
    # The names come from the machine's database and from the package tzdata, which every installation has. A zone is
    # not read to see whether it exists: where file names ignore case, europe/berlin can be read as well.
    if zone == "UTC" or zone in (known := available_timezones()):
        return
    cities = sorted(other for other in known if other.rpartition("/")[2].lower() == zone.lower())
    # CEST is nearest to EST, which is meant by nobody who writes it.
    of_places = sorted(other for other in known if "/" in other or other == "UTC")
    match = cities[0] if cities else near_match(zone, of_places)
    meant = f"did you mean {match}?" if match else "write that of a city, such as Europe/Berlin"
    yield path, f'"{zone}" is no name of the IANA time-zone database; {meant}'
