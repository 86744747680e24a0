"""What the name of an instance type says."""

import re

NAME_PATTERN = r"^ml\.[a-z0-9-]+\.[a-z0-9-]+$"
#: Of SageMaker, or of EC2.
ANY_NAME_PATTERN = r"^(ml\.)?[a-z0-9-]+\.[a-z0-9-]+$"
#: t2, t3 and t4g; trn1 merely begins with t.
_BURSTABLE = re.compile(r"ml\.t[0-9][a-z]*\..+")


def is_same_hardware(name: str, other: str) -> bool:
    """Return whether two names are of one type, of SageMaker or of EC2: ml.g5.xlarge has the hardware of g5.xlarge."""
    return name.removeprefix("ml.") == other.removeprefix("ml.")


def is_burstable(name: str) -> bool:
    """Tell whether a type saves CPU credits; RegisterScalableTarget refuses these types."""
    return _BURSTABLE.fullmatch(name) is not None
