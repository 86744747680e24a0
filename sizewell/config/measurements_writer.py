"""Adding measurements to the text of ``measurements.yaml``; the user's comments and order stay."""

import re
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from sizewell.config.measured_instance import MeasuredInstance

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

#: The first lines of a new file.
HEADER = """\
# What was measured, by workload: it beats what is predicted (sizewell guide measurements).

"""
#: The first list below the workloads, as far as its first key: the indentation that the file is written with.
_FIRST_LIST = re.compile(
    r"^workloads:.*\n(?:\s*(?:#.*)?\n)*( +)\S.*\n(?:\s*(?:#.*)?\n)*( +)(- +)", re.MULTILINE
)
#: Wider than any line, so that none is wrapped.
_WIDTH = 4096


def add_measurements(
    text: str | None, workload: str, written: Sequence[MeasuredInstance], added: Sequence[MeasuredInstance]
) -> str:
    """Return the text of the file with the measurements of a workload added.

    ``text`` is valid, or None when there is no file; ``written`` is what it holds of the workload, in its order. A
    measurement of the same instance type, count, concurrency and environment is replaced where it stands.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    text = HEADER if text is None else text
    newline = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n")
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _WIDTH
    yaml.indent(**_indentation(text))
    document = yaml.load(text)
    if document is None:
        # A file of comments alone is no map.
        document = CommentedMap({"workloads": CommentedMap()})
        head = text
    else:
        head = ""
    workloads = document.setdefault("workloads", CommentedMap())
    items: CommentedSeq = workloads.setdefault(workload, CommentedSeq())
    for block in (workloads, items):
        if len(block) <= 1:
            block.fa.set_block_style()
    tail = _take_tail(items)
    places = {one.key: index for index, one in enumerate(written)}
    for one in added:
        if (index := places.get(one.key)) is None:
            items.append(CommentedMap(_plain(one)))
        else:
            _replace(items[index], _plain(one))
    _put_tail(items, tail)
    output = StringIO()
    yaml.dump(document, output)
    return (head + output.getvalue()).replace("\n", newline)


def _indentation(text: str) -> dict[str, int]:
    if not (found := _FIRST_LIST.search(text)):
        return {"mapping": 2, "sequence": 4, "offset": 2}
    mapping = len(found[1])
    offset = max(0, len(found[2]) - mapping)
    return {"mapping": mapping, "sequence": offset + len(found[3]), "offset": offset}


def _plain(measured: MeasuredInstance) -> dict[str, Any]:
    """Return the keys that are not at their defaults; dates in quotes, whole numbers without a point."""
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    values = measured.model_dump(exclude_defaults=True)
    for key, value in values.items():
        if isinstance(value, float) and value.is_integer():
            values[key] = int(value)
        elif key == "date":
            values[key] = DoubleQuotedScalarString(value)
    return values


def _replace(item: "CommentedMap", values: dict[str, Any]) -> None:
    for key in [key for key in item if key not in values]:
        del item[key]
    item.update(values)


def _take_tail(items: "CommentedSeq") -> str:
    """Remove and return the lines after the last item: ruamel.yaml holds them as part of its last value."""
    if not items or not (comments := items[-1].ca.items.get(list(items[-1])[-1])) or comments[2] is None:
        return ""
    token = comments[2]
    line, newline, tail = token.value.partition("\n")
    token.value = line + newline
    return str(tail)


def _put_tail(items: "CommentedSeq", tail: str) -> None:
    if not tail:
        return
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    last = items[-1]
    comments = last.ca.items.setdefault(list(last)[-1], [None, None, None, None])
    if comments[2] is None:
        comments[2] = CommentToken("\n", CommentMark(0), None)
    comments[2].value += tail
