"""What secrets look like: the published forms of tokens, and the names that people give to secrets."""

import re

#: Forms of credentials; what is in the group ``shown`` says which kind it is, and may be shown. Sources: the pages of
#: each issuer on the format of its tokens (AWS IAM guide, "IAM identifiers"; GitHub, "About authentication"; GitLab,
#: "Token overview"; Slack, "Token types"; Stripe, "API keys"; npm, "About access tokens"; PyPI, "API tokens"; Docker,
#: Hugging Face, OpenAI, NVIDIA NGC, Google Cloud, Databricks, SendGrid, Twilio, Mailchimp, Square, Telegram, Discord,
#: JFrog), RFC 7468 (PEM), RFC 7519 (JSON Web Token), RFC 3986 section 3.2.1 (user information of a URL).
_TOKENS = (
    r"\b(?P<shown>AKIA|ASIA|A3T[A-Z0-9]|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"\b(?P<shown>gh[pousr]_)[A-Za-z0-9_]{36,}",
    r"\b(?P<shown>github_pat_)[A-Za-z0-9_]{22,}",
    r"\b(?P<shown>gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-)[A-Za-z0-9_-]{20,}",
    r"\b(?P<shown>GR1348941)[A-Za-z0-9_-]{20,}",
    r"\b(?P<shown>hf_|api_org_)[A-Za-z0-9]{30,}",
    r"\b(?P<shown>xox[a-z]-|xapp-)[A-Za-z0-9-]{10,}",
    r"(?P<shown>hooks\.slack\.com/services/)T\w+/B\w+/\w+",
    r"\b(?P<shown>[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{10,}",
    r"\b(?P<shown>sk-)[A-Za-z0-9_-]{20,}",
    r"\b(?P<shown>nvapi-)[A-Za-z0-9_-]{20,}",
    r"\b(?P<shown>AIza)[A-Za-z0-9_-]{35}",
    r"\b(?P<shown>GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,}",
    r"\b(?P<shown>npm_)[A-Za-z0-9]{36}",
    r"(?P<shown>_authToken=\s*)\S+",
    r"\b(?P<shown>pypi-)[A-Za-z0-9_-]{50,}",
    r"\b(?P<shown>dckr_[po]at_)[A-Za-z0-9_-]{20,}",
    r"\b(?P<shown>dapi)[0-9a-f]{32}",
    r"\b(?P<shown>r8_|gsk_|hvs\.|dop_v1_|shpat_|glsa_|lsv2_[a-z]+_|pcsk_)[A-Za-z0-9_-]{30,}",
    r"\b(?P<shown>SG\.)[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}",
    r"\b(?P<shown>SK|AC)[0-9a-z]{32}\b",
    r"\b(?P<shown>)[0-9a-z]{32}-us[0-9]{1,2}\b",
    r"\b(?P<shown>sq0csp-|sq0atp-|EAAA)[A-Za-z0-9_\\-]{43,60}",
    r"\b(?P<shown>)[0-9]{8,10}:[A-Za-z0-9_-]{35}",
    r"\b(?P<shown>)[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
    r"(?:^|[\s=:\"'])(?P<shown>AKC[a-zA-Z0-9]|AP[0-9A-F])[a-zA-Z0-9]{8,}(?=[\s\"]|$)",
    r"(?<![A-Za-z0-9_-])(?P<shown>eyJ)[A-Za-z0-9_-]++\.eyJ[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)?",
    r"(?P<shown>AccountKey=)[A-Za-z0-9+/=]{20,}",
    r"(?P<shown>(?:-----)?BEGIN) (?:[A-Z0-9]+ )*PRIVATE KEY|PuTTY-User-Key-File",
    r"(?P<shown>(?:\b[A-Za-z][A-Za-z0-9+.-]{0,30})?://)[^/\s:@]*+:[^/\s@]+@",
    # A secret access key of AWS has no prefix: 40 characters of base64, of all three kinds.
    r"^\s*+(?P<shown>)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*[0-9])[A-Za-z0-9/+]{40}\s*$",
)
#: All of them at once, for the many texts that hold none.
_ANY_TOKEN = re.compile("|".join(token.replace("?P<shown>", "?:") for token in _TOKENS))

#: Last words of a name behind which any literal is a secret.
_SECRET_NAME = re.compile(
    r"(?:password|passwd|passphrase|passcode|pwd|secret|credentials?)$|(?:^|[_.-])pass$", re.IGNORECASE
)
#: Last words of a name behind which a literal is mostly a secret, and sometimes a word of a tokenizer or a count.
_TOKEN_NAME = re.compile(
    r"(?:token|(?:api|access|secret|private|auth|signing|encryption|account|master|license|shared)[_.-]?key"
    r"|[_.-]auth)$",
    re.IGNORECASE,
)
#: What such a name begins with, or holds, when it speaks of text, of counts or of a choice.
_TOKEN_OF_TEXT = re.compile(
    r"(?:^|[_.-])(?:max|min|num|n|per|pad|eos|bos|unk|mask|cls|sep|stop|start|end|image|audio|video|special|added|first"
    r"|last|next|prefix|suffix|decoder|forced|suppress|use|enable|disable|implicit|require|skip)(?:[_.-]|$)",
    re.IGNORECASE,
)
#: Values that are no secret whatever the name: nothing, a choice, a number, a word of a tokenizer, a file, a stand-in.
_HARMLESS = re.compile(
    r"""\s*(?:
        | true | false | yes | no | on | off | none | null | auto | default | empty | dummy | basic | bearer | iam
        | [0-9]+
        | <[^<>]{1,40}> | \[[A-Za-z0-9_]{1,20}\]
        | (?:/|\./|~/|file:/|s3://)[A-Za-z0-9_./@=+-]*
        | \$\{?[A-Za-z_][A-Za-z0-9_]*\}? | \{\{[^{}]*\}\} | \*+ | x+
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_REFERENCE = re.compile(
    r"\s*(?:arn:aws[a-z-]*:(?:secretsmanager|ssm):|\{\{resolve:(?:secretsmanager|ssm|ssm-secure):)"
)
#: A name and its value inside a text: of a URL, a command, a connection string, JSON.
_ASSIGNMENT = re.compile(
    r"""(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]++)(?:["']?\s{0,9}=|["']\s{0,9}:)\s{0,9}["']?([^\s"'&;,}]++)"""
)


def is_reference(text: str) -> bool:
    """Return whether a text names a secret in AWS Secrets Manager or Systems Manager, and is none itself."""
    return _REFERENCE.match(text) is not None


def token_shown(text: str) -> str | None:
    """Return what may be shown of a text that holds a credential of a known form; None of any other text."""
    if _ANY_TOKEN.search(text) is None:
        return None
    found = next(found for token in _TOKENS if (found := re.search(token, text)))
    return (found["shown"] or "").strip()


def without_secrets(text: str) -> str:
    """Return a text with every credential of a known form cut down to what may be shown."""
    if _ANY_TOKEN.search(text) is None:
        return text
    for token in _TOKENS:
        text = re.sub(token, lambda found: (found["shown"] or "") + "…", text)
    return text


def is_secret_value(name: str, value: str | int | float) -> bool:
    """Return whether a name promises a secret and the value is one: a literal, not a reference or a stand-in."""
    text = str(value)
    number = text.strip().isdecimal()
    if is_reference(text) or text == "" or (_HARMLESS.fullmatch(text) and not number):
        return False
    if _SECRET_NAME.search(name):
        return not (number and name.lower().endswith("pass"))  # num_pass: 3
    if number and len(text) < 7:
        return False
    if not _TOKEN_NAME.search(name) or (not isinstance(value, str) and name.lower().endswith("token")):
        return False  # an index or a limit, not a secret: pad_token: 0
    return not _TOKEN_OF_TEXT.search(name) or _looks_random(text)


def is_flag_of_secret(argument: str) -> bool:
    """Return whether an argument of a command announces that the next one is a secret: --password."""
    return (
        argument.startswith("-")
        and "=" not in argument
        and is_secret_value(argument.lstrip("-"), "a literal")
    )


def holds_assignment_of_secret(text: str) -> bool:
    """Return whether a secret is assigned inside a text: ``--password=x``, ``jdbc:...?user=a&password=x``."""
    return any(
        is_secret_value(name, value) and (_SECRET_NAME.search(name) or _looks_random(value))
        for name, value in _ASSIGNMENT.findall(text)
    )


def _looks_random(text: str) -> bool:
    return len(text) >= 16 and re.search(r"[0-9]", text) is not None and re.search(r"[\s<>|]", text) is None
