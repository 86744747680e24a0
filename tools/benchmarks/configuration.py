"""A configuration with as many real-time endpoints as wanted, the same on every run."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ENVIRONMENT = "bench"
MIN_ENDPOINT_COUNT = 1

_IMAGES = {
    "cuda": {
        "account": "763104351884",
        "repository": "huggingface-pytorch-inference",
        "tag": "2.6.0-transformers4.49.0-gpu-py312-cu124-ubuntu22.04",
    },
    "cpu_x86_64": {
        "account": "763104351884",
        "repository": "huggingface-pytorch-inference",
        "tag": "2.6.0-transformers4.49.0-cpu-py312-ubuntu22.04",
    },
}
# Encoders: BERT-base and BERT-large (Devlin et al. 2018, table 1) in two number formats, and MiniLM-L6 (its model card).
_MODELS = (
    {"parameters_millions": 110, "layers": 12, "hidden_size": 768, "precision": "fp16"},
    {"parameters_millions": 340, "layers": 24, "hidden_size": 1024, "precision": "fp16"},
    {"parameters_millions": 110, "layers": 12, "hidden_size": 768, "precision": "fp32"},
    {"parameters_millions": 22.7, "layers": 6, "hidden_size": 384, "precision": "fp32"},
)


def write_configuration(directory: Path, endpoint_count: int) -> None:
    """Write ``base.yaml`` with the endpoints and ``bench.yaml`` with the policy; raises ValueError below one."""
    if endpoint_count < MIN_ENDPOINT_COUNT:
        raise ValueError(f"endpoint_count must be at least {MIN_ENDPOINT_COUNT}, got {endpoint_count}")
    base = {
        "platform": "bench",
        "network": {
            "mode": "existing",
            "vpc_id": "vpc-0123456789abcdef0",
            "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
        },
        "policy": {"account": "111122223333", "region": "us-east-1"},
        "workloads": {f"endpoint-{number:03}": _endpoint(number) for number in range(endpoint_count)},
    }
    environment = {
        "policy": {
            "max_endpoint_instances": 100,
            "log_retention_days": 90,
            "nag_packs": ["aws-solutions"],
        }
    }
    yaml = YAML()
    yaml.dump(base, directory / "base.yaml")
    yaml.dump(environment, directory / f"{ENVIRONMENT}.yaml")


def _endpoint(number: int) -> dict[str, Any]:
    """Vary model, traffic and objective so that not every endpoint gets the same instance type."""
    peak = 5 + 7 * (number % 11)
    return {
        "kind": "real-time-endpoint",
        "description": f"Classifier number {number}",
        "model": {"architecture": "encoder", **_MODELS[number % len(_MODELS)]},
        "container": {
            "images": _IMAGES,
            "artifact": {"key": f"models/endpoint-{number:03}/model.tar.gz"},
            "environment": {"HF_TASK": "text-classification"},
        },
        "request": {"input_tokens": 128},
        "traffic": {"peak_requests_per_second": peak, "average_requests_per_second": peak / 5},
        "latency": {"max_p95_ms": 100 + 50 * (number % 5)},
        "scaling": {"min_instances": 1, "max_instances": 40},
    }
