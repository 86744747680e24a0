"""Small tables in the form of published measurements."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

#: One row that everything is known of.
ENCODER = {
    "id": "R1",
    "task": "inference",
    "model": "bert-large",
    "architecture": "transformer-encoder",
    "params": "340000000",
    "precision": "fp16",
    "accelerator": "T4",
    "accelerator_count": "1",
    "batch_size": "8",
    "input_len": "128",
    "framework": "TensorRT 7.2",
    "metric": "latency_ms_avg",
    "value": "35",
    "source_id": "A",
}
DECODER = {
    **ENCODER,
    "id": "R2",
    "model": "Llama-2-7b",
    "architecture": "decoder",
    "params": "6738000000",
    "accelerator": "A10G",
    "batch_size": "1",
    "output_len": "128",
    "framework": "vLLM",
    "metric": "itl_ms",
    "value": "30",
    "source_id": "B",
}


def write_table(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    columns = list(dict.fromkeys(column for row in rows for column in row)) or ["id"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path
