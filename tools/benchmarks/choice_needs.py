"""From the question of a row to the requirements of the selection, with the defaults of what it does not state."""

from dataclasses import replace

from sizewell.instance_selection import (
    Architecture,
    EndpointRequirements,
    Engine,
    HardwareKind,
    InstanceLimits,
    ModelSpec,
    TrainingRequirements,
)
from tools.benchmarks.choice_table import Question

#: Mean tokens of a prompt and of an answer in conversations (ShareGPT; Kwon et al. 2023, PagedAttention, figure 11).
DEFAULT_INPUT_TOKENS, DEFAULT_OUTPUT_TOKENS = 161, 338
#: Requests in progress where a row states none.
DEFAULT_BATCH = 8
#: The share of the stated length that a sequence in progress has reached: half is prompt, and half of the rest written.
OCCUPANCY = 0.75
#: Default bounds of the 95th percentile: for an answer that is written, 13 tokens/s, more than twice as fast as people
#: read (238 words a minute, Brysbaert 2019), after two seconds for the first one; else the 0.1 s and 10 s within which an
#: answer feels immediate or keeps attention (Nielsen 1993, chapter 5).
MS_PER_TOKEN, FIRST_TOKEN_MS, IMMEDIATE_MS, ATTENTION_MS = 75.0, 2000.0, 100.0, 10_000.0
UNBOUNDED_MS = 1e9
#: Tokens of a pre-training, and of an epoch of a usual fine-tuning (SQuAD 1.1: 88,000 x 384); images of eight epochs of
#: ImageNet. Only the order of types matters, but start-up is paid for, which a short job feels.
PRE_TRAINING_TOKENS, TUNING_TOKENS, TRAINING_IMAGES = 1e9, 3.4e7, 1e7
TRAINING_SEQUENCE, TRAINING_BATCH, TRAINING_HOURS = 512, 4, 1e6
MAX_TRAINING_INSTANCES = 8
#: Adapters of rank 16 on all matrices have about half a percent of the weights (Hu et al. 2021).
LORA_SHARE, LORA_FROM = 0.005, 1e9
EVERY_IMAGE = frozenset(HardwareKind)


def endpoint_needs(question: Question, images: frozenset[HardwareKind]) -> EndpointRequirements:
    """Return the stated rate, or the batch in progress, within the stated latency or the default one.

    Where a row states a length but no latency, its batch is a question of memory (`capacity_needs`), and one request
    alone must be quick.
    """
    model = question.model
    generates = model.architecture.generates
    stated, rate = question.max_p95_latency_ms, question.requests_per_second
    quick = stated is not None and stated < IMMEDIATE_MS
    # A latency below a second of a model that writes is that of its first token.
    bound = _default_ms(model) if stated is None or (generates and stated < FIRST_TOKEN_MS / 2) else stated
    pixels = bool(model.forward_flops_per_image) and not generates
    sized = question.context_tokens is not None and stated is None
    users = (question.concurrent_requests or DEFAULT_BATCH) if generates and not sized else 1
    return EndpointRequirements(
        model=model,
        engine=Engine.LLM_ENGINE if generates else Engine.OPTIMIZED_RUNTIME if quick else Engine.EAGER,
        limits=InstanceLimits(images=images, allow_burstable=True),
        max_p95_latency_ms=bound,
        input_tokens=0 if pixels else _input_tokens(question, generates),
        output_tokens=DEFAULT_OUTPUT_TOKENS if generates else 0,
        images_per_request=1 if pixels else 0,
        peak_requests_per_second=rate,
        peak_concurrent_users=None if rate else float(users),
        headroom=0.0,
        max_instances=10 if rate else 1,
    )


def capacity_needs(needs: EndpointRequirements, batch: int) -> EndpointRequirements:
    """Return the same with ``batch`` requests in progress on one instance, however long they take."""
    return replace(
        needs,
        max_p95_latency_ms=UNBOUNDED_MS,
        peak_requests_per_second=None,
        peak_concurrent_users=float(batch),
        max_instances=1,
    )


def training_needs(question: Question, images: frozenset[HardwareKind]) -> TrainingRequirements:
    """Return a job of usual size.

    A model is fine-tuned, a large one with adapters, unless the row speaks of pre-training.
    """
    model = question.model
    pre_training = "pre-training" in question.circumstances
    tuned = not pre_training and model.parameters >= LORA_FROM
    tokens = PRE_TRAINING_TOKENS if pre_training else TUNING_TOKENS
    pixels = bool(model.forward_flops_per_image)
    return TrainingRequirements(
        model=model,
        limits=InstanceLimits(images=images),
        method="lora" if tuned else "full",
        optimizer="adamw",
        units=TRAINING_IMAGES if pixels else tokens,
        sequence_length=0 if pixels else question.context_tokens or TRAINING_SEQUENCE,
        batch_size_per_accelerator=TRAINING_BATCH,
        deadline_hours=TRAINING_HOURS,
        lora_parameters=LORA_SHARE * model.parameters if tuned else 0.0,
        max_instances=MAX_TRAINING_INSTANCES,
    )


def _default_ms(model: ModelSpec) -> float:
    if model.architecture.generates:
        return FIRST_TOKEN_MS + DEFAULT_OUTPUT_TOKENS * MS_PER_TOKEN
    return ATTENTION_MS if model.architecture is Architecture.DIFFUSION else IMMEDIATE_MS


def _input_tokens(question: Question, generates: bool) -> int:
    length = question.context_tokens
    if length is None:
        return DEFAULT_INPUT_TOKENS
    # The answer takes its usual part of the length.
    return max(1, int(OCCUPANCY * length) - DEFAULT_OUTPUT_TOKENS) if generates else length
