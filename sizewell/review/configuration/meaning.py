"""What follows from a change of a key: the first row whose pattern fits, and that has something to say, says it."""

from collections.abc import Callable

from sizewell.review.configuration.capacity_meanings import (
    fewer_zones,
    fewest_instances,
    fewest_instances_of_all,
    max_instance_count,
    subnets,
)
from sizewell.review.configuration.differences import Difference, KeyPath
from sizewell.review.configuration.environment import Environment
from sizewell.review.configuration.value_meanings import (
    Facts,
    becomes,
    capped,
    items,
    lower_or_higher,
    says,
    share,
    times,
)
from sizewell.review.configuration.workload_meanings import (
    checkpoint_interval,
    image,
    image_kind,
    schedule,
    spot,
    workload,
)

Tell = Callable[[Facts], str]

_ANEW = says(changed="everything is created anew elsewhere")
_STRICTER = "stricter: may need a faster type"
_LOOSER = "looser: a slower type may do"
_ALLOWED = items(
    lost="{items} may not be picked any more",
    gained="{items} may be picked as well",
    added="only {items} may be picked",
    removed="every family may be picked",
)
_DENIED = items(lost="{items} may be picked again", gained="{items} may not be picked any more")
_MARGIN = lower_or_higher("less room to every limit", "more room to every limit: may need a larger type")

#: Patterns of key paths, where * is any one key and ** the rest; of several that fit, the first with something to say.
MEANINGS: tuple[tuple[str, Tell], ...] = (
    ("platform", says(changed="every name changes: everything is created anew")),
    ("policy.account", _ANEW),
    ("policy.region", _ANEW),
    (
        "policy.production",
        becomes(
            on="at least two instances in two zones are asked for",
            off="one instance in one zone is allowed",
        ),
    ),
    (
        "policy.budget_usd_per_month",
        share(removed="nothing limits the bill any more", added="synth fails above it"),
    ),
    ("policy.margin", _MARGIN),
    (
        "policy.allow_burstable",
        becomes(on="t2 and t3 types may be picked", off="t2 and t3 types may not be picked"),
    ),
    (
        "policy.allow_spot",
        becomes(on="training jobs may use Spot", off="training jobs may not use Spot"),
    ),
    ("policy.min_endpoint_instances", fewest_instances_of_all),
    ("policy.max_endpoint_instances", max_instance_count),
    (
        "policy.min_availability_zones",
        lower_or_higher("fewer zones are enough", "more zones are asked for"),
    ),
    ("policy.allowed_families", _ALLOWED),
    ("policy.denied_families", _DENIED),
    ("policy.removal", says(to="destroy", changed="keys, buckets and logs go with their stack")),
    ("policy.removal", says(to="retain", changed="keys, buckets and logs outlive their stack")),
    ("policy.log_retention_days", capped("logs older than {} days are deleted", "logs are kept longer")),
    (
        "policy.nag_packs",
        items(
            lost="{items} {are} no longer checked",
            gained="{items} {are} checked as well",
            removed="nothing is checked",
            added="{items} {are} checked",
        ),
    ),
    (
        "policy.review_fail_on",
        items(lost="later changes may pass with: {items}", gained="stops a change: {items}"),
    ),
    ("network.mode", says(changed="another VPC: everything moves")),
    ("network.vpc_id", says(changed="another VPC: everything moves")),
    ("network.cidr", says(changed="the VPC is replaced: everything moves")),
    ("network.availability_zones", fewer_zones),
    ("network.subnet_ids", subnets),
    (
        "network.interface_endpoints",
        items(lost="{items} can no longer be reached", gained="{items} can be reached"),
    ),
    (
        "storage.checkpoint_expiry_days",
        capped("checkpoints older than {} days are deleted", "checkpoints are kept longer"),
    ),
    (
        "storage.noncurrent_version_expiry_days",
        capped(
            "replaced artifacts are deleted after {} days",
            "replaced artifacts are kept longer",
        ),
    ),
    (
        "notifications.emails",
        items(lost="alarms no longer go to {items}", gained="alarms go to {items}"),
    ),
    ("workloads.*", workload),
    ("workloads.*.model.**", says(changed="another model", added="another model", removed="another model")),
    ("workloads.*.engine", says(changed="another engine: latency and memory change")),
    ("workloads.*.objective", says(to="least-latency", changed="the fastest type is taken, at any price")),
    (
        "workloads.*.objective",
        says(to="least-cost", changed="the cheapest type that meets the needs is taken"),
    ),
    ("workloads.*.container.artifact.key", says(changed="another model goes live")),
    ("workloads.*.container.images.*", image_kind),
    (
        "workloads.*.container.images.*.inference_ami_version",
        says(
            changed="another machine image: another driver",
            added="another machine image: another driver",
            removed="AWS chooses the machine image, and its driver",
        ),
    ),
    ("workloads.*.container.images.*.*", image),
    (
        "workloads.*.container.network_isolation",
        becomes(on="the container makes no outgoing calls", off="the container may make outgoing calls"),
    ),
    ("workloads.*.latency.max_p95_ms", lower_or_higher(_STRICTER, _LOOSER)),
    ("workloads.*.deadline_hours", lower_or_higher(_STRICTER, _LOOSER)),
    ("workloads.*.latency.max_p99_ms", lower_or_higher("the alarm is stricter", "the alarm is looser")),
    ("workloads.*.traffic.*", times),
    ("workloads.*.request.*", times),
    ("workloads.*.dataset.*", times),
    ("workloads.*.runs_per_month", times),
    ("workloads.*.margin", _MARGIN),
    (
        "workloads.*.max_usd_per_month",
        share(removed="nothing limits its cost any more", added="dearer types are turned down"),
    ),
    (
        "workloads.*.max_usd_per_run",
        share(removed="nothing limits its cost any more", added="dearer types are turned down"),
    ),
    ("workloads.*.scaling.min_instances", fewest_instances),
    ("workloads.*.scaling.max_instances", max_instance_count),
    (
        "workloads.*.scaling.headroom",
        lower_or_higher(
            "less capacity stays free while instances start", "more capacity stays free: scales out earlier"
        ),
    ),
    (
        "workloads.*.instances.instance_type",
        says(
            added="only this type is considered",
            removed="the needs choose the type",
            changed="only this type is considered",
        ),
    ),
    ("workloads.*.instances.allowed_families", _ALLOWED),
    ("workloads.*.instances.denied_families", _DENIED),
    (
        "workloads.*.capacity_reservation_arn",
        says(
            added="instances start in the reservation or not at all",
            removed="instances start in the capacity that everybody shares",
            changed="instances start in another reservation or not at all",
        ),
    ),
    ("workloads.*.spot.enabled", spot),
    (
        "workloads.*.spot.on_demand_fallback",
        becomes(
            on="runs on demand when there is no Spot capacity",
            off="fails when there is no Spot capacity",
        ),
    ),
    (
        "workloads.*.spot.max_wait_hours",
        lower_or_higher("fails earlier when Spot capacity is short", "waits longer for Spot"),
    ),
    (
        "workloads.*.checkpoint",
        says(removed="an interrupted run starts again from zero", added="an interrupted run resumes"),
    ),
    ("workloads.*.checkpoint.interval_minutes", checkpoint_interval),
    ("workloads.*.schedule", schedule),
    ("workloads.*.schedule.enabled", becomes(on="runs by itself", off="runs only by hand")),
)


def meaning_of(difference: Difference, base: Environment, head: Environment) -> str:
    """Return what follows from a difference; empty where the values say it all."""
    facts = Facts(difference, base, head)
    told = (tell(facts) for pattern, tell in _SPLIT if _fits(pattern, difference.path))
    return next(filter(None, told), "")


_SPLIT = tuple((tuple(pattern.split(".")), tell) for pattern, tell in MEANINGS)


def _fits(pattern: KeyPath, path: KeyPath) -> bool:
    if pattern[-1] == "**":
        pattern = pattern[:-1] + ("*",) * (len(path) - len(pattern) + 1)
    return len(pattern) == len(path) and all(
        part in ("*", key) for part, key in zip(pattern, path, strict=True)
    )
