"""Reviews with whatever a configuration or a template may hold."""

from collections.abc import Callable
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from sizewell.review.model import Note, Review, ReviewModel

#: Each tries to be more than text somewhere: in HTML, Markdown, a table, a fence, a comment, a forge, a terminal.
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>{{ 7 * 7 }}{% raw %}",
    "a | b | c",
    "`code` ``` ```` \n```\n# heading",
    "</details></summary></pre></style>",
    "<!-- sizewell-review --> --> <!-- ",
    "@team/owners please see #123, GH-123, !45 and org/repo#6",
    "[x](http://evil.example) ![x](http://evil.example/x.png)",
    "https://evil.example www.evil.example a@evil.example ://",
    "/merge\n/close",
    "1. one",
    "- [ ] task",
    "=====",
    ":+1: :rocket: $x$ ~~gone~~ **bold** _it_ &#64;team &commat;team",
    "admin\u202egnp.exe\u2066\u200b\u00a0\ufeff\u3164\U000e0041",
    "\x1b[31mred\x1b]8;;http://evil.example\x07link",
    "back\\slash \\| \\` end\\",
    " ",
    "",
    "x" * 5000,
    "| " * 2000,
    "\r\n\t\x00\x7f\x85\u2028\u2029",
)
#: Runs of ticks of every length, and signs that begin something.
_NOISE = st.text(alphabet="`|<>@#[]()!*_~\\&;:/-=+. \n\taé\u202e0", max_size=40)
TEXTS = st.one_of(st.sampled_from(HOSTILE), _NOISE, st.text(max_size=30).filter(lambda text: not _lone(text)))
_AMOUNTS = st.floats(min_value=0, max_value=1e15, allow_nan=False)


def any_review() -> st.SearchStrategy[Review]:
    """A review of any shape that the model allows, with hostile texts."""
    return _build(Review)


def poisoned(review: Review, text: str) -> Review:
    """The review with the text in every place that holds text of somebody else."""
    poisoned_review: Review = _poison(review, text)
    return poisoned_review


def crowded(review: Review, text: str) -> Review:
    """The poisoned review with hazards that differ in what they are about, a failure of head, and denials."""
    bad = poisoned(review, text)
    subjects = (text, *(f"{text}{i}" for i in range(24)))
    hazards = tuple(bad.hazards[0].model_copy(update={"subject": subject}) for subject in subjects)
    elsewhere = hazards[1].model_copy(update={"environment": f"{text}-"})
    failure = Note(severity="danger", environment=text, text=text, detail=f"{text}\n{text}")
    denials = tuple(
        change.model_copy(
            update={
                "policy": "p",
                "grants": tuple(one.model_copy(update={"effect": "Deny"}) for one in change.grants),
            }
        )
        for change in bad.security.iam
    )
    return bad.model_copy(
        update={
            "hazards": (*hazards, elsewhere),
            "notes": (*bad.notes, failure),
            "security": bad.security.model_copy(update={"iam": denials}),
        }
    )


def _lone(text: str) -> bool:
    return any(0xD800 <= ord(sign) <= 0xDFFF for sign in text)


def _build(model: type[Any]) -> st.SearchStrategy[Any]:
    return st.builds(model, **{name: _of(field.annotation) for name, field in model.model_fields.items()})


def _of(annotation: Any) -> st.SearchStrategy[Any]:
    origin = get_origin(annotation)
    if origin is Literal:
        return st.sampled_from(get_args(annotation))
    if origin is tuple:
        return st.lists(_of(get_args(annotation)[0]), max_size=3).map(tuple)
    if origin in {Union, UnionType}:
        return st.one_of([_of(one) for one in get_args(annotation)])
    simple: dict[Any, Callable[[], st.SearchStrategy[Any]]] = {
        str: lambda: TEXTS,
        bool: st.booleans,
        int: lambda: st.integers(min_value=0, max_value=10**7),
        float: lambda: _AMOUNTS,
        type(None): st.none,
    }
    return simple[annotation]() if annotation in simple else st.deferred(lambda: _build(annotation))


def _poison(value: Any, text: str) -> Any:
    if isinstance(value, ReviewModel):
        fields = {
            name: getattr(value, name)
            if get_origin(field.annotation) is Literal
            else _poison(getattr(value, name), text)
            for name, field in type(value).model_fields.items()
        }
        return type(value)(**fields)
    if isinstance(value, tuple):
        return tuple(_poison(one, text) for one in value)
    return text if isinstance(value, str) else value
