"""What AWS bills for a multi-model endpoint."""

from sizewell.planning.endpoint_bill import endpoint_line
from sizewell.planning.kind import BillKind

FACET = BillKind(line=endpoint_line)
