"""Values that must not stand in a configuration: secrets, and unresolved CDK tokens.

A configuration is committed, and environment variables of a container are readable by everybody who may describe the
SageMaker model. The container reads a secret by its ARN at start. A message never repeats the secret.
"""

import re
from collections.abc import Iterator

from config.faults import Fault, value_fault
from config.tree import KeyPath, Node, Scalar

#: The shapes of well-known credentials, by the beginning that may be shown. Sources: AWS IAM guide, "IAM identifiers"
#: (unique prefixes); GitHub docs, "About authentication to GitHub" (token formats); RFC 7468 (PEM); the token
#: pages of Hugging Face, Slack, OpenAI, GitLab, NVIDIA NGC and Google Cloud.
_SECRETS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<shown>AKIA|ASIA)[A-Z2-7]{16}\b",
        r"\b(?P<shown>gh[pousr]_)[A-Za-z0-9]{36,}",
        r"\b(?P<shown>github_pat_)[A-Za-z0-9_]{22,}",
        r"\b(?P<shown>glpat-)[A-Za-z0-9_-]{20,}",
        r"\b(?P<shown>hf_)[A-Za-z0-9]{30,}",
        r"\b(?P<shown>xox[abeoprs]-)[A-Za-z0-9-]{10,}",
        r"\b(?P<shown>sk-)[A-Za-z0-9_-]{20,}",
        r"\b(?P<shown>nvapi-)[A-Za-z0-9_-]{20,}",
        r"\b(?P<shown>AIza)[A-Za-z0-9_-]{35}",
        r"(?P<shown>-----BEGIN) (?:[A-Z]+ )*PRIVATE KEY-----",
        r"^(?P<shown>[a-z][a-z0-9+.-]*://)[^/\s:@]+:[^/\s@]+@",
        # A secret access key of AWS has no prefix: 40 characters of base64, of all three kinds.
        r"^(?P<shown>)(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9/+]{40}$",
    )
)

_SECRET_KEY = re.compile(
    r"(?:^|[_-])(?:TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS|(?:API|ACCESS|SECRET|PRIVATE)_?KEY)$",
    re.IGNORECASE,
)

_REFERENCE = re.compile(
    r"arn:aws[a-z-]*:(?:secretsmanager|ssm):|\{\{resolve:(?:secretsmanager|ssm|ssm-secure):"
)

#: Special tokens of a tokenizer (pad_token: "<pad>", mask_token: "[MASK]") are no secrets.
_TOKENIZER_TOKEN = re.compile(r"<[^<>]{1,30}>|\[[A-Za-z0-9_]{1,20}\]")

_CDK_TOKEN = re.compile(r"[$#]\{Token\[")


def check_secrets(root: Node) -> Iterator[Fault]:
    """Yield a fault for every value that is a secret or an unresolved CDK token."""
    for path, node in root.leaves():
        shown = _secret_shown(path[-1] if path else "", node.plain())
        if shown is not None:
            yield value_fault(
                node.position,
                path,
                "a secret must not stand in the configuration",
                value=shown,
                hint="store it in AWS Secrets Manager, give the ARN of the secret here, and revoke this one",
            )
        elif isinstance(node.value, str) and _CDK_TOKEN.search(node.value):
            yield _token_fault(path, node)


def _secret_shown(key: str, value: Scalar) -> str | None:
    """Return what may be shown of a secret, and None for any other value."""
    text = str(value)
    if (
        value is None
        or isinstance(value, bool)
        or text == ""
        or _REFERENCE.match(text)
        or _CDK_TOKEN.search(text)
    ):
        return None
    for secret in _SECRETS:
        if found := secret.search(text):
            return f"{found['shown']}…({len(text)} characters)"
    if not _SECRET_KEY.search(key) or _TOKENIZER_TOKEN.fullmatch(text):
        return None
    if not isinstance(value, str) and key.lower().endswith("token"):
        return None  # a count or an index, not a secret: max_token: 512
    return f"…({len(text)} characters)"


def _token_fault(path: KeyPath, node: Node) -> Fault:
    return value_fault(
        node.position,
        path,
        "an unresolved CDK token: the name is known only after synth",
        hint="give the plain value; the configuration is read before any construct exists",
    )
