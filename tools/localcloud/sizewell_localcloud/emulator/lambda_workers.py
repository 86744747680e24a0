"""Lambda workers: what AWS puts beside their code, and what becomes of a custom resource whose function died."""

import os
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from ministack.core import lambda_runtime
from ministack.services import lambda_svc
from ministack.services.cloudformation import custom_resource

from sizewell_localcloud.emulator import activity
from sizewell_localcloud.emulator.errors import AwsError

_MODULES = Path(__file__).parent / "lambda_modules"


def install() -> None:
    """Give workers ``cfnresponse``, and let a stack know at once that a dead function will not answer.

    CloudFormation would find out when ``ServiceTimeout`` has passed. Lambda would also try the event twice more, which
    could repair what was left undone: that help is not emulated, so what passes here passes there.
    """
    os.environ["PYTHONPATH"] = str(_MODULES)
    execute = lambda_svc._execute_function_with_config_scope

    def execute_and_tell(function: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        with activity.running():
            result: dict[str, Any] = execute(function, event)
        if (
            isinstance(event, dict)
            and "ResponseURL" in event
            and isinstance(result, dict)
            and result.get("error")
        ):
            _tell_that_nobody_answers(urlsplit(event["ResponseURL"]).path.rpartition("/")[2])
        return result

    lambda_svc._execute_function_with_config_scope = execute_and_tell
    # Their runtime API would be a second port, on which nobody is asked for the secret.
    lambda_svc._execute_function_provided = _refuse_custom_runtime
    lambda_runtime.ProvidedWorker._spawn = _refuse_custom_runtime


def _refuse_custom_runtime(*_arguments: Any) -> NoReturn:
    raise AwsError("NotEmulated", "custom runtimes (provided.*) are not emulated by the local cloud", 501)


def _tell_that_nobody_answers(token: str) -> None:
    with custom_resource._lock:
        waiting = custom_resource._pending.get(token)
    if waiting is not None:
        waiting["event"].set()


def kill_all() -> None:
    """Kill every worker in the middle of its work, as a crash or a time-out would."""
    lambda_runtime.reset()
