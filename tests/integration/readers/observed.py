"""A resource as the service shows it; what the local cloud is known to lose is filled in from CloudFormation.

CloudFormation's own answer is that of Cloud Control's ``GetResource``: the properties of the template, resolved.
"""

import json

from tests.integration.harness import Deployment
from tests.integration.losses import losses_of
from tests.integration.readers import READERS
from tests.integration.readers.common import Properties
from tests.integration.readers.compare import at, comparable, with_value


def resolved(deployed: Deployment, resource_type: str, physical_id: str) -> Properties:
    """Return the properties as CloudFormation resolved them, and the attributes that it knows besides."""
    answer = deployed.client("cloudcontrol").get_resource(TypeName=resource_type, Identifier=physical_id)
    properties: Properties = json.loads(answer["ResourceDescription"]["Properties"])
    return properties


def observed(
    deployed: Deployment, resource_type: str, physical_id: str, properties: Properties | None = None
) -> Properties:
    """Return what a resource is, without its tags."""
    found = comparable(READERS[resource_type](deployed.client, physical_id, properties or {}))
    found.pop("Tags", None)
    lost = [loss for loss in losses_of(resource_type) if loss.path != "Tags" and loss.is_setting]
    if lost:
        known = comparable(resolved(deployed, resource_type, physical_id))
        for loss in lost:
            found = with_value(found, loss.path, at(known, loss.path))
    return found
