"""Write docs/guides/images.md, the images that a name stands for, from their table: ``python -m tools.image_page``."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

from sizewell.facts.container_images import Framework, Job, images_of, versions_of
from sizewell.facts.model_servers import ServerLimit, image_servers

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guides" / "images.md"
_TEXT = """# Images by name

AWS publishes container images for the usual frameworks and model servers. A workload names one of them by framework and version:

```yaml
container:
  image: {framework: pytorch, version: "2.6"}
```

This stands in place of `images`, with an account, a repository and a tag for each kind of hardware. From it follow

* the repository: the one for inference in an endpoint, the one for training in a training job;
* the tag for each kind of hardware that AWS has an image for. Other kinds are never picked; `sizewell explain` counts them under
  `image`;
* the account of AWS's registry in the region that the workload runs in, in the partitions of China and GovCloud as well;
* on NVIDIA GPUs of an endpoint, `inference_ami_version`: the oldest machine image whose CUDA is as new as that in the tag. The
  tags of Triton name none, and AWS chooses.

Each kind of hardware may have a name of its own, beside images that are written out:

```yaml
container:
  images:
    cuda: {framework: huggingface-pytorch, version: "2.6"}
    neuron: {framework: huggingface-pytorch, version: "2.8"}
    cpu_arm64: {account: "111122223333", repository: my-server, tag: "1.4"}
```

**Any other image can be written all the same**, with its account, repository and tag under `images`: an older version, a newer
one than this release knows, a copy in your own account. A tag that is written out stays as it is; a name may stand for a newer
build of the same version after an upgrade of Sizewell, and `sizewell review` shows the other image.

Of images in AWS's registries, written out or named, some faults are known before anything is deployed: an image for training in
an endpoint, or the reverse; one for Graviton under another kind of hardware, or one for x86 under `cpu_arm64`; the registry of
another region; a framework that has no registry in the region; a model that the image [cannot serve](#what-serves-in-them). Of
images in other accounts nothing is known.

## What is known

The newest image of each version, written by `make docs` from `sizewell/facts/container_images.csv`, which holds each tag with
its source. `sizewell/facts/image_registries.csv` holds the accounts by region: XGBoost, scikit-learn and TEI come from other
accounts than the rest, and in fewer regions. `sizewell plan` [warns](configuration.md#images-age) when the patches of an image
end.

| framework | version | for | hardware | AWS patches it until |
|---|---|---|---|---|
"""
_SERVERS = """
## What serves in them

The server in an image refuses what is larger than it takes, and ends what takes longer, whatever SageMaker allows. So a container
is given the variables of its server for what the configuration states, where that is more than the server takes by itself:

| of | requests | answers | time |
|---|---|---|---|
| an endpoint | `request.payload_mb` | `request.response_mb` | 60 s, as long as SageMaker waits |
| an asynchronous endpoint | the same | the same | `latency.max_wait_minutes`, at most an hour |
| a batch transform | `max_payload_mb` | the same | `invocation_timeout_s` |

What `container.environment` states wins, by any name that the server knows for it. TEI and TGI end at once where nobody says
which model to load: with an artifact, they are told `HF_MODEL_ID=/opt/ml/model`. A server is known by the name of the image's
repository, also of a copy in your own account. Of others nothing is set. `sizewell explain` says where requests are larger than
2 MB, the least that a server takes, and nobody knows what this one takes; or larger than it takes whatever it is told.

A model that an image of AWS cannot serve is a fault: SDXL in vLLM, ResNet-50 in TEI, a model of XGBoost registered with an image
for PyTorch. Where a variable makes an image serve others, the table names it, and nothing is refused where it is stated.

| repository | server | serves | requests | answers | time |
|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the text of the page."""
    return _TEXT + "".join(_rows()) + _SERVERS + "".join(_servers())


def _servers() -> Iterator[str]:
    for image in image_servers():
        server, tags = image.server, f" (tags with {image.tags.replace('|', ', ')})" if image.tags else ""
        serves = image.words + (f"; others by `{image.other_by}`" if image.other_by else "")
        limits = (
            _limit(server.request_bytes, _mib),
            _limit(server.response_bytes, _mib),
            _limit(server.timeout_s, _seconds),
        )
        yield f"| `{image.repository}`{tags} | {server.name} | {serves} | {' | '.join(limits)} |\n"


def _limit(limit: ServerLimit, shown: Callable[[float], str]) -> str:
    by_default = "not known" if limit.default is None else shown(limit.default)
    return f"{by_default}; `{limit.variables[0]}`" if limit.variables else by_default


def _mib(size: float) -> str:
    return "no limit" if math.isinf(size) else f"{size / 2**20:.3g} MiB"


def _seconds(time_s: float) -> str:
    return f"{time_s:g} s"


def _rows() -> Iterator[str]:
    for framework in Framework:
        for job in Job:
            for version in reversed(versions_of(framework, job)):
                images = images_of(framework, version, job)
                hardware = ", ".join(f"`{kind}`" for kind in images)
                ends = sorted({release.end_of_patch or "not published" for release in images.values()})
                yield f"| `{framework}` | `{version}` | {job} | {hardware} | {', '.join(ends)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
