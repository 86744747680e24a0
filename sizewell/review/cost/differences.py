"""Head less base, of what is known on both sides, and what moved it."""

from collections.abc import Iterable, Iterator

from sizewell.review.cost.bill import WorkloadBill
from sizewell.review.cost.charges import ZERO, Amounts, Charge, counted_noun, known_sum

_WITHOUT_AMOUNT = {"usage": ", paid by use", "unknown": ", amount unknown"}


def difference(base: WorkloadBill | None, head: WorkloadBill | None) -> Amounts | None:
    """Return the difference of a workload; None where nothing of it is known, or where its capacity is not."""
    if any(charge.group for charge in _unknown(base, head)):
        return None
    if base is None or head is None:
        only = head or base
        amount = only.usd_per_month if only else None
        return amount.times(1 if head else -1) if amount else None
    return sum_of_moves(_of_group(base, head, slots) for slots in _groups(base, head))


def sum_of_moves(parts: Iterable[Amounts | None]) -> Amounts | None:
    """Return the sum of what is known; zero where nothing moves."""
    moves = tuple(parts)
    return known_sum(moves) if moves else ZERO


def unknown_changes(base: WorkloadBill | None, head: WorkloadBill | None) -> tuple[str, ...]:
    """Return what changes and has no known price; what is paid by use has one, unless it is the capacity of an endpoint."""
    changes = (charge for charge in _unknown(base, head) if charge.group or charge.basis == "unknown")
    return tuple(dict.fromkeys(charge.name for charge in changes))


def _unknown(base: WorkloadBill | None, head: WorkloadBill | None) -> Iterator[Charge]:
    """Yield the charges without amount of what changes."""
    empty = WorkloadBill(())
    before, after = base or empty, head or empty
    for slots in _groups(before, after):
        if _of_group(before, after, slots) is None:
            for slot in slots:
                charges = (*before.slots.get(slot, ()), *after.slots.get(slot, ()))
                yield from (charge for charge in charges if charge.usd_per_month is None)


def causes(base: WorkloadBill | None, head: WorkloadBill | None) -> tuple[str, ...]:
    """Return in words what moved the bill of a workload, what moved it most first."""
    if base is None or head is None:
        return ("added",) if head else ("removed",) if base else ()
    if base.charges == head.charges:
        return ()
    sentences = (
        sentence
        for slot in sorted(_slots(base, head), key=lambda slot: -_weight(base, head, slot))
        for sentence in _of_charges(base.slots.get(slot, ()), head.slots.get(slot, ()))
    )
    return tuple(dict.fromkeys(sentences))


def _slots(base: WorkloadBill, head: WorkloadBill) -> tuple[str, ...]:
    return tuple(sorted({*base.slots, *head.slots}))


def _groups(base: WorkloadBill, head: WorkloadBill) -> Iterable[tuple[str, ...]]:
    """Return the slots that are compared as a whole; most are groups of their own."""
    groups: dict[tuple[str, str], tuple[str, ...]] = {}
    for slot in _slots(base, head):
        charges = (*base.slots.get(slot, ()), *head.slots.get(slot, ()))
        group = max(charge.group for charge in charges)
        key = (group, "" if group else slot)
        groups[key] = (*groups.get(key, ()), slot)
    return groups.values()


def _of_group(base: WorkloadBill, head: WorkloadBill, slots: tuple[str, ...]) -> Amounts | None:
    """Return the difference of a whole; None where a part of it that changes is not known.

    Of what is compared as a whole, what is paid by use on both sides does not count.
    """
    if all(_kept(base, slot) == _kept(head, slot) for slot in slots):
        return ZERO
    parts = [
        _of_slot(base, head, slot)
        for slot in slots
        if len(slots) == 1 or not (_is_by_use(base, slot) and _is_by_use(head, slot))
    ]
    return None if None in parts else known_sum(parts)


def _kept(bill: WorkloadBill, slot: str) -> list[tuple[object, ...]]:
    """Return what must be the same for a cost to be the same, whatever it is; the date of a price is not."""
    return [
        (
            charge.name,
            charge.basis,
            charge.price and charge.price.usd,
            charge.count,
            charge.quantity,
            charge.usd_per_month,
        )
        for charge in bill.slots.get(slot, ())
    ]


def _is_by_use(bill: WorkloadBill, slot: str) -> bool:
    charges = bill.slots.get(slot, ())
    return bool(charges) and all(charge.basis == "usage" for charge in charges)


def _weight(base: WorkloadBill, head: WorkloadBill, slot: str) -> float:
    moved = _sum(head.slots.get(slot, ())) - _sum(base.slots.get(slot, ()))
    return max(abs(moved.expected), abs(moved.maximum))


def _of_slot(base: WorkloadBill, head: WorkloadBill, slot: str) -> Amounts | None:
    """A slot of one side only counts in full; one that is unknown on either side does not count."""
    before, after = base.slots.get(slot, ()), head.slots.get(slot, ())
    if any(charge.usd_per_month is None for charge in (*before, *after)):
        return None
    return _sum(after) - _sum(before)


def _sum(charges: tuple[Charge, ...]) -> Amounts:
    return known_sum(charge.usd_per_month for charge in charges) or ZERO


def _of_charges(before: tuple[Charge, ...], after: tuple[Charge, ...]) -> Iterator[str]:
    if not before or not after:
        for charge in before or after:
            yield _appeared(charge, "added" if after else "removed")
    elif any((before[0].basis == "usage") != (charge.basis == "usage") for charge in after):
        yield from (_appeared(charge, "removed") for charge in before)
        yield from (_appeared(charge, "added") for charge in after)
    elif len(before) == len(after) == 1 and (before[0].facts or after[0].facts):
        yield from _of_facts(before[0], after[0])
    else:
        yield from _of_counts(before, after)


def _appeared(charge: Charge, verb: str) -> str:
    what = charge.name
    if charge.count:
        what = counted_noun(charge.count.number.expected, charge.count.noun)
    return f"{what} {verb}{_WITHOUT_AMOUNT.get(charge.basis, '')}"


def _of_facts(before: Charge, after: Charge) -> Iterator[str]:
    for name, fact in after.facts.items():
        old = before.facts.get(name)
        if old and old.value != fact.value:
            yield f"{name} {old.value} → {fact.value}{fact.suffix}"
    if (before.usd_per_month is None) != (after.usd_per_month is None):
        yield f"amount of {after.name} {'known' if after.usd_per_month else 'unknown'} now"


def _of_counts(before: tuple[Charge, ...], after: tuple[Charge, ...]) -> Iterator[str]:
    counts: dict[str, float] = {}
    for sign, charges in ((-1, before), (1, after)):
        for charge in charges:
            if charge.count:
                noun = charge.count.noun
                counts[noun] = counts.get(noun, 0.0) + sign * charge.count.number.expected
    for noun, change in sorted(counts.items()):
        if change:
            yield f"{counted_noun(abs(change), noun)} {'added' if change > 0 else 'removed'}"
