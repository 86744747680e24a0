"""How a prediction is held against a published measurement.

One factor holds for every row. Sources disagree by 2 to 3.5 times between engines on the same chip and precision, so
a row pairs a measurement with the engine class that was measured.
"""

from sizewell.instance_selection import Architecture, Catalog, Precision
from sizewell.instance_selection.estimation.machines import Machines
from tests.instance_selection.builders import machines

FACTOR = 2.5

T4, A10G = "ml.g4dn.xlarge", "ml.g5.xlarge"
V100 = "ml.p3.16xlarge"
A100_40GB, A100_80GB, H100 = "ml.p4d.24xlarge", "ml.p4de.24xlarge", "ml.p5.48xlarge"

RESNET_PYTORCH = "NVIDIA DeepLearningExamples PyTorch resnet50v1.5"


def assert_near(predicted: float, measured: float) -> None:
    factor = max(predicted / measured, measured / predicted)
    assert factor <= FACTOR, f"predicted {predicted:.4g}, measured {measured:.4g}: {factor:.2f} times off"


def chip(known: Catalog, instance_type: str, precision: Precision, architecture: Architecture) -> Machines:
    """Return the processor of an instance type, at a precision."""
    found = machines(known.get(instance_type), precision=precision, architecture=architecture)
    assert found.reasons == ("",)
    return found
