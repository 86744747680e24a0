"""Load a model from S3 into a folder before its server starts: what SageMaker does for a container, on EKS and ECS.

It runs in a container that ends before that of the model starts. It reads MODEL_URI, MODEL_DIRECTORY, MODEL_COMPRESSION (gzip,
none) and AWS_REGION. Parts of objects come four at once, each tried again by itself; eight are in memory (128 MiB). The folder
is a volume, which nobody can rename: ``.complete`` comes last, and without that file a new run first removes what is there.
"""

from __future__ import annotations

import gzip
import os
import signal
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sizewell.targets.contract.aws_client import (
    ProgramError,
    Stream,
    contents,
    download,
    empty,
    inside,
    objects,
    reason,
    reported,
)


def _unpack(parts: Iterator[bytes], folder: Path) -> None:
    plain: Any = gzip.GzipFile(fileobj=Stream(parts), mode="rb")  # type: ignore[call-overload]
    with tarfile.open(fileobj=plain, mode="r|", bufsize=1024**2) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        for member in archive:
            what = f"The member {member.name} of the archive"
            inside(folder, member.name, what)
            if member.issym() or member.islnk():
                beside = os.path.dirname(member.name) if member.issym() else ""
                inside(folder, os.path.join(beside, member.linkname), what)
            elif not (member.isfile() or member.isdir()):
                raise ProgramError(f"{what} is neither a file, a folder nor a link.")
            member.mode = member.mode & 0o755 | (0o755 if member.isdir() else 0o644)  # for any user
            member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
            archive.extract(member, folder)
    while plain.read(1024**2):  # to the checksum at the end
        pass


def load(uri: str, compression: str, folder: Path) -> None:
    """Load a model into a folder, unless it is there already."""
    bucket, _, key = uri[5:].partition("/")
    legal = bucket and key and compression in (("none",) if key.endswith("/") else ("none", "gzip"))
    if not (legal and uri.startswith("s3://") and os.environ.get("AWS_REGION")):
        raise ProgramError(
            f"AWS_REGION, MODEL_URI ({uri}) or MODEL_COMPRESSION ({compression}) is not right."
        )
    marker = folder / ".complete"
    if marker.exists() and marker.read_text() == uri:
        print("The model is there already.", flush=True)
        return
    empty(folder)
    if compression == "gzip":
        _unpack((part for _, part in reported(contents(bucket, objects(bucket, key)))), folder)
    elif not download(bucket, objects(bucket, key), folder, lambda name: name[key.rfind("/") + 1 :]):
        raise ProgramError(f"There is nothing under {uri}.")
    marker.write_text(uri)


if __name__ == "__main__":
    # The first process of a container hears SIGTERM only by a handler; threads that still load must not hold it.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    os.umask(0o022)
    model, directory = os.environ.get("MODEL_URI", ""), os.environ.get("MODEL_DIRECTORY", "/opt/ml/model")
    try:
        load(model, os.environ.get("MODEL_COMPRESSION", ""), Path(directory))
    except Exception as failure:
        print(reason(failure, directory, f"{model} is damaged"), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)
