"""Whose request is being served: account, region and the ARNs in them."""

import secrets
from collections.abc import Callable
from contextvars import copy_context
from threading import Thread

from ministack.core.responses import get_account_id, get_region


def arn(service: str, resource: str) -> str:
    """Return the ARN of a regional resource of the account that is calling."""
    return f"arn:aws:{service}:{get_region()}:{get_account_id()}:{resource}"


def random_suffix(length: int = 12) -> str:
    """Return letters and digits as CloudFormation appends them to the names that it makes."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return "".join(secrets.choice(alphabet) for _ in range(length))


def in_background(work: Callable[[], None], name: str) -> None:
    """Run something beside the request, in the name of the same account and region."""
    Thread(target=copy_context().run, args=(work,), name=name, daemon=True).start()
