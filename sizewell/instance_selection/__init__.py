"""Choose a SageMaker instance type offline, and explain the choice.

Usable alone: give requirements and a catalog, get a selection. Names are imported when they are first used: what needs
a table or a word only does not wait for the estimates.
"""

from typing import TYPE_CHECKING

from sizewell.modules import imported_on_first_use

if TYPE_CHECKING:
    from sizewell.instance_selection.catalog import Catalog, PriceBasis, Usage, load_catalog
    from sizewell.instance_selection.component_selection import select_component_fleet
    from sizewell.instance_selection.endpoint_selection import endpoint_verdicts, select_endpoint_instance
    from sizewell.instance_selection.measurement import Measurement
    from sizewell.instance_selection.notebook_selection import select_notebook_instance
    from sizewell.instance_selection.processing_selection import select_processing_instance
    from sizewell.instance_selection.requirements import (
        Architecture,
        Batching,
        BoundsOfWeek,
        ComponentRequirements,
        EndpointRequirements,
        Engine,
        FleetRequirements,
        HardwareKind,
        InstanceLimits,
        ModelSet,
        ModelSpec,
        NotebookRequirements,
        Objective,
        Precision,
        ProcessingRequirements,
        Queue,
        SpotRequirements,
        TrainingRequirements,
        TransformRequirements,
    )
    from sizewell.instance_selection.results import (
        Candidate,
        Cost,
        EndpointEstimate,
        FleetEstimate,
        MemoryEstimate,
        NoFeasibleInstanceError,
        NotebookEstimate,
        ProcessingEstimate,
        Rejection,
        Selection,
        TrainingEstimate,
        TransformEstimate,
    )
    from sizewell.instance_selection.training_selection import select_training_instance
    from sizewell.instance_selection.transform_selection import select_transform_instance

__all__ = [
    "Architecture",
    "Batching",
    "BoundsOfWeek",
    "Candidate",
    "Catalog",
    "ComponentRequirements",
    "Cost",
    "EndpointEstimate",
    "EndpointRequirements",
    "Engine",
    "FleetEstimate",
    "FleetRequirements",
    "HardwareKind",
    "InstanceLimits",
    "Measurement",
    "MemoryEstimate",
    "ModelSet",
    "ModelSpec",
    "NoFeasibleInstanceError",
    "NotebookEstimate",
    "NotebookRequirements",
    "Objective",
    "Precision",
    "PriceBasis",
    "ProcessingEstimate",
    "ProcessingRequirements",
    "Queue",
    "Rejection",
    "Selection",
    "SpotRequirements",
    "TrainingEstimate",
    "TrainingRequirements",
    "TransformEstimate",
    "TransformRequirements",
    "Usage",
    "endpoint_verdicts",
    "load_catalog",
    "select_component_fleet",
    "select_endpoint_instance",
    "select_notebook_instance",
    "select_processing_instance",
    "select_training_instance",
    "select_transform_instance",
]
_NAMES_BY_MODULE = {
    "catalog": (
        "Catalog",
        "PriceBasis",
        "Usage",
        "load_catalog",
    ),
    "component_selection": ("select_component_fleet",),
    "endpoint_selection": (
        "endpoint_verdicts",
        "select_endpoint_instance",
    ),
    "measurement": ("Measurement",),
    "notebook_selection": ("select_notebook_instance",),
    "processing_selection": ("select_processing_instance",),
    "requirements": (
        "Architecture",
        "Batching",
        "BoundsOfWeek",
        "ComponentRequirements",
        "EndpointRequirements",
        "Engine",
        "FleetRequirements",
        "HardwareKind",
        "InstanceLimits",
        "ModelSet",
        "ModelSpec",
        "NotebookRequirements",
        "Objective",
        "Precision",
        "ProcessingRequirements",
        "Queue",
        "SpotRequirements",
        "TrainingRequirements",
        "TransformRequirements",
    ),
    "results": (
        "Candidate",
        "Cost",
        "EndpointEstimate",
        "FleetEstimate",
        "MemoryEstimate",
        "NoFeasibleInstanceError",
        "NotebookEstimate",
        "ProcessingEstimate",
        "Rejection",
        "Selection",
        "TrainingEstimate",
        "TransformEstimate",
    ),
    "training_selection": ("select_training_instance",),
    "transform_selection": ("select_transform_instance",),
}
_MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

__getattr__ = imported_on_first_use(__name__, _MODULES)
