"""How a prediction is held against a published measurement.

One factor holds for every row. Sources disagree by 2 to 3.5 times between engines on the same chip and precision, so
a row pairs a measurement with the engine class that was measured.
"""

from instance_selection import Catalog, Precision
from instance_selection.estimation.hardware import Processor, processor

FACTOR = 2.5

T4, A10G = "ml.g4dn.xlarge", "ml.g5.xlarge"
V100 = "ml.p3.16xlarge"
A100_40GB, A100_80GB, H100 = "ml.p4d.24xlarge", "ml.p4de.24xlarge", "ml.p5.48xlarge"

RESNET_PYTORCH = "NVIDIA DeepLearningExamples PyTorch resnet50v1.5"


def assert_near(predicted: float, measured: float) -> None:
    factor = max(predicted / measured, measured / predicted)
    assert factor <= FACTOR, f"predicted {predicted:.4g}, measured {measured:.4g}: {factor:.2f} times off"


def chip(known: Catalog, instance_type: str, precision: Precision) -> Processor:
    found = processor(known.get(instance_type), precision)
    assert isinstance(found, Processor), found
    return found
