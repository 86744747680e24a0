"""What the definitions of all workflows share: pieces of Amazon States Language, with JSONata for expressions.

https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html
"""

import json
from collections.abc import Mapping, Sequence

State = dict[str, object]


class Expression(str):
    """JSONata, where any other text stands for itself."""


def to_jsonata(value: object) -> str:
    """Return plain data as JSONata: a text is written in quotes, an ``Expression`` as it is."""
    match value:
        case Expression():
            return value
        case Mapping():
            return f"{{{', '.join(f'{json.dumps(key)}: {to_jsonata(member)}' for key, member in value.items())}}}"
        case list():
            return f"[{', '.join(to_jsonata(item) for item in value)}]"
        case _:
            return json.dumps(value)


#: What the console joins an execution to the one that started it by:
#: https://docs.aws.amazon.com/step-functions/latest/dg/concepts-nested-workflows.html
STARTED_BY = "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID"


def retry(*errors: str) -> State:
    """Return how to repeat a request that was throttled, or that the service had no class of error for.

    Integrations name API errors SERVICE.<exception>; what has no class of its own, throttling and internal errors among it,
    arrives as the exception of the service, such as SageMaker.AmazonSageMakerException.
    """
    return {
        "ErrorEquals": list(errors),
        "IntervalSeconds": 5,
        "MaxAttempts": 5,
        "BackoffRate": 2.0,
        "JitterStrategy": "FULL",
    }


def is_json_object(text: str) -> str:
    """Return what tells whether an expression is such a text, or is missing: ``$parse`` fails on anything but JSON."""
    return f"$substring({text}, 0, 1) = '{{' and $substring({text}, -1) = '}}'"


def unknown_keys(*allowed: tuple[str, Sequence[str]]) -> str:
    """Return the list of keys in the input of an execution that nothing reads; those ``allowed`` are by the path of an object."""
    # Python writes a list of such names as JSONata does.
    return f"[{', '.join(f'$keys($states.input{path})[$not($ in {list(keys)})]' for path, keys in allowed)}]"
