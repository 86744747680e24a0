"""What distinguishes the templates of an environment from those of another: a text to read, from which they can be restored.

A row for each property, below the name of its stack::

    ~ Resources/Endpoint/Properties/InitialInstanceCount: "2" -> "1"    the values differ
    - Resources/Schedule                                                only in the other environment
    + Resources/Queue/Type: "AWS::SQS::Queue"                           only here

Lists of the same length are compared item by item, others as a whole. Names that hold the environment or the account are
the same in both: the words for which others stand come first.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

Templates = Mapping[str, Mapping[str, Any]]

_ARROW = " -> "
_decoder = json.JSONDecoder()


def describe_difference(templates: Templates, like: Templates, words: Mapping[str, str]) -> str:
    """Return what distinguishes templates, by stack name, from those they are like, once these use our words."""
    lines = [f"{old}{_ARROW}{new}" for old, new in words.items()]
    theirs = _in_words(like, words)
    for stack in sorted(templates.keys() | theirs.keys()):
        lines += ["", stack, *_rows(theirs.get(stack, {}), templates.get(stack, {}), ())]
    return "\n".join(lines) + "\n"


def restore(text: str, like: Templates) -> Templates:
    """Return the templates that a text distinguishes from others."""
    head, *stacks = text.removesuffix("\n").split("\n\n")
    words = dict(line.split(_ARROW) for line in head.splitlines())
    result: dict[str, Any] = json.loads(json.dumps(_in_words(like, words)))
    for stack in stacks:
        name, *rows = stack.splitlines()
        for row in rows:
            _apply(row, result.setdefault(name, {}))
    return {name: template for name, template in result.items() if template}


def _in_words(templates: Templates, words: Mapping[str, str]) -> Templates:
    """Return templates with other words in their texts; a word ends where no letter or figure follows."""
    alternatives = "|".join(map(re.escape, words))
    pattern = re.compile(rf"(?<![0-9A-Za-z])({alternatives})(?![0-9A-Za-z])")
    result: Templates = json.loads(pattern.sub(lambda found: words[found[1]], json.dumps(templates)))
    return result


def _rows(theirs: Any, ours: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(theirs.keys() | ours.keys()):
            below = (*path, key)
            if key not in ours:
                yield f"- {_pointer(below)}"
            elif key in theirs:
                yield from _rows(theirs[key], ours[key], below)
            elif isinstance(ours[key], dict) and ours[key]:
                yield from _rows({}, ours[key], below)
            else:
                yield f"+ {_pointer(below)}: {_text(ours[key])}"
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (their, our) in enumerate(zip(theirs, ours, strict=True)):
            yield from _rows(their, our, (*path, str(index)))
    elif _text(theirs) != _text(ours):  # Python takes 1 for 1.0 and for True
        yield f"~ {_pointer(path)}: {_text(theirs)}{_ARROW}{_text(ours)}"


def _apply(row: str, template: dict[str, Any]) -> None:
    kind, pointer, *rest = row.split(" ", 2)
    *parents, last = (pointer.removesuffix(":") if rest else pointer).split("/")
    target: Any = template
    for key in parents:
        target = target[int(key)] if isinstance(target, list) else target.setdefault(unquote(key), {})
    at: Any = int(last) if isinstance(target, list) else unquote(last)
    if kind == "-":
        del target[at]
    else:
        value, end = _decoder.raw_decode(rest[0])
        target[at] = json.loads(rest[0][end + len(_ARROW) :]) if kind == "~" else value


def _pointer(path: tuple[str, ...]) -> str:
    return "/".join(quote(key, safe="$:*.,@") for key in path)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
