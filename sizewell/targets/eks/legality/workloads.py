"""Deployments, Jobs, CronJobs and JobSets, each in itself."""

from collections.abc import Iterator
from zoneinfo import available_timezones

from sizewell.facts.cron import unix_cron_fault
from sizewell.targets.eks.legality.fault import Field, ManifestFault, listed
from sizewell.targets.eks.legality.manifest_set import ManifestSet, Rule, selects


def deployment_selectors(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """The selector of a Deployment is not empty and selects the labels of its own template."""
    # https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#selector
    for root in manifests.fields("Deployment"):
        selector, labels = root.at("spec.selector"), root.at("spec.template.metadata.labels")
        if not selector["matchLabels"].keys and not selector["matchExpressions"].elements:
            yield selector.fault(
                "an empty selector is invalid for a Deployment: write labels of its template."
            )
        elif not selects(selector, labels.strings):
            yield labels.fault(f"selector does not match template labels {labels.strings}: write the same.")


def rolling_updates(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A rolling update may add or remove a pod, belongs to RollingUpdate, and has time to become available."""
    # https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
    for root in manifests.fields("Deployment"):
        update, spec = root.at("spec.strategy.rollingUpdate"), root["spec"]
        if all(update[key].value in (0, "0%") for key in ("maxSurge", "maxUnavailable")):
            yield update.fault("maxUnavailable may not be 0 when maxSurge is 0: write 1 in one of them.")
        ready, deadline = spec["minReadySeconds"].number or 0, spec["progressDeadlineSeconds"].number
        deadline = 600 if deadline is None else deadline
        if ready >= deadline:
            field = spec["progressDeadlineSeconds"]
            yield field.fault(f"{deadline} must be greater than minReadySeconds: write more than {ready}.")


def pod_failure_policies(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A pod failure policy names containers of the Job and exit codes of failure, and fails an index where there are some."""
    # https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
    for spec in manifests.fields("JobSpec"):
        paths = ("template.spec.initContainers[].name", "template.spec.containers[].name")
        known = [name.text for path in paths for name in spec.each(path)]
        for rule in spec.each("podFailurePolicy.rules[]"):
            codes = rule["onExitCodes"]
            if rule["action"].value == "FailIndex" and spec["backoffLimitPerIndex"].value is None:
                yield rule["action"].fault("FailIndex requires backoffLimitPerIndex: write it, or FailJob.")
            if codes["operator"].value == "In" and 0 in [value.number for value in codes.each("values[]")]:
                yield codes["values"].fault(
                    "0 is the exit code of success, not allowed with In: leave it out."
                )
            for name in codes.each("containerName"):
                if name.value not in known:
                    yield name.fault(f"{name.value!r} is not a container of the Job: write {listed(known)}.")


def exit_codes(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """The exit codes of a pod failure policy rise, each once, and are codes of a process."""
    # https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/ (onExitCodes.values)
    for spec in manifests.fields("JobSpec"):
        for values in spec.each("podFailurePolicy.rules[].onExitCodes.values"):
            codes = [value.number for value in values.elements]
            known = [code for code in codes if code is not None]
            if len(known) != len(codes) or known != sorted(set(known)):
                yield values.fault("the exit codes are no numbers that rise, each once: write them so.")
            if any(not 0 <= code <= 255 for code in known):
                yield values.fault("an exit code is from 0 to 255: write those that a process can have.")


def pod_conditions(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """A condition that a pod failure policy names has a type and a status."""
    # https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/ (onPodConditions)
    for spec in manifests.fields("JobSpec"):
        for condition in spec.each("podFailurePolicy.rules[].onPodConditions[]"):
            status = condition["status"]
            if not condition["type"].text:
                yield condition["type"].fault("a condition has a type: write one such as DisruptionTarget.")
            if status.value is not None and status.value not in ("True", "False", "Unknown"):
                yield status.fault(
                    f"{status.value!r} is no status of a condition: write 'True', in quotation marks."
                )


def schedules(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """The schedule of a CronJob has five fields of Unix, and its time zone is one of the IANA database."""
    # https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones
    for spec in (root["spec"] for root in manifests.fields("CronJob")):
        if reason := unix_cron_fault(spec["schedule"].text):
            yield spec["schedule"].fault(f"{spec['schedule'].value!r} is no schedule: {reason}.")
        for zone in spec.each("timeZone"):
            if zone.text not in available_timezones():
                yield zone.fault(
                    f"{zone.value!r} is no time zone: write one such as Etc/UTC or Europe/Berlin."
                )


def pod_host_names(manifests: ManifestSet) -> Iterator[ManifestFault]:
    """The names that controllers make of a name, a number and an index have at most 63 characters."""
    # https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode: the host name is $(job-name)-$(index).
    longest: list[tuple[Field, str]] = []
    # The controller adds a dash and ten digits to the name of a CronJob.
    for kind, path, added in (("Job", "spec", ""), ("CronJob", "spec.jobTemplate.spec", "-0123456789")):
        for manifest in manifests.of_kind(kind):
            spec = manifest.root.at(path)
            if spec["completionMode"].value == "Indexed":
                last = (spec["completions"].number or 1) - 1
                longest.append((manifest.root.at("metadata.name"), f"{manifest.name}{added}-{last}"))
    for job_set in manifests.of_kind("JobSet"):
        for part in job_set.root.each("spec.replicatedJobs[]"):
            last = (part.at("template.spec.completions").number or 1) - 1
            name = f"{job_set.name}-{part['name'].text}-{(part['replicas'].number or 1) - 1}-{last}-abcde"
            longest.append((part["name"], name))
    for field, name in longest:
        if len(name) > 63:
            yield field.fault(f"host names such as {name} have at most 63 characters: shorten the name.")


RULES: tuple[Rule, ...] = (
    deployment_selectors,
    rolling_updates,
    pod_failure_policies,
    exit_codes,
    pod_conditions,
    schedules,
    pod_host_names,
)
