"""Composite alarms: the rule, and the alarm that suppresses their actions.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html and "Alarm suppression",
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-suppression.html
"""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from tools.benchmarks.alarm_replay.evaluation import ALARM, INSUFFICIENT_DATA, OK, States, Truths

_TOKEN = re.compile(
    r"""\s*(\(|\)|AND|OR|NOT|TRUE|FALSE|(?:ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*(?:"[^"]*"|'[^']*'|[^"'()]+)\s*\))"""
)
_STATES = {"ALARM": ALARM, "OK": OK, "INSUFFICIENT_DATA": INSUFFICIENT_DATA}


def composite_states(rule: str, children: Mapping[str, States]) -> States:
    """Return the states of a composite alarm from those that its rule names; raises ValueError for a faulty rule."""
    tokens = _tokens(rule)
    minutes = len(next(iter(children.values())))
    found = _either(tokens, children, minutes)
    if tokens:
        raise ValueError(f"the rule goes on with {tokens[0]}: {rule}")
    return found.astype(np.int8)


def unsuppressed(states: States, suppressor: States, *, wait_minutes: int, extension_minutes: int) -> Truths:
    """Return in which minutes the actions of the state before them are performed.

    An action waits for the suppressor for ``wait_minutes``. While the suppressor is in ALARM, and ``extension_minutes`` after it,
    there is no action; then there is one if the state is still the same.
    """
    performed = np.zeros(len(states), dtype=bool)
    due: int | None = None
    changed_to = states[0]
    free_at = 0
    for minute, state in enumerate(states):
        if suppressor[minute] == ALARM:
            free_at = minute + 1 + extension_minutes
        if state != changed_to:
            changed_to, due = state, minute + wait_minutes
        if due is not None and minute >= max(due, free_at):
            performed[minute], due = True, None
    return performed


def _tokens(rule: str) -> list[str]:
    return list(_scan(rule))


def _scan(rule: str) -> Iterator[str]:
    at = 0
    while rule[at:].strip():
        match = _TOKEN.match(rule, at)
        if match is None:
            raise ValueError(f"the replay cannot read the rule from here on: {rule[at:]}")
        yield match.group(1)
        at = match.end()


def _either(tokens: list[str], children: Mapping[str, States], minutes: int) -> Truths:
    found = _both(tokens, children, minutes)
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        found = found | _both(tokens, children, minutes)
    return found


def _both(tokens: list[str], children: Mapping[str, States], minutes: int) -> Truths:
    found = _one(tokens, children, minutes)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        found = found & _one(tokens, children, minutes)
    return found


def _one(tokens: list[str], children: Mapping[str, States], minutes: int) -> Truths:
    if not tokens:
        raise ValueError("the rule ends too early")
    token = tokens.pop(0)
    if token == "NOT":
        return ~_one(tokens, children, minutes)
    if token in ("TRUE", "FALSE"):
        return np.full(minutes, token == "TRUE")
    if token == "(":
        found = _either(tokens, children, minutes)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("a parenthesis of the rule stays open")
        return found
    state, _, name = token.partition("(")
    if state.strip() not in _STATES:
        raise ValueError(f"the rule has {token} where a condition must stand")
    holds: Truths = children[name.rstrip(")").strip().strip("\"'")] == _STATES[state.strip()]
    return holds
