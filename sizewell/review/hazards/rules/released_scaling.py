"""Stacks of release 0.1, whose endpoints a function scaled: docs/guides/deploying.md, "Upgrading stacks of release 0.1".

To be deleted when nobody comes from 0.1 any more.
"""

from collections.abc import Iterator

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Found, hazard_rule
from sizewell.review.words import listed
from sizewell.templates.template import Resource
from sizewell.templates.variant_scaling import inside_names

#: What scaled an endpoint: when one of them is deleted, its function deregisters the variants.
_TYPES = ("Custom::EndpointScaling", "Custom::ScalingRelease")


@hazard_rule("availability")
def released_scaling_deleted(environment: EnvironmentPair) -> Iterator[Found]:
    """A scalable target replaces custom resources of release 0.1, and their deletion deregisters it."""
    for endpoint in environment.diff.kept_endpoints:
        names = inside_names(endpoint.logical_id, endpoint.base.given_name)
        head = endpoint.head.stack.resources
        gone = [
            resource
            for resource in endpoint.base.stack.resources.values()
            if resource.resource_type in _TYPES
            and resource.properties.get("EndpointName") in names
            and not resource.retained
            and not _is_kept(resource, head.get(resource.logical_id))
        ]
        if gone and endpoint.head.scaling:
            what = listed(f"{resource.resource_type} {resource.logical_id}" for resource in gone)
            yield Found(
                "danger",
                endpoint.stack,
                endpoint.logical_id,
                endpoint.subject,
                f"{what} → a scalable target",
                "cdk deploy creates the target first and deletes the custom resources last. Their function then deregisters "
                "the new target. Nothing scales the endpoint any more, and no template shows it.",
                "Run sizewell deploy, which takes both steps.",
            )


def _is_kept(base: Resource, head: Resource | None) -> bool:
    return head is not None and head.resource_type == base.resource_type
