"""What an endpoint does on every eligible instance type, as columns: one file for each thing that is computed."""

from sizewell.instance_selection.endpoint_evaluation.columns import EndpointColumns as EndpointColumns
