"""Jobs of all kinds, and how they come to an end: by themselves, or as a script says."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import arn, in_background
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.events import put_event
from sizewell_localcloud.emulator.sagemaker import history, scripts, store, training_runs
from sizewell_localcloud.emulator.sagemaker.listing import listing

CAPACITY_REASON = (
    "CapacityError: Unable to provision requested ML compute capacity. "
    "Please retry using a different ML instance type."
)
QUOTA_REASON = (
    "The account-level service limit for the number of instances is 0 Instances, with current utilization of "
    "0 Instances and a request delta of 1 Instances. Please use Service Quotas to request an increase."
)
FAILED_REASON = "AlgorithmError: ExecuteUserScriptError: ExitCode 1"
#: What every training job takes once it trains, in seconds, and the share of it that is billed on Spot.
TRAINING_TIME_S = 600
SPOT_BILLED_SHARE = 0.3
TERMINAL = {"Completed", "Failed", "Stopped"}


@dataclass(frozen=True)
class JobKind:
    """What the API calls a kind of job, and what it refuses."""

    kind: str
    noun: str
    """In ARNs: training-job."""
    prefix: str
    """Of member names: TrainingJob in TrainingJobName, TrainingJobArn, TrainingJobStatus."""
    event: str
    """The detail type of its events."""
    check: Callable[[dict[str, Any]], None]
    has_secondary_status: bool = False
    sort_by: str = "CreationTime"
    """Of lists, unless asked otherwise."""
    sort_order: str = "Descending"

    @property
    def name_member(self) -> str:
        """The member that holds the name."""
        return f"{self.prefix}Name"

    @property
    def status_member(self) -> str:
        """The member that holds the status."""
        return f"{self.prefix}Status"

    @property
    def verb(self) -> str:
        """What the members of its times begin with: Training of TrainingStartTime."""
        return self.prefix.removesuffix("Job")

    def create(self, request: dict[str, Any]) -> dict[str, Any]:
        """Start a job."""
        name = request[self.name_member]
        job_arn = arn("sagemaker", f"{self.noun}/{name.lower()}")
        with store.lock:
            if (self.kind, name) in store.jobs:
                raise AwsError(
                    "ResourceInUse",
                    f"A {self.noun} with the name {name} already exists ({job_arn}): names are never free again",
                )
            self.check(request)
            script = scripts.take(self.kind, name)
            if script is not None and script.outcome == "quota":
                raise AwsError("ResourceLimitExceeded", script.reason or QUOTA_REASON)
            job = {
                **{key: value for key, value in request.items() if key != "Tags"},
                f"{self.prefix}Arn": job_arn,
                self.status_member: "InProgress",
                "CreationTime": clock.now(),
                "LastModifiedTime": clock.now(),
            }
            store.jobs[(self.kind, name)] = job
            store.tags[job_arn] = store.tag_map(request.get("Tags"))
        self._to(job, "InProgress", "Starting")
        in_background(lambda: self._run(job, script), f"run {name}")
        return {f"{self.prefix}Arn": job_arn}

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        """Describe a job."""
        with store.lock:
            return copy.deepcopy(self.found(request[self.name_member]))

    def listed(self, request: dict[str, Any]) -> dict[str, Any]:
        """List the jobs of the kind."""
        return listing(
            request,
            [job for (kind, _), job in store.jobs.items() if kind == self.kind],
            prefix=self.prefix,
            answer=f"{self.prefix}Summaries",
            sort_by=self.sort_by,
            sort_order=self.sort_order,
        )

    def stop(self, request: dict[str, Any]) -> None:
        """Stop a job, if it still runs."""
        with store.lock:
            job = self.found(request[self.name_member])
            if job[self.status_member] in TERMINAL:
                raise ValidationError(
                    f"The request was rejected because the {self.noun} is in status {job[self.status_member]}."
                )
            job["_stop"] = True
            news = self._mark(job, "Stopping", "Stopping")
        self._announce(news)

    def found(self, name: str) -> dict[str, Any]:
        """Return a job. Raises ValidationError."""
        job: dict[str, Any] | None = store.jobs.get((self.kind, name))
        if job is None:
            raise ValidationError("Requested resource not found.")
        return job

    def _run(self, job: dict[str, Any], script: scripts.Script | None) -> None:
        outcome = script.outcome if script else "completed"
        reason = script.reason if script else ""
        clock.pause(clock.JOB_START_S)
        if outcome == "capacity":
            return self._end(job, "Failed", "Failed", reason or CAPACITY_REASON)
        if outcome == "max_wait":
            return self._end(job, "Stopped", "MaxWaitTimeExceeded")
        with store.lock:
            job[f"{self.verb}StartTime"] = clock.now()
        for secondary in ("Downloading", "Training"):
            self._to(job, "InProgress", secondary)
            clock.pause(clock.JOB_START_S)
        if outcome == "interrupted" and not job.get("_stop"):
            self._interrupt(job)
        if script is not None and outcome == "run":
            try:
                self._train(job, script.interruptions)
            except Exception as error:  # whatever it is: a job comes to an end
                outcome, reason = "failed", str(error)
        # Read by the state machine's task, whose time runs out at once when its job never ends.
        with store.lock:
            job["_hangs"] = outcome == "hang"
        while outcome == "hang" and not job.get("_stop"):
            clock.pause(clock.JOB_START_S)
        if job.get("_stop") or outcome == "stopped":
            return self._end(job, "Stopped", "Stopped")
        if outcome == "max_runtime":
            return self._end(job, "Stopped", "MaxRuntimeExceeded")
        if outcome == "failed":
            return self._end(job, "Failed", "Failed", reason or FAILED_REASON)
        self._to(job, "InProgress", "Uploading")
        return self._end(job, "Completed", "Completed")

    def _interrupt(self, job: dict[str, Any]) -> None:
        self._to(job, "InProgress", "Interrupted")
        clock.pause(clock.JOB_START_S)
        for secondary in ("Starting", "Downloading", "Training"):
            self._to(job, "InProgress", secondary)
            clock.pause(clock.JOB_START_S)

    def _train(self, job: dict[str, Any], interruptions: int) -> None:
        """Run a job, and again after each interruption, until it ends or is stopped."""

        def stopped() -> bool:
            return "_stop" in job

        while not training_runs.run(job, interrupt=interruptions > 0, stopped=stopped) and not stopped():
            interruptions -= 1
            self._interrupt(job)

    def _end(self, job: dict[str, Any], status: str, secondary: str, reason: str | None = None) -> None:
        with store.lock:
            if reason is not None:
                job["FailureReason"] = reason
            if f"{self.verb}StartTime" in job:
                job[f"{self.verb}EndTime"] = clock.now()
                if self.kind == "training":
                    job |= _billed(job) | job
            news = self._mark(job, status, secondary)
        self._announce(news)

    def _to(self, job: dict[str, Any], status: str, secondary: str) -> None:
        self._announce(self._mark(job, status, secondary))

    def _mark(self, job: dict[str, Any], status: str, secondary: str) -> dict[str, Any] | None:
        """Move a job to a status; return the event to send once the lock is free."""
        with store.lock:
            if job.get("_stop") and status == "InProgress":
                return None
            job[self.status_member] = status
            job["LastModifiedTime"] = clock.now()
            history.record(f"{self.noun}/{job[self.name_member]}", status)
            if self.has_secondary_status:
                job["SecondaryStatus"] = secondary
                steps = job.setdefault("SecondaryStatusTransitions", [])
                if steps:
                    steps[-1]["EndTime"] = clock.now()
                steps.append({"Status": secondary, "StartTime": clock.now()})
            return copy.deepcopy({key: value for key, value in job.items() if not key.startswith("_")})

    def _announce(self, detail: dict[str, Any] | None) -> None:
        """Send the event to EventBridge; never under the lock, because a rule's target may call us."""
        if detail is not None:
            put_event(self.event, detail[f"{self.prefix}Arn"], detail)


def _billed(job: dict[str, Any]) -> dict[str, Any]:
    """Return what the description of a training job says once it has trained."""
    share = SPOT_BILLED_SHARE if job.get("EnableManagedSpotTraining") else 1
    folder = job["OutputDataConfig"]["S3OutputPath"].rstrip("/")
    return {
        "TrainingTimeInSeconds": TRAINING_TIME_S,
        "BillableTimeInSeconds": round(TRAINING_TIME_S * share),
        "ModelArtifacts": {"S3ModelArtifacts": f"{folder}/{job['TrainingJobName']}/output/model.tar.gz"},
    }
