"""What CloudFormation's resource schemas say about a change of a property."""

from sizewell.review.resource_schemas.table import (
    PropertyPath,
    ResourceSchema,
    is_known_type,
    resource_schema,
    unordered_lists,
)

__all__ = ["PropertyPath", "ResourceSchema", "is_known_type", "resource_schema", "unordered_lists"]
