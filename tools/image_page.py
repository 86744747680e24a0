"""Write docs/guides/images.md, the images that a name stands for, from their table: ``python -m tools.image_page``."""

from collections.abc import Iterator
from pathlib import Path

from sizewell.facts.container_images import Framework, Job, images_of, versions_of

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
another region; a framework that has no registry in the region. Of images in other accounts nothing is known.

## What is known

The newest image of each version, written by `make docs` from `sizewell/facts/container_images.csv`, which holds each tag with
its source. `sizewell/facts/image_registries.csv` holds the accounts by region: XGBoost, scikit-learn and TEI come from other
accounts than the rest, and in fewer regions. `sizewell plan` [warns](configuration.md#images-age) when the patches of an image
end.

| framework | version | for | hardware | AWS patches it until |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the text of the page."""
    return _TEXT + "".join(_rows())


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
