"""What is said of a real-time endpoint."""

from sizewell.cli.endpoint_words import (
    endpoint_facts,
    endpoint_notes,
    endpoint_row,
    explain_endpoint,
    migrate_endpoint,
)
from sizewell.cli.kind import ViewKind

FACET = ViewKind(
    row=endpoint_row,
    notes=endpoint_notes,
    explain=explain_endpoint,
    facts=endpoint_facts,
    migrate=migrate_endpoint,
)
