"""What AWS bills for a tuning job."""

from sizewell.planning.job_bill import training_line
from sizewell.planning.kind import BillKind

FACET = BillKind(line=training_line)
