"""What secrets look like: the forms of tokens, ``sizewell.facts.secret_tokens``, and the names that people give to secrets."""

import re
from collections.abc import Iterable

from sizewell.facts.secret_tokens import ANYWHERE, AT_A_WORD, TokenShape

_TOKENS = (*(rf"\b{shape.pattern}" for shape in AT_A_WORD), *(shape.pattern for shape in ANYWHERE))


def _without_group(shapes: Iterable[TokenShape]) -> str:
    return "|".join(shape.pattern.replace("?P<shown>", "?:") for shape in shapes)


#: All of them at once, for the many texts that hold none. Inside a word, most are not even tried.
_ANY_TOKEN = re.compile(rf"\b(?:{_without_group(AT_A_WORD)})|{_without_group(ANYWHERE)}")

#: Last words of a name behind which any literal is a secret.
_SECRET_NAME = re.compile(
    r"(?:password|passwd|passphrase|passcode|pwd|secret|credentials?)$|(?:^|[_.-])pass$", re.IGNORECASE
)
#: Last words of a name behind which a literal is mostly a secret, and sometimes a word of a tokenizer or a count.
_TOKEN_NAME = re.compile(
    r"(?:token|(?:api|app|access|secret|private|auth|signing|encryption|account|master|license|shared)[_.-]?key"
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
#: The same behind a flag of a command: --password x.
_FLAG = re.compile(r"(?:^|\s)--?([A-Za-z][A-Za-z0-9_.-]*+)\s+([^\s-]\S*)")


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
    """Return whether a secret is assigned inside a text: ``--password x``, ``jdbc:...?user=a&password=x``."""
    return any(
        is_secret_value(name, value) and (_SECRET_NAME.search(name) or _looks_random(value))
        for name, value in (*_ASSIGNMENT.findall(text), *_FLAG.findall(text))
    )


def _looks_random(text: str) -> bool:
    return len(text) >= 16 and re.search(r"[0-9]", text) is not None and re.search(r"[\s<>|]", text) is None
