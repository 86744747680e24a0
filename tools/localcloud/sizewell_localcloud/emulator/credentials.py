"""The secret in what ministack hands out: sessions of roles, and the URLs that stand for presigned ones."""

import os
from collections.abc import Callable
from typing import Any

from ministack.services import lambda_svc, sts
from ministack.services.cloudformation import custom_resource, wait_conditions

from sizewell_localcloud.emulator.access import TOKEN_NAME

_URLS = (
    (custom_resource, "_response_url"),
    (wait_conditions, "handle_url"),
    (lambda_svc, "_presigned_code_url"),
    (lambda_svc, "_layer_content_url"),
)


def install() -> None:
    """Put the secret of this start into what ministack hands out; ministack itself gives it to Lambda functions."""
    sts._gen_session_token = _secret
    for module, name in _URLS:
        setattr(module, name, _with_secret(getattr(module, name)))


def _secret() -> str:
    return os.environ["AWS_SESSION_TOKEN"]


def _with_secret(make_url: Callable[..., str]) -> Callable[..., str]:
    def url_with_secret(*arguments: Any) -> str:
        url = make_url(*arguments)
        return f"{url}{'&' if '?' in url else '?'}{TOKEN_NAME}={_secret()}"

    return url_with_secret
