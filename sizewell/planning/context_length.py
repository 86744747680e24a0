"""Whether a request fits the context: that of the model, and that which the container's engine is configured for."""

from collections.abc import Iterator

from sizewell.config.ml_model import PresetModel
from sizewell.config.served_model import ContainedModel, Request
from sizewell.config.training import TrainedModel
from sizewell.config.workload import Workload
from sizewell.facts.engine_variables import TOKEN_BOUNDS, Bounded
from sizewell.planning.errors import PlanFault
from sizewell.planning.preset_models import described_model, preset_faults
from sizewell.planning.serving_faults import serving_faults


def model_faults(name: str, workload: Workload) -> Iterator[PlanFault]:
    """Yield what is wrong with the models of a workload, and with requests and images of those that are right."""
    for path, contained in workload.contained().items():
        if getattr(contained, "model", None) is None:
            continue
        path_of_model = ("workloads", name, *path)
        if of_preset := tuple(preset_faults(path_of_model, contained)):
            yield from of_preset
            continue
        yield from context_faults(path_of_model, contained)
        if isinstance(contained, ContainedModel):
            yield from serving_faults(path_of_model, contained)


def context_faults(path: tuple[str, ...], workload: ContainedModel | TrainedModel) -> Iterator[PlanFault]:
    """Yield each limit that a request of a model at ``path`` is longer than; the model is a valid one."""
    if isinstance(workload, TrainedModel) or workload.request.input_tokens is None:
        return
    yield from _beyond_model(path, workload)
    if workload.request.output_tokens is None:
        return
    for variable, text in workload.container.environment.items():
        bounded = TOKEN_BOUNDS.get(variable)
        if bounded is None or not text.isdecimal():
            continue
        tokens, words = _tokens(workload.request, bounded)
        if tokens > int(text):
            yield PlanFault(
                (*path, "container", "environment", variable),
                f"the engine takes {int(text):,} tokens, but a request has {words}",
                f"raise it to {tokens}, which costs memory, or ask for less in request",
            )


def _beyond_model(path: tuple[str, ...], endpoint: ContainedModel) -> Iterator[PlanFault]:
    model = described_model(endpoint.model)
    limit = getattr(model, "max_context_tokens", None)
    if limit is None:
        return
    # An encoder-decoder has positions of its own on either side.
    apart = model.architecture == "encoder-decoder"
    for bounded in (Bounded.INPUT, Bounded.OUTPUT) if apart else (Bounded.TOTAL,):
        tokens, words = _tokens(endpoint.request, bounded)
        if tokens > limit:
            whose = (
                f"the model {endpoint.model.preset}"
                if isinstance(endpoint.model, PresetModel)
                else "the model"
            )
            key = "output_tokens" if bounded is Bounded.OUTPUT else "input_tokens"
            yield PlanFault(
                (*path, "request", key),
                f"{whose} has a context of {limit:,} tokens, but a request has {words}",
                "state what the container truncates it to, or take a model of a longer context; "
                "model.max_context_tokens states another limit",
            )


def _tokens(request: Request, bounded: Bounded) -> tuple[int, str]:
    came, written = request.input_tokens or 0, request.output_tokens or 0
    if bounded is Bounded.OUTPUT:
        return written, f"output_tokens {written:,}"
    if bounded is Bounded.INPUT or not written:
        return came, f"input_tokens {came:,}"
    return came + written, f"{came + written:,} (input_tokens {came:,} + output_tokens {written:,})"
