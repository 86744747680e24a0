"""Which server runs in an image of AWS, what it takes by default and the variables that change it, and which models it serves.

AWS: "you can increase the model server timeout and payload sizes from the default values to the framework-supported maximums by
setting environment variables" (https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference-create-endpoint-create-model.html).

``image_servers.csv`` is by repository, and where its images differ by a pattern of their ``tags``: the first row that fits
counts. ``serves`` names families of models: an architecture of the configuration
(``image-encoder`` is an encoder that is asked in images), or of a model of tables the library that it was trained with. The
variable in ``other_by`` says that the image serves what is not named there: by a handler in the artifact, or by another
engine. In ``model_servers.csv``, the first of several variables is the one to set, and each of them, where somebody states it,
says the same.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

IMAGE_TABLE, SERVER_TABLE = (Path(__file__).with_name(f"{name}_servers.csv") for name in ("image", "model"))
#: Neural networks, and models of tables by the library that they were trained with.
NETWORKS = frozenset(
    [
        "decoder",
        "encoder",
        "encoder-decoder",
        "image-encoder",
        "cnn",
        "diffusion",
        "rnn",
        "time-series",
        "recommender",
    ]
)
TABLES = frozenset(["xgboost", "sklearn", "lightgbm", "catboost"])
_GROUPS = {"anything": NETWORKS | TABLES, "networks": NETWORKS, "tables": TABLES}
_WORDS = {"networks": "neural networks", "tables": "models of tables"}
#: Where SageMaker puts the artifact of a model
#: (https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html).
MODEL_DIRECTORY = "/opt/ml/model"


@dataclass(frozen=True)
class ServerLimit:
    """What a server takes by default, and the variables that change it; none where it is fixed."""

    variables: tuple[str, ...]
    default: float | None
    """Infinite where there is no limit; None where no page states it."""


#: What is taken of an unknown server.
UNKNOWN = ServerLimit((), None)


@dataclass(frozen=True, kw_only=True)
class ModelServer:
    """What runs the model in a container; ``read`` is when the source was read."""

    name: str
    model_variable: str | None
    """What must say where the model is: the server exits at its start without it. It may be a directory."""
    request_bytes: ServerLimit
    response_bytes: ServerLimit
    timeout_s: ServerLimit
    root_file: str | None
    """What it writes at its start, and only root may write in images of AWS; None where no page names one."""
    source: str
    read: str


@dataclass(frozen=True, kw_only=True)
class ImageServer:
    """The server in the images of a repository of AWS, and the families of models that they serve."""

    repository: str
    tags: str
    """A pattern of the tags that it is true of; empty for all."""
    server: ModelServer
    serves: frozenset[str]
    words: str
    """The same, for people."""
    other_by: str | None
    source: str
    read: str


@cache
def image_servers() -> tuple[ImageServer, ...]:
    """Return every row of the table."""
    servers = {row["server"]: _server(row) for row in _rows(SERVER_TABLE)}
    return tuple(
        ImageServer(
            repository=row["repository"],
            tags=row["tags"],
            server=servers[row["server"]],
            serves=frozenset().union(*(_GROUPS.get(code, {code}) for code in row["serves"].split())),
            words=", ".join(_WORDS.get(code, code) for code in row["serves"].split()),
            other_by=row["other_by"] or None,
            source=row["source"],
            read=row["read"],
        )
        for row in _rows(IMAGE_TABLE)
    )


def image_server(repository: str, tag: str = "") -> ImageServer | None:
    """Return what is known of an image of AWS that serves models; without its tag, of all images of the repository."""
    of_repository = (image for image in image_servers() if image.repository == repository)
    return next((image for image in of_repository if re.search(image.tags, tag)), None)


def _server(row: dict[str, str]) -> ModelServer:
    return ModelServer(
        name=row["server"],
        model_variable=row["model_variable"] or None,
        request_bytes=_limit(row["request_variables"], row["request_bytes"]),
        response_bytes=_limit(row["response_variables"], row["response_bytes"]),
        timeout_s=_limit(row["timeout_variables"], row["timeout_s"]),
        root_file=row["root_file"] or None,
        source=row["source"],
        read=row["read"],
    )


def _limit(variables: str, default: str) -> ServerLimit:
    known = {"unknown": None, "unlimited": float("inf")}
    return ServerLimit(tuple(variables.split()), known[default] if default in known else float(default))


def _rows(table: Path) -> Iterator[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


@cache
def least_request_bytes() -> float:
    """Return the least that any server of the table takes by default."""
    limits = (image.server.request_bytes.default for image in image_servers())
    return min(limit for limit in limits if limit is not None)
