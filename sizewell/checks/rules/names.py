"""Names that make a replacement fail.

Models, endpoint configurations and training jobs cannot be changed, so every change replaces them; CloudFormation makes the
new one before it deletes the old one, and two cannot have the same name:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html and
https://github.com/hashicorp/terraform-provider-aws/issues/40048
"""

import re
from collections.abc import Iterator

from sizewell.checks.rule import Finding, Rule, fault
from sizewell.checks.rules.training_requests import TRAINING_JOB
from sizewell.templates.endpoints import ENDPOINT_CONFIG
from sizewell.templates.template import Template
from sizewell.templates.values import is_the_same_for_every_deployment, with_placeholders

FIXED = "fixed-name"
RULES: tuple[Rule, ...] = (
    Rule(
        FIXED,
        "a name for a model, an endpoint configuration or a training job that is the same in every deployment; one "
        "that ends in a version or a hash passes",
        "Every change replaces them, and the name is taken. [Names]("
        "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html)",
    ),
)

_NAMES = {
    ENDPOINT_CONFIG: "EndpointConfigName",
    "AWS::SageMaker::Model": "ModelName",
    TRAINING_JOB: "TrainingJobName",
}


#: A version or a hash at the end: whoever names so changes the name with what it names.
_CHANGES_WITH_CONTENT = re.compile(r"[-_.](v?\d+|[0-9a-f]{6,64})$")


def check(template: Template) -> Iterator[Finding]:
    """Yield every fixed name of a resource that is only ever replaced."""
    for resource in template.of_type(*_NAMES):
        key = _NAMES[resource.resource_type]
        value = resource.written.get(key)
        name = with_placeholders(value) or ""
        if is_the_same_for_every_deployment(value) and _CHANGES_WITH_CONTENT.search(name) is None:
            yield fault(
                resource,
                FIXED,
                key,
                f"{key} is {name}: the next change fails, because the name is still taken",
                # The template reference has TrainingJobName as required, and SageMaker takes a name once.
                f"end {key} in a version, or in a hash of the other properties"
                if resource.resource_type == TRAINING_JOB
                else f"remove {key}, and CloudFormation makes a new name for each replacement",
            )
