"""What is known of the choice for one workload on both sides."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sizewell.planning.saved_workload import SavedChoice, SavedLock
from sizewell.review.selection.candidate_record import Candidate, CandidateRecord
from sizewell.review.selection.needs import Need

LockState = Literal["unlocked", "locked", "stale", "infeasible"]


def lock_state(workload: SavedChoice) -> LockState:
    """Return what the lock says of a workload."""
    return workload.lock.state if workload.lock else "unlocked"


@dataclass(frozen=True)
class Comparison:
    """One workload that both sides have, as the reasons see it."""

    base: SavedChoice
    head: SavedChoice
    base_record: CandidateRecord
    head_record: CandidateRecord
    catalog_changed: bool
    needs: tuple[Need, ...] = ()
    """As far as the configuration is there on both sides."""

    @property
    def old(self) -> str:
        """The type of base."""
        return self.base.instance_type

    @property
    def new(self) -> str:
        """The type of head."""
        return self.head.instance_type

    @property
    def type_changed(self) -> bool:
        """Whether the type is another one."""
        return self.old != self.new

    @property
    def needs_changed(self) -> bool:
        """Whether the configuration asks for something else."""
        return self.base.needs_digest != self.head.needs_digest

    @property
    def traffic_changed(self) -> bool:
        """Whether the load is among what changed."""
        return any(need.is_about("traffic") for need in self.needs)

    @property
    def followed_lock(self) -> SavedLock | None:
        """The lock that the choice of head follows."""
        lock = self.head.lock
        return lock if lock and lock.state != "infeasible" else None

    @property
    def lock_changed(self) -> bool:
        """Whether the lock says something else."""
        locks = (self.base.lock, self.head.lock)
        return lock_state(self.base) != lock_state(self.head) or (
            None not in locks and len({lock.instance_type for lock in locks if lock}) > 1
        )

    def both(self, instance_type: str) -> tuple[Candidate, Candidate] | None:
        """Return a type on both sides; None unless it is feasible on both."""
        base, head = (record.candidate(instance_type) for record in (self.base_record, self.head_record))
        return (base, head) if base and head else None

    @cached_property
    def saving_usd_per_month(self) -> float | None:
        """What the new type saves in head against the old one; None where that is unknown, or nothing."""
        ours, theirs = (self.head_record.candidate(name) for name in (self.new, self.old))
        if not ours or not theirs or ours.usd_per_month is None or theirs.usd_per_month is None:
            return None
        saving = theirs.usd_per_month - ours.usd_per_month
        return saving if self.type_changed and saving > 0 else None

    @cached_property
    def price_decided(self) -> bool:
        """Whether at the prices of base the old type would have stayed the cheaper one."""
        if not self.type_changed:
            return self.catalog_changed
        at_base_prices = []
        for name in (self.old, self.new):
            both = self.both(name)
            if both is None:
                return False
            base, head = both
            if not base.usd_per_hour or not head.usd_per_hour or head.usd_per_month is None:
                return False
            at_base_prices.append(head.usd_per_month * base.usd_per_hour / head.usd_per_hour)
        return at_base_prices[0] <= at_base_prices[1]
