"""Rules of places: which there are, that they differ, and that something runs in each."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.faults import near_match
from sizewell.config.request_members import Violation

#: Keys of an environment that a place has as well, for itself.
_OF_PLACE = ("network", "existing", "mlflow_app")


def path_of_place(place_name: str | None, path: tuple[str, ...]) -> tuple[str, ...]:
    """Return where the configuration says what is at a key path of the part of an environment that runs in a place."""
    return ("places", place_name, *path) if place_name is not None and path[0] in _OF_PLACE else path


def place_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    policy, places = environment.policy, environment.places
    taken = {(policy.account, policy.region): "the policy"}
    for name, place in places.items():
        where = (place.account or policy.account, place.region or policy.region)
        if (other := taken.setdefault(where, f"places.{name}")) != f"places.{name}":
            yield (
                ("places", name),
                f"account {where[0]} and region {where[1]} are those of {other}: write another account or region",
            )
        if not any(one.place == name for one in environment.workloads.values()):
            yield (
                ("places", name),
                f"no workload runs here; write place: {name} at one, or remove it",
            )
    if places and environment.bootstrap and environment.bootstrap.file_assets_bucket_name:
        yield (
            ("bootstrap", "file_assets_bucket_name"),
            "is one bucket of one region, and there are places: state a qualifier, whose buckets have account and region in "
            "their names",
        )
    for name, workload in environment.workloads.items():
        if workload.place is not None and workload.place not in places:
            match = near_match(workload.place, tuple(places))
            there = f"places are {', '.join(places)}" if places else "there are no places"
            yield (
                ("workloads", name, "place"),
                f"there is no place {workload.place}; " + (f"did you mean {match}?" if match else there),
            )
    if all(one.place is not None for one in environment.workloads.values()):
        yield (
            ("policy", "region"),
            "every workload runs in one of the places: write the account and region of one of them into the policy, and leave "
            "out that place",
        )
