"""Accept the wildcards of a policy, each with the reason why the resource cannot be named more narrowly.

cdk-nag reports every wildcard resource as a finding of its own, whose id holds the resource with its intrinsic
functions flattened: ``AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::<Bucket>/models/*]``
(https://github.com/cdklabs/cdk-nag, section "Acknowledging a Rule").
"""

from typing import Any

from aws_cdk import Stack
from constructs import IConstruct

from constructs_lib.policies.acknowledgements import acknowledge_each

#: How a token begins in a text.
_TOKEN = "${Token["


def acknowledge_wildcards(policy: IConstruct, *reasons: tuple[str | dict[str, Any], str]) -> None:
    """Accept the wildcard resources of a policy, on the policy itself.

    ``reasons`` are pairs of a resource as it stands in the statements, text or intrinsic function, with or without
    tokens (resolved in one call to the kernel), and the reason. Raises TypeError for a resource that is not
    a string, Ref, Fn::GetAtt, Fn::Sub or Fn::Join, and ValueError for a reason that is too short to be one.
    """
    resources = [resource for resource, _ in reasons]
    has_tokens = any(_TOKEN in repr(resource) for resource in resources)
    resolved = Stack.of(policy).resolve(resources) if has_tokens else resources
    acknowledge_each(
        policy,
        {
            f"AwsSolutions-IAM5[Resource::{_flatten(resource)}]": reason
            for resource, (_, reason) in zip(resolved, reasons, strict=True)
        },
    )


def _flatten(value: Any) -> str:
    """Write a resolved CloudFormation value the way cdk-nag 3 does: references in angle brackets."""
    match value:
        case str():
            return value.replace("${", "<").replace("}", ">")
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Sub": str(template)}:
            return _flatten(template)
        case {"Fn::Join": [delimiter, parts]}:
            return str(delimiter).join(_flatten(part) for part in parts)
    raise TypeError(
        f"a resource of a policy is a string, Ref, Fn::GetAtt, Fn::Sub or Fn::Join, not {value!r}"
    )
