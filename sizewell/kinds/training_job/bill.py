"""What AWS bills for a training job."""

from sizewell.planning.job_bill import training_line
from sizewell.planning.kind import BillKind

FACET = BillKind(line=training_line)
