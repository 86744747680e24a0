"""The plan and the configuration as saved beside the templates: names and versions, for all who write or read them."""

PLAN_FILE = "plan.json"
#: Raised when the shape of plan.json changes.
PLAN_VERSION = 7
#: The oldest plan whose names still mean the same.
OLDEST_PLAN_VERSION = 2
#: What is shared by all workloads of an environment, where it stands beside them.
FOUNDATION = "foundation"

CONFIGURATION_FILE = "config.json"
#: Raised when the shape of config.json changes; the keys in it are those of the configuration.
CONFIGURATION_VERSION = 1


def foundation_name(place: str | None) -> str:
    """Return what the shared resources of a place are called, where they stand beside workloads; None is that of the policy."""
    return FOUNDATION if place is None else f"{place}-{FOUNDATION}"
