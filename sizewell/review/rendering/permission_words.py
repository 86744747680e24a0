"""Permissions in words: who may do what from now on, or no longer."""

from dataclasses import dataclass

from sizewell.review.rendering.groups import Permission, PolicyChange

#: A principal that stands for all accounts and for those without one.
_EVERYBODY = frozenset({"*", "AWS: *", "AWS:*"})


@dataclass(frozen=True, slots=True)
class Said:
    """A permission as a sentence: the lead, whom it names, then actions, resources and condition."""

    lead: str
    principal: str
    """Empty where it is the owner of the policy, or everybody."""
    after_principal: str
    permission: Permission


def said(change: PolicyChange) -> list[Said]:
    """Return the permissions of a change in words."""
    return [_say(change, permission) for permission in change.permissions]


def _say(change: PolicyChange, permission: Permission) -> Said:
    everybody = permission.principal in _EVERYBODY
    principal = "" if everybody or permission.principal == change.change.policy else permission.principal
    broadened = change.change.direction == "broadened"
    if permission.effect == "Deny":
        lead = "no longer denied" if broadened else "now denied"
        return Said(*((f"{lead} to", principal, ":") if principal else (f"{lead}:", "", "")), permission)
    if everybody:
        return Said("everybody may" if broadened else "everybody may no longer", "", "", permission)
    return Said("Allow", principal, "", permission)
