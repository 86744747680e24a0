"""Values that must not stand in a configuration: secrets, unresolved CDK tokens, and references of CloudFormation.

A configuration is committed, and environment variables of a container are readable by everybody who may describe the
SageMaker model. The container reads a secret by its ARN at start. A message never repeats the secret.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from sizewell.config.faults import Fault, value_fault
from sizewell.config.secret_shapes import (
    holds_assignment_of_secret,
    is_flag_of_secret,
    is_reference,
    is_secret_value,
    token_shown,
)
from sizewell.config.tree import KeyPath, Node, Scalar

_CDK_TOKEN = re.compile(r"[$#]\{Token\[")
#: A pseudo parameter of CloudFormation, which only Fn::Sub resolves: elsewhere synth stops at it (cfn-lint, rule E1029).
_PSEUDO_PARAMETER = re.compile(r"\$\{\s*AWS::")


def check_secrets(root: Node) -> Iterator[Fault]:
    """Yield a fault for every key or value that is a secret, and for every token and reference that nothing resolves."""
    announced = False
    for path, node in root.leaves():
        # Of an item of a list the key is its index.
        key = "" if not path or path[-1].isdecimal() else path[-1]
        if key and (shown := _key_shown(key)) is not None:
            yield _secret_fault(path, node, f"the key {shown}…")
        elif (shown := _value_shown("password" if announced else key, node.plain())) is not None:
            yield _secret_fault(path, node, shown)
        elif isinstance(node.value, str) and _CDK_TOKEN.search(node.value):
            yield _token_fault(path, node)
        elif isinstance(node.value, str) and _PSEUDO_PARAMETER.search(node.value):
            message = "nothing replaces ${AWS::...} here, so it would be taken as it stands"
            yield value_fault(node.position, path, message, hint="write the value")
        announced = not key and isinstance(node.value, str) and is_flag_of_secret(node.value)


@lru_cache(maxsize=1024)
def _key_shown(key: str) -> str | None:
    return token_shown(key)


def _value_shown(name: str, value: Scalar) -> str | None:
    """Return what may be shown of a value that is a secret, and None for any other. ``name`` is what it is called."""
    if value is None or isinstance(value, bool):
        return None
    text = str(value)
    if isinstance(value, str) and text:
        if is_reference(text) or _CDK_TOKEN.search(text):
            return None
        if (shown := token_shown(text)) is not None:
            return f"{shown}…({len(text)} characters)"
        if holds_assignment_of_secret(text):
            return f"…({len(text)} characters)"
    return f"…({len(text)} characters)" if name and is_secret_value(name, value) else None


def _secret_fault(path: KeyPath, node: Node, shown: str) -> Fault:
    return value_fault(
        node.position,
        path,
        "a secret must not stand in the configuration",
        value=shown,
        hint="store it in AWS Secrets Manager, give the ARN of the secret here, and revoke this one",
    )


def _token_fault(path: KeyPath, node: Node) -> Fault:
    return value_fault(
        node.position,
        path,
        "an unresolved CDK token: the name is known only after synth",
        hint="give the plain value; the configuration is read before any construct exists",
    )
