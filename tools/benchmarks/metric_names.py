"""The metric that a name means, whatever the order of its words, their case and how its unit is spelt."""

import re

METRICS = (
    "latency_ms_avg", "latency_ms_p50", "latency_ms_p90", "latency_ms_p95", "latency_ms_p99", "ttft_ms", "itl_ms",
    "tokens_s_total", "tokens_s_inout", "tokens_s_per_gpu", "prefill_tokens_s", "ms_per_token_all", "requests_s",
    "throughput_seq_s", "images_s", "denoise_iters_s", "mfu", "train_time_s", "cost_per_1m_inferences_usd",
    "fits_memory", "peak_mem_mb",
)  # fmt: skip
#: Metrics of time that state a percentile.
PERCENTILES = {"latency_ms_p50": 0.5, "latency_ms_p90": 0.9, "latency_ms_p95": 0.95, "latency_ms_p99": 0.99}
#: Phrases, and the words that are meant, in the order in which they are replaced.
_PHRASES = (
    (r"time[ -]to[ -]first[ -]token", "ttft"),
    (r"inter[ -]token(?: latency)?|time[ -]per[ -]output[ -]token|\btpot\b", "itl"),
    (r"\brps\b|\bqps\b", "requests s"),
    (r"in(?:put)? ?(?:\+|and|/) ?out(?:put)?", "inout"),
    (r"e2e|end[ -]to[ -]end|response[ -]time", "latency"),
)
_WORDS = {
    "sec": "s", "second": "s", "seconds": "s", "milliseconds": "ms", "msec": "ms", "tok": "tokens", "token": "tokens",
    "toks": "tokens", "img": "images", "imgs": "images", "image": "images", "mean": "avg", "average": "avg",
    "median": "p50", "sample": "seq", "samples": "seq", "sentences": "seq", "sequences": "seq", "inferences": "seq",
    "req": "requests", "reqs": "requests", "request": "requests", "queries": "requests", "prompt": "prefill",
    "accelerator": "gpu", "device": "gpu", "chip": "gpu", "gpus": "gpu",
}  # fmt: skip
#: Words that tell no two metrics apart.
_IDLE = {"per", "throughput", "generation", "generated", "output", "decode", "total"}


def metric_of(name: str) -> str:
    """Return the metric that a name means, or the name itself where it is a stranger.

    Tokens are those of the output, of all requests, unless input is named too. A latency without a percentile is the
    average, and the first token and the time between tokens have one metric each, median or average.
    """
    text = re.sub(r"_+", " ", name.lower())
    for phrase, meant in _PHRASES:
        text = re.sub(phrase, meant, text)
    words = frozenset(_WORDS.get(word, word) for word in re.findall(r"[a-z0-9]+", text)) - _IDLE
    if words & {"ttft", "itl"}:
        words -= {"p50", "avg", "latency"}
    if words == {"latency", "ms"}:
        words |= {"avg"}
    return _BY_WORDS.get(words, name)


def _canonical_words(metric: str) -> frozenset[str]:
    return frozenset(_WORDS.get(word, word) for word in metric.split("_")) - _IDLE


_BY_WORDS = {_canonical_words(metric): metric for metric in METRICS}
