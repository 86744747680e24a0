"""Choose a SageMaker instance type offline, and explain the choice.

Usable alone: give requirements and a catalog, get a selection.
"""

from instance_selection.catalog import Catalog, PriceBasis, Usage, load_catalog
from instance_selection.endpoint_selection import endpoint_verdicts, select_endpoint_instance
from instance_selection.measurement import Measurement
from instance_selection.requirements import (
    Architecture,
    EndpointRequirements,
    Engine,
    HardwareKind,
    InstanceLimits,
    ModelSpec,
    Objective,
    Precision,
    SpotRequirements,
    TrainingRequirements,
)
from instance_selection.results import (
    Candidate,
    Cost,
    EndpointEstimate,
    MemoryEstimate,
    NoFeasibleInstanceError,
    Rejection,
    Selection,
    TrainingEstimate,
)
from instance_selection.training_selection import select_training_instance

__all__ = [
    "Architecture",
    "Candidate",
    "Catalog",
    "Cost",
    "EndpointEstimate",
    "EndpointRequirements",
    "Engine",
    "HardwareKind",
    "InstanceLimits",
    "Measurement",
    "MemoryEstimate",
    "ModelSpec",
    "NoFeasibleInstanceError",
    "Objective",
    "Precision",
    "PriceBasis",
    "Rejection",
    "Selection",
    "SpotRequirements",
    "TrainingEstimate",
    "TrainingRequirements",
    "Usage",
    "endpoint_verdicts",
    "load_catalog",
    "select_endpoint_instance",
    "select_training_instance",
]
