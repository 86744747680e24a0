"""The metrics of the tables."""

METRICS = (
    "latency_ms_avg", "latency_ms_p50", "latency_ms_p90", "latency_ms_p95", "latency_ms_p99", "ttft_ms", "itl_ms",
    "tokens_s_total", "tokens_s_inout", "tokens_s_per_gpu", "prefill_tokens_s", "ms_per_token_all", "requests_s",
    "throughput_seq_s", "images_s", "denoise_iters_s", "mfu", "train_time_s", "cost_per_1m_inferences_usd",
    "fits_memory", "peak_mem_mb",
)  # fmt: skip
#: Metrics of time that state a percentile.
PERCENTILES = {"latency_ms_p50": 0.5, "latency_ms_p90": 0.9, "latency_ms_p95": 0.95, "latency_ms_p99": 0.99}
