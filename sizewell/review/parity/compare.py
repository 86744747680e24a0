"""Compare the shape of two environments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sizewell.review.parity.masks import EnvironmentMask, StackMask
from sizewell.review.parity.model import FOUNDATION, Difference, Parity
from sizewell.review.parity.resources import ResourceSide, compare_resources
from sizewell.review.saved.output import Assembly
from sizewell.templates.template import Stack

_KINDS = ("missing", "type", "hardware", "image", "permission", "setting", "size", "policy")
_ALLOWED = ("size", "policy")


def compare_shape(staging: Assembly, prod: Assembly) -> Parity:
    """Say where staging has not the shape of prod, and where it is smaller.

    Stacks are paired by workload, resources by construct path. Names of the environments, accounts, regions and
    addresses never count.
    """
    found = tuple(
        _with_names(difference, staging.environment, prod.environment)
        for difference in sorted(_differences(staging, prod), key=_order)
    )
    differences = tuple(d for d in found if d.kind not in _ALLOWED)
    return Parity(
        staging=staging.environment,
        prod=prod.environment,
        same_shape=not differences,
        differences=differences,
        allowed=tuple(d for d in found if d.kind in _ALLOWED),
        notes=(*staging.notes, *prod.notes),
    )


def _with_names(difference: Difference, env: str, like: str) -> Difference:
    why = difference.why.replace("{env}", env).replace("{like}", like)
    return difference.model_copy(update={"why": why})


def _order(difference: Difference) -> tuple[object, ...]:
    return (
        difference.workload != FOUNDATION,
        difference.workload,
        _KINDS.index(difference.kind),
        difference.subject,
        difference.setting,
        difference.why,
    )


def _differences(staging: Assembly, prod: Assembly) -> Iterator[Difference]:
    left, right = _stacks(staging), _stacks(prod)
    if len(left) == len(right) == 1:
        # One stack each is the same stack, whatever it is called.
        right = dict(zip(left, right.values(), strict=True))
    for workload in sorted({*left, *right}):
        one, other = left.get(workload), right.get(workload)
        if one is None or other is None:
            yield _missing_stack(workload, one, other)
        else:
            yield from compare_resources(workload, one.resources, other.resources)


def _missing_stack(workload: str, staging: "_StackSide | None", prod: "_StackSide | None") -> Difference:
    name = next(side.name for side in (prod, staging) if side)
    return Difference(
        kind="missing",
        workload=workload,
        subject=name,
        setting="stack",
        staging=staging.name if staging else None,
        prod=prod.name if prod else None,
        why="{like} runs something that {env} never tries"
        if prod
        else "{env} leans on something that {like} does not have",
    )


@dataclass(frozen=True)
class _StackSide:
    name: str
    resources: Mapping[str, ResourceSide]


def _stacks(assembly: Assembly) -> dict[str, _StackSide]:
    environment = EnvironmentMask(assembly)
    sides: dict[str, _StackSide] = {}
    for stack in assembly.stacks.values():
        mask = StackMask(environment, stack)
        resources = {path: ResourceSide(stack.resources[name], mask) for name, path in mask.paths.items()}
        sides[_workload(assembly, environment, stack)] = _StackSide(stack.name, resources)
    return sides


def _workload(assembly: Assembly, environment: EnvironmentMask, stack: Stack) -> str:
    top, nested, nested_id = stack.name.partition("/")
    plan = assembly.plan
    if plan and plan.foundation.stack_name == top:
        return FOUNDATION + nested + nested_id
    if plan and (workload := plan.workload_of_stack(top)):
        return workload.name + nested + nested_id
    return environment.hide(stack.name)
