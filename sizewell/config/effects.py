"""What a change of a key means to a reviewer, as metadata of its field.

``Annotated[float, Field(ge=0), OnNumber("less room", "more room")]``: the review says the first sentence when the number
falls. An effect holds sentences and no logic; an empty one says nothing.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


@dataclass(frozen=True)
class OnChange:
    """A sentence for each way to change, whatever the values; ``{}`` stands for the new value."""

    changed: str = ""
    added: str = ""
    removed: str = ""


@dataclass(frozen=True)
class OnValue:
    """A sentence for each new value, as pairs of both."""

    sentences: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class OnToggle:
    """Of a flag."""

    on: str
    off: str


@dataclass(frozen=True)
class OnNumber:
    """Of a number that falls or rises."""

    lower: str
    higher: str


@dataclass(frozen=True)
class OnPeriod:
    """Of a time that something is kept; ``{}`` stands for the new one."""

    shorter: str
    longer: str


@dataclass(frozen=True)
class OnBudget:
    """Of an amount that must not be exceeded; a change of it is told in percent."""

    removed: str
    added: str


@dataclass(frozen=True)
class OnFactor:
    """Of an amount of load or data: a change is told as a factor."""


@dataclass(frozen=True)
class OnItems:
    """Of a list whose order means nothing; ``{items}`` stands for its items, ``{are}`` for is or are.

    ``added`` and ``removed`` are of the whole list.
    """

    lost: str
    gained: str
    removed: str = ""
    added: str = ""


@dataclass(frozen=True)
class OnImage:
    """Of the image for one kind of hardware, and of every key of it."""

    hardware: str


class Computed(StrEnum):
    """Effects that depend on the rest of the configuration; the review works them out."""

    MIN_INSTANCES = "min-instances"
    MIN_INSTANCES_OF_ALL = "min-instances-of-all"
    ZONES = "zones"
    ZONE_IDS = "zone-ids"
    SUBNETS = "subnets"
    WORKLOAD = "workload"
    SPOT = "spot"
    SCHEDULE = "schedule"


@dataclass(frozen=True)
class Below:
    """An effect that holds for every key below the field as well, unless that key has one of its own."""

    effect: OnChange | OnFactor


Effect = (
    OnChange
    | OnValue
    | OnToggle
    | OnNumber
    | OnPeriod
    | OnBudget
    | OnFactor
    | OnItems
    | OnImage
    | Computed
    | Below
)


class SelectionNeed(Enum):
    """The choice of an instance type depends on the key. Of several that changed, a review names them in this order.

    Keys of the same need are named in the order of the fields.
    """

    BOUND = auto()
    """What must be met: a latency, a deadline."""
    LOAD = auto()
    """How much there is to do."""
    MODEL = auto()
    """What does it."""
    TRAINING = auto()
    """How a model is trained."""
    SPOT = auto()
    """Whether instances may be interrupted."""
    TIMES = auto()
    """When and how often it runs."""
    SCALING = auto()
    """Between which numbers of instances."""
    COST = auto()
    """What it may cost."""
    MARGIN = auto()
    """How far a prediction must stay from its bound."""
    INSTANCES = auto()
    """Which types may be chosen."""
    IMAGE = auto()
    """What hardware there is an image for."""
    PLACE = auto()
    """In which region it runs."""
    POLICY = auto()
    """What the environment allows."""
