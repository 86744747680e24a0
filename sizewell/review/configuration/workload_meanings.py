"""What changes of a workload mean that take more than the two values to tell."""

from collections.abc import Mapping

from sizewell.review.configuration.differences import MISSING
from sizewell.review.configuration.environment import value_at, workloads
from sizewell.review.configuration.value_meanings import Facts, number
from sizewell.review.configuration.yaml_text import one_line

_GONE = "nobody manages it any more; its stack goes on until it is deleted"
_HARDWARE = {
    "cuda": "NVIDIA GPUs",
    "neuron": "Inferentia and Trainium",
    "cpu_x86_64": "x86 CPUs",
    "cpu_arm64": "Graviton",
}


def workload(facts: Facts) -> str:
    """Tell what a workload that is new, gone or of another kind means; one that is the same but for its name is told so."""
    base, head = workloads(facts.base_environment), workloads(facts.head_environment)
    ours, theirs = base.get(facts.workload), head.get(facts.workload)
    if ours is not None and theirs is not None:
        return "it is deleted, and created anew as another kind"
    if ours is None:
        gone = [name for name in sorted(base.keys() - head.keys()) if base[name] == theirs]
        return f"{gone[0]} under another name: it is created anew" if gone else ""
    return _GONE


def image(facts: Facts) -> str:
    """Tell of another tag, repository or registry."""
    workload = value_at(facts.head_environment, "workloads", facts.workload)
    trains = isinstance(workload, Mapping) and workload.get("kind") == "training-job"
    hardware = _HARDWARE.get(facts.difference.path[-2], facts.difference.path[-2])
    return f"another image {'trains' if trains else 'goes live'} on {hardware}"


def image_kind(facts: Facts) -> str:
    """Tell of an image that is there for one side only: hardware without an image is never picked."""
    hardware = _HARDWARE.get(facts.difference.path[-1], facts.difference.path[-1])
    return f"{hardware} may be picked" if facts.base is MISSING else f"{hardware} may not be picked any more"


def spot(facts: Facts) -> str:
    """Tell what Spot risks."""
    if facts.head is not True:
        return "on demand only"
    minutes = value_at(facts.head_environment, "workloads", facts.workload, "checkpoint", "interval_minutes")
    saved = "no checkpoint" if minutes is None else f"checkpoint every {one_line(minutes)} minutes"
    return f"training may be interrupted; {saved}"


def checkpoint_interval(facts: Facts) -> str:
    """Tell what an interruption loses."""
    minutes = number(facts.head)
    return f"an interruption loses up to {one_line(minutes)} minutes" if minutes is not None else ""


def schedule(facts: Facts) -> str:
    """Tell whether a job runs by itself."""
    if facts.head is MISSING:
        return "runs only by hand"
    every = value_at(facts.head_environment, "workloads", facts.workload, "schedule", "every")
    return f"runs by itself every {every}" if isinstance(every, str) else "runs by itself"
