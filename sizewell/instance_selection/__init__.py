"""Choose a SageMaker instance type offline, and explain the choice.

It works alone: requirements and a catalog go in, a selection comes out. Names are imported when they are first used: who
needs only a table or a word does not wait for the estimates.
"""

from typing import TYPE_CHECKING

from sizewell.modules import exported_on_first_use

if TYPE_CHECKING:
    from sizewell.instance_selection.catalog import Catalog, PriceBasis, Usage, load_catalog
    from sizewell.instance_selection.component_selection import select_component_fleet
    from sizewell.instance_selection.endpoint_selection import endpoint_verdicts, select_endpoint_instance
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
        Measurement,
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
    from sizewell.instance_selection.stated_selection import (
        select_notebook_instance,
        select_processing_instance,
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

__getattr__ = exported_on_first_use(__name__, __file__)
