"""What a multi-model endpoint does with its models, in sentences."""

from sizewell.instance_selection.wording import counted, milliseconds
from sizewell.planning.endpoint_plan_model import MultiModelPlan
from sizewell.planning.plan import InstanceWorkload


def multi_model_lines(workload: InstanceWorkload) -> list[str]:
    """Return what memory holds, how often a model is loaded, and what callers state; nothing for other workloads."""
    models: MultiModelPlan | None = getattr(workload, "multi_model", None)
    if models is None:
        return []
    loaded = models.loaded
    return [
        f"models: {memory_words(models)}; {loaded.gib_per_model:.2g} GiB each",
        f"a request whose model is loaded first takes {milliseconds(loaded.cold_p95_ms)}, of which the load "
        f"{milliseconds(loaded.load_s * 1000)}",
        f"{counted(loaded.fewest_instances, 'instance')} at least, however few requests there are: fewer would load too often",
        "callers state TargetModel: the archive, by its path below the prefix",
    ]


def memory_words(models: MultiModelPlan) -> str:
    """Return how many models an instance holds, and how many requests wait for a load."""
    return (
        f"{models.loaded.per_instance:,} of {models.count:,} models fit in the memory of an instance, and "
        f"{models.loaded.miss_share:.1%} of the requests at peak load wait for theirs"
    )
