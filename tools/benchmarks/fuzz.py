"""Fuzzing the loader and the planner with broken configurations.

python -m tools.benchmarks.fuzz --cases 50000 --seed 1 --synth 300

Each case is a valid configuration with one to four changes, or its text with some. It must end in a plan or in a message:
no other exception, no message that steers a terminal, no number in a plan that is none. ``--synth`` builds as many of
the plans that came out, those with values never seen first, with every check that stops ``cdk synth``.
"""

import argparse
import json
import math
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sizewell.config import ConfigError
from sizewell.config.kind import environment_model
from sizewell.planning import load_plan, plan_to_json
from tools.benchmarks.every_key import every_key
from tools.benchmarks.hostile_values import CANARY, NUMBERS, OTHERS, PIECES, TEXTS
from tools.benchmarks.stated_workloads import Config

#: A case that computes longer than this, in seconds of the processor, hangs.
MAX_CPU_S = 5
#: The longest list that is made by repeating: a file of more is refused by its size alone.
MAX_ITEMS = 10_000
_OVERLAY = "policy: {}\n"


@dataclass(frozen=True)
class Case:
    """The texts of base.yaml and dev.yaml, and in words what was changed."""

    number: int
    base: str
    overlay: str
    changes: tuple[str, ...]


class HangError(Exception):
    """A case has used up its time."""


def cases(seed: int, numbers: Iterable[int]) -> Iterator[Case]:
    """Yield cases of a seed by their numbers; each depends on seed and number only."""
    valid = every_key()
    names, bounds = sorted(valid), {name: _numbers(config) for name, config in valid.items()}
    for number in numbers:
        chance = random.Random(f"{seed}/{number}")
        name = chance.choice(names)
        if chance.random() < 0.2:
            text, changes = _changed_text(json.dumps(valid[name], indent=1), chance)
            yield Case(number, text, _OVERLAY, (name, *changes))
            continue
        config = deepcopy(valid[name])
        change = _stretch if chance.random() < 0.4 else _break
        changes = tuple(change(config, bounds[name], chance) for _ in range(chance.choice((1, 1, 2, 4))))
        base, overlay = _split(config, chance)
        yield Case(number, base, overlay, (name, *changes))


def run(case: Case, directory: Path) -> Any:
    """Return the plan of a case, or the text of its message.

    Raises whatever else comes out, and AssertionError for a plan or message that must not be.
    """
    (directory / "base.yaml").write_text(case.base, "utf-8", newline="")
    (directory / "dev.yaml").write_text(case.overlay, "utf-8", newline="")
    try:
        plan = load_plan(directory, "dev")
    except ConfigError as error:
        message = error.render()
        _check_message(message)
        return message
    _check_numbers(json.loads(plan_to_json(plan), parse_constant=_no_number))
    return plan


def main() -> None:
    """Run the cases, print what broke, and end with 1 when anything did."""
    options = _options()
    signal.signal(signal.SIGPROF, _hang)
    planned: list[Case] = []
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for case in cases(options.seed, range(options.cases)):
            signal.setitimer(signal.ITIMER_PROF, MAX_CPU_S)
            try:
                outcome = run(case, Path(name))
            except Exception:
                ends["broken"] += 1
                print(
                    f"case {case.number} of seed {options.seed}: {case.changes}\n{traceback.format_exc(limit=-4)}"
                )
                continue
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            ends["message" if isinstance(outcome, str) else "plan"] += 1
            if not isinstance(outcome, str):
                planned.append(case)
            if sum(ends.values()) % 1000 == 0:
                print(f"{sum(ends.values()):,} cases: {dict(ends)}", file=sys.stderr)
        for case in _newest(planned, options.synth):
            ends["synthesized"] += 1
            for finding in synth_findings(case, Path(name)):
                ends["refused by synth"] += 1
                print(f"case {case.number} of seed {options.seed} plans, but: {case.changes}\n{finding}")
    print(f"seed {options.seed}: {dict(ends)}")
    sys.exit(bool(ends["broken"] or ends["refused by synth"]))


def synth_findings(case: Case, directory: Path) -> Iterator[str]:
    """Yield why ``cdk synth`` or the schemas of CloudFormation refuse what was planned; a mode that no stack builds is fine."""
    from aws_cdk import App
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    from constructs_lib.jsii_runtime import use_bundled_node
    from sizewell.planning import load_for_synth
    from sizewell.planning.offers import offered_types
    from sizewell.stacks.guards import add_guards
    from sizewell.stacks.platform import add_stacks

    use_bundled_node()
    run(case, directory)
    try:
        plan = load_for_synth(directory, "dev").plan
    except ConfigError:
        return
    context = json.loads((Path(__file__).parents[2] / "cdk.json").read_text("utf-8"))["context"]
    try:
        app = App(analytics_reporting=False, context=context)
        add_stacks(app, plan)
        add_guards(app, plan.nag_packs, offered_types(plan.region))
        assembly = app.synth()
    except Exception as error:
        yield str(error)[:2000]
        return
    for stack in assembly.stacks:
        matches = lint(json.dumps(stack.template), config=ManualArgs(regions=[plan.region]))
        yield from (f"{stack.stack_name}: {match}" for match in matches if match.rule.id.startswith("E"))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--synth", type=int, default=0, help="so many of the plans are synthesized")
    return parser.parse_args()


def _hang(*_: object) -> None:
    raise HangError(f"more than {MAX_CPU_S} s of computing")


def _check_message(message: str) -> None:
    assert all(character.isprintable() or character == "\n" for character in message), "a control character"
    assert not any(line.strip().startswith(("::", "##[")) for line in message.splitlines()), (
        "a command of a CI log"
    )
    assert len(message) < 200_000, "an endless message"
    assert CANARY not in message, "a secret is repeated"


def _no_number(constant: str) -> None:
    raise AssertionError(f"{constant} in the plan")


def _check_numbers(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _check_numbers(item)
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item)
    elif isinstance(value, float):
        assert math.isfinite(value), "a number that is not finite in the plan"


Path_ = tuple[Any, ...]


def _numbers(config: Config) -> dict[Path_, tuple[float, float, bool]]:
    """Return the path of each number with its least and greatest value, and whether it is whole."""
    environment = environment_model().model_validate_json(json.dumps({"name": "dev", **config}), strict=True)
    found: dict[Path_, tuple[float, float, bool]] = {}

    def visit(value: Any, path: Path_) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                visit(item, (*path, key))
        elif isinstance(value, BaseModel):
            properties = _properties(type(value))
            for key in sorted(value.model_fields_set):
                schema = properties[key]
                schema = next(
                    (branch for branch in schema.get("anyOf", ()) if branch.get("type") != "null"), schema
                )
                if schema.get("type") in ("integer", "number") and "enum" not in schema:
                    minimum = schema.get("minimum", schema.get("exclusiveMinimum"))
                    maximum = schema.get("maximum", schema.get("exclusiveMaximum"))
                    found[*path, key] = minimum, maximum, schema["type"] == "integer"
                visit(getattr(value, key), (*path, key))

    visit(environment, ())
    found.pop(("name",), None)
    return found


@cache
def _properties(model: type[BaseModel]) -> dict[str, Any]:
    properties: dict[str, Any] = model.model_json_schema()["properties"]
    return properties


def _stretch(config: Config, bounds: dict[Path_, tuple[float, float, bool]], chance: random.Random) -> str:
    """Move a number somewhere within its bounds, to the bounds above all."""
    path = chance.choice(sorted(bounds, key=str))
    minimum, maximum, whole = bounds[path]
    low = math.log(max(minimum, 1e-6))
    value: float = chance.choice((minimum, maximum, math.exp(chance.uniform(low, math.log(maximum)))))
    value = round(value) if whole else value
    return _put(config, path, value)


def _break(config: Config, bounds: dict[Path_, tuple[float, float, bool]], chance: random.Random) -> str:
    """Put something anywhere, remove a key, repeat an item, or add a key."""
    path = chance.choice(sorted(_paths(config), key=str))
    what = chance.random()
    if what < 0.7:
        return _put(config, path, deepcopy(chance.choice(chance.choice((NUMBERS, TEXTS, OTHERS)))))
    parent = _at(config, path[:-1])
    if what < 0.8:
        if isinstance(parent, dict):
            parent.pop(path[-1], None)
        return f"{path} removed"
    if isinstance(parent, list):
        parent.extend(parent * chance.choice((1, 200)))
        del parent[MAX_ITEMS:]
        return f"{path[:-1]} repeated"
    key = chance.choice(TEXTS)
    parent[key] = deepcopy(chance.choice(OTHERS))
    return f"{key!r} added to {path[:-1]}"


def _put(config: Config, path: Path_, value: Any) -> str:
    try:
        _at(config, path[:-1])[path[-1]] = value
    except (KeyError, IndexError, TypeError):
        return f"{path} is gone"  # by a change before
    return f"{path} = {str(value)[:60]!r}"


def _at(config: Any, path: Path_) -> Any:
    for key in path:
        config = config[key]
    return config


def _paths(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from _paths(item, (*path, key))


def _split(config: Config, chance: random.Random) -> tuple[str, str]:
    """Return the texts of base.yaml and dev.yaml; one in four times a part of the configuration stands in both."""
    keys = [key for key in config if isinstance(config[key], dict)]
    if chance.random() >= 0.25 or not keys:
        return json.dumps(config, indent=1), _OVERLAY
    key = chance.choice(keys)
    return json.dumps(config, indent=1), json.dumps({key: config[key]}, ensure_ascii=False, indent=1)


def _changed_text(text: str, chance: random.Random) -> tuple[str, tuple[str, ...]]:
    changes = []
    for _ in range(chance.choice((1, 2, 3))):
        place, piece = chance.randrange(len(text)), chance.choice(PIECES)
        text = text[:place] + piece + text[place + chance.choice((0, 1, 20)) :]
        changes.append(f"{piece[:20]!r} at {place}")
    return text, tuple(changes)


def _newest(planned: list[Case], count: int) -> list[Case]:
    """Return up to ``count`` cases, those first whose changes no case before has made."""
    seen: set[str] = set()
    new: list[Case] = []
    old: list[Case] = []
    for case in planned:
        (old if seen.issuperset(case.changes) else new).append(case)
        seen.update(case.changes)
    return (new + old)[:count]


if __name__ == "__main__":
    main()
