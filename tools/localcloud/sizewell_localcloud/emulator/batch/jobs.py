"""Jobs, and how they come to an end: by themselves, or as a script says.

States: https://docs.aws.amazon.com/batch/latest/userguide/job_states.html; what is tried again: job_retries.html there; what
happens to a job that finds no capacity: job_stuck_in_runnable_capacity.html; of an array: array_jobs.html.
"""

import copy
import re
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from ministack.core.responses import new_uuid

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import arn, in_background, random_suffix
from sizewell_localcloud.emulator.batch import store
from sizewell_localcloud.emulator.batch.store import Record, client_error
from sizewell_localcloud.emulator.sagemaker import scripts

TERMINAL = ("SUCCEEDED", "FAILED")
NO_CAPACITY = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"
_TASK_EXITED = "Essential container in task exited"
#: Of an array. No page states it.
_CHILD_FAILED = "Array Child Job failed"
_ARRAY_SIZES = (2, 10_000)
#: What every attempt takes once it runs, in seconds.
ATTEMPT_S = 600
#: Of an outcome, what the attempts of a job come to until the last one: the exit code, or None where the host was lost.
_ATTEMPTS: dict[str, tuple[int | None, ...]] = {
    "completed": (0,),
    "failed": (1,),
    "interrupted": (None, 143, 0),
    "hosts_lost": (None,) * 10,
}


def submit(request: Record) -> Record:
    """Submit a job; as many as one likes may have one name."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", request["jobName"]):
        raise client_error(f"jobName {request['jobName']} is not valid")
    queue = store.found(store.queues, request["jobQueue"])
    definition = store.found(store.definitions, request["jobDefinition"])
    if definition["status"] != "ACTIVE":
        raise client_error("JobDefinition is not active")
    timeout = request.get("timeout", definition.get("timeout"))
    if timeout is not None and timeout["attemptDurationSeconds"] < 60:
        raise client_error("attemptDurationSeconds is at least 60")
    size = request.get("arrayProperties", {}).get("size")
    if size is not None and not _ARRAY_SIZES[0] <= size <= _ARRAY_SIZES[1]:
        raise client_error(f"Array size must be {_ARRAY_SIZES[0]} to {_ARRAY_SIZES[1]}")
    job_id = new_uuid()
    container = copy.deepcopy(definition["containerProperties"])
    overrides = request.get("containerOverrides", {})
    own = {variable["name"] for variable in overrides.get("environment", [])}
    kept = [variable for variable in container.get("environment", []) if variable["name"] not in own]
    container["environment"] = [*kept, *overrides.get("environment", [])]
    job = {
        "jobArn": arn("batch", f"job/{job_id}"),
        "jobId": job_id,
        "jobName": request["jobName"],
        "jobQueue": queue["jobQueueArn"],
        "jobDefinition": definition["jobDefinitionArn"],
        "status": "SUBMITTED",
        "createdAt": _now_ms(),
        "attempts": [],
        "container": container,
        "retryStrategy": definition.get("retryStrategy", {"attempts": 1}),
        "timeout": timeout,
        "isCancelled": False,
        "isTerminated": False,
    }
    store.jobs[job_id] = job
    script = scripts.take("batch", request["jobName"])
    if size is not None:
        _spread(job, size, script)
    else:
        in_background(lambda: _run(job, script), f"run {request['jobName']}")
    return {name: job[name] for name in ("jobArn", "jobName", "jobId")}


def describe(request: Record) -> Record:
    """Describe jobs; of those that there are not, nothing is said."""
    with store.lock:
        found = [store.jobs[job_id] for job_id in request["jobs"] if job_id in store.jobs]
        return {"jobs": copy.deepcopy(found)}


def listed(request: Record) -> Record:
    """List the jobs of a queue: by their name, or else those of a status."""
    queue = store.found(store.queues, request["jobQueue"])["jobQueueArn"]
    filters = request.get("filters", [])
    with store.lock:
        chosen = [
            copy.deepcopy(job)
            for job in store.jobs.values()
            if job["jobQueue"] == queue
            and "index" not in job.get("arrayProperties", {})
            and _is_listed(job, filters, request.get("jobStatus", "RUNNING"))
        ]
    return {"jobSummaryList": sorted(chosen, key=lambda job: -job["createdAt"])}


def _is_listed(job: Record, filters: list[Record], status: str) -> bool:
    names = [value for each in filters if each["name"] == "JOB_NAME" for value in each["values"]]
    if filters:
        return any(fnmatchcase(job["jobName"].lower(), name.lower()) for name in names)
    return bool(job["status"] == status)


def terminate(request: Record) -> None:
    """Cancel a job that has not started, or send it SIGTERM; one that has ended stays as it is."""
    with store.lock:
        job = store.jobs.get(request["jobId"])
        if job is not None and job["status"] not in TERMINAL:
            job["isTerminated"] = job["status"] in ("STARTING", "RUNNING")
            job["isCancelled"] = not job["isTerminated"]
            job["_reason"] = request["reason"]


def _spread(parent: Record, size: int, script: Any) -> None:
    """Run the jobs of an array; the script is of the first one."""
    children = [_child(parent, index) for index in range(size)]
    with store.lock:
        parent |= {"status": "PENDING", "arrayProperties": {"size": size}}
        store.jobs.update({child["jobId"]: child for child in children})
    for child in children:
        its_script = script if child is children[0] else None
        in_background(partial(_run, child, its_script), f"run {child['jobId']}")
    in_background(lambda: _gather(parent, children), f"gather {parent['jobName']}")


def _child(parent: Record, index: int) -> Record:
    job_id = f"{parent['jobId']}:{index}"
    own = {"jobId": job_id, "jobArn": arn("batch", f"job/{job_id}"), "arrayProperties": {"index": index}}
    return copy.deepcopy(parent) | own


def _gather(parent: Record, children: list[Record]) -> None:
    """End an array when all its jobs have ended; what its task or somebody says of it, is said of them."""
    while not all(child["status"] in TERMINAL for child in children):
        with store.lock:
            for child in children:
                parent |= {name: child[name] for name in ("_hangs", "_waits_s") if child.get(name)}
                child |= {name: parent[name] for name in ("_cancelled",) if name in parent}
        if "_reason" in parent:
            for child in children:
                terminate({"jobId": child["jobId"], "reason": parent["_reason"]})
        clock.pause(clock.JOB_START_S)
    failed = any(child["status"] == "FAILED" for child in children)
    reason = parent.get("_reason", _CHILD_FAILED)
    _end(parent, "FAILED" if failed else "SUCCEEDED", reason if failed else "")


def _run(job: Record, script: Any) -> None:
    outcome = script.outcome if script else "completed"
    for exit_code in _ATTEMPTS.get(outcome, (0,)):
        _to(job, "RUNNABLE")
        clock.pause(clock.JOB_START_S)
        if outcome == "capacity":
            return _wait_for_capacity(job, (script.reason if script else "") or NO_CAPACITY)
        if "_reason" in job:
            return _end(job, "FAILED", job["_reason"])
        _to(job, "STARTING")
        clock.pause(clock.JOB_START_S)
        _to(job, "RUNNING")
        started_ms = _now_ms()
        clock.pause(clock.JOB_START_S)
        with store.lock:
            # Read by the state machine's task, whose time runs out at once when its job never ends.
            job["_hangs"] = outcome == "hang"
        while outcome == "hang" and "_reason" not in job:
            clock.pause(clock.JOB_START_S)
        terminated = "_reason" in job
        reason = job["_reason"] if terminated else _reason_of(exit_code)
        _record_attempt(job, started_ms, 143 if terminated else exit_code, reason)
        if terminated or exit_code == 0:
            return _end(job, "FAILED" if terminated else "SUCCEEDED", reason)
        if not _is_tried_again(job, exit_code, reason):
            return _end(job, "FAILED", reason)
    return None


def _reason_of(exit_code: int | None) -> str:
    return "Host EC2 (instance i-0123456789abcdef0) terminated." if exit_code is None else _TASK_EXITED


def _record_attempt(job: Record, started_ms: int, exit_code: int | None, reason: str) -> None:
    container: Record = {"logStreamName": f"train/default/{random_suffix()}"}
    if exit_code is not None:
        container["exitCode"] = exit_code
    with store.lock:
        job["container"] = {k: v for k, v in job["container"].items() if k != "exitCode"} | container
        job["attempts"].append(
            {
                "container": container,
                "startedAt": started_ms,
                "stoppedAt": started_ms + ATTEMPT_S * 1000,
                "statusReason": reason,
            }
        )


def _is_tried_again(job: Record, exit_code: int | None, reason: str) -> bool:
    """Apply the retry strategy: the first condition that matches in all it names; without one, the job is tried again."""
    strategy = job["retryStrategy"]
    if len(job["attempts"]) >= strategy.get("attempts", 1):
        return False
    # Of a container that just exited, no reason is known.
    known = {
        "onStatusReason": reason,
        "onExitCode": "" if exit_code is None else str(exit_code),
        "onReason": "",
    }
    for condition in strategy.get("evaluateOnExit", []):
        patterns = {name: value for name, value in condition.items() if name != "action"}
        if all(known[name] and fnmatchcase(known[name], value) for name, value in patterns.items()):
            return bool(condition["action"].upper() == "RETRY")
    return True


def _wait_for_capacity(job: Record, reason: str) -> None:
    """Wait until the queue cancels the job, or somebody stops it."""
    queue = store.found(store.queues, job["jobQueue"])
    limits = [
        action["maxTimeSeconds"]
        for action in queue.get("jobStateTimeLimitActions", [])
        if action["reason"] == reason
    ]
    with store.lock:
        job["statusReason"] = reason
        # Read by the state machine's task: so long the job waits in vain.
        job["_waits_s"] = limits[0] if limits else None
    while "_reason" not in job:
        clock.pause(clock.JOB_START_S)
        if "_cancelled" in job:
            job["isCancelled"] = True
            return _end(job, "FAILED", f"Canceled by JobStateTimeLimit action due to reason: {reason}")
    return _end(job, "FAILED", job["_reason"])


def _to(job: Record, status: str) -> None:
    with store.lock:
        job["status"] = status
        if status == "RUNNING":
            job["startedAt"] = _now_ms()


def _end(job: Record, status: str, reason: str) -> None:
    with store.lock:
        job |= {"status": status, "statusReason": reason, "stoppedAt": _now_ms()}


def _now_ms() -> int:
    return int(clock.now() * 1000)
