"""Train a model as SageMaker does around ``docker run IMAGE train``, on an instance of EKS or ECS, or on one of several.

It is the first process of a container of the user's image, and starts its program ``train``. It exits with the code of the
script, with 143 where SIGTERM came first, and with 1 and one sentence where it failed itself. Tests ran it; no Spot
interruption, kubelet or agent of ECS did.

Of several hosts, the first one writes the checkpoints and the output, alone; all read the checkpoints.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import stat
import sys
import tarfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from itertools import chain, count
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from sizewell.targets.contract.aws_client import (
    ProgramError,
    Upload,
    download,
    empty,
    inside,
    objects,
    reason,
    require,
    s3,
    split,
)

#: Spot gives two minutes, and the upload needs some of them:
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
GRACE_S = 90
#: Ours: how often the checkpoints are looked at, after how long what never rests is copied as it is, and how long the last
#: uploads are tried, after which the results of a week are lost.
LOOK_S, RESTLESS_S, INSIST_S = 5, 600, 900
THREADS, METADATA_TIMEOUT_S = 8, 1
VARIABLES = "AWS_REGION CHANNELS CHECKPOINT_URI HARDWARE HYPERPARAMETERS INSTANCE_TYPE OUTPUT_URI RUN_NAME"
#: The process of the script, and whether SIGTERM came while it ran.
_script = {"pid": 0, "told": False}


def _state(path: Path) -> Any:
    """Return what changes when a file is written, or where a link leads; None for anything else."""
    state = path.lstat()
    if stat.S_ISLNK(state.st_mode):
        return os.readlink(path)
    return (state.st_size, state.st_mtime_ns, state.st_ino) if stat.S_ISREG(state.st_mode) else None


class Checkpoints:
    """The folder of checkpoints, and its copy in S3, which is never a mix of two states of the folder.

    ``.complete`` names the keys of all files and comes last; what it does not name is deleted then. A file that changed gets
    another key, so that the older copy stays whole until the newer one is. The folder is copied when it has not changed from one
    look to the next, and again when a file changed on the way; one that never rests is copied all the same after ten minutes.
    SageMaker copies file by file, and deletes what the script deletes:
    https://docs.aws.amazon.com/sagemaker/latest/dg/model-checkpoints.html
    """

    MARK = ".complete"

    def __init__(self, uri: str, folder: Path) -> None:
        self.uri, self.folder, (self.bucket, self.prefix) = uri, folder, split(uri)
        self.keys = set[str]()  # in S3, after the prefix
        self.complete: dict[str, str] = {}  # key of each file of the copy
        self.sent: dict[str, tuple[Any, str]] = {}  # what each file was when it was sent, and its key
        self.copied: dict[str, Any] = {}
        self.seen: dict[str, Any] = {}
        self.since = 0.0  # the folder has not been as it was copied

    def restore(self) -> None:
        """Fill the folder with the copy."""
        found = {one[0][len(self.prefix) :]: one for one in objects(self.bucket, self.prefix)}
        mark, self.keys = (
            {"files": {key: key for key in found if key[-1:] not in ("/", "")}, "links": {}},
            set(found),
        )
        if self.MARK in found:
            mark = json.loads(s3("GET", self.bucket, self.prefix + self.MARK, {})[0])
        names = {key: name for name, key in mark["files"].items()}
        if lost := sorted(names.keys() - found.keys()):
            raise ProgramError(f"The checkpoint {self.uri} is not whole: {lost[0]} is gone.")
        wanted = (found[key] for key in names)
        number = download(
            self.bucket, wanted, self.folder, lambda key: names[key[len(self.prefix) :]], THREADS
        )
        for name, target in mark["links"].items():
            path = inside(self.folder, os.path.dirname(name), f"The link {name}") / os.path.basename(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        print(
            f"{number} files come from {self.uri}." if number else f"No checkpoint in {self.uri}.", flush=True
        )
        look, self.complete = self._look(), mark["files"]
        self.sent = {name: (look[name], key) for name, key in self.complete.items()}
        self.copied = look if self.MARK in found else {}

    def _look(self) -> dict[str, Any]:
        """Return, of each file, what changes when it is written; of each link, where it leads."""
        found: dict[str, Any] = {}
        for base, folders, files in os.walk(self.folder):
            for path in (Path(base, name) for name in sorted(folders + files)):
                with suppress(FileNotFoundError):
                    if (state := _state(path)) is not None:
                        found[path.relative_to(self.folder).as_posix()] = state
        return found

    def copy(self, at_rest: bool) -> None:
        """Copy the folder to S3, where it has changed and rests."""
        look, now = self._look(), time.monotonic()
        if look == self.copied:
            self.since = 0.0
            return
        self.since = self.since or now
        at_rest = at_rest or now - self.since > RESTLESS_S
        rested, self.seen = look == self.seen, look
        if not (at_rest or rested):
            return
        whole = {name for name, state in look.items() if isinstance(state, str) or self._is_sent(name, state)}
        if len(whole) < len(look) and not at_rest:
            return
        files = {name: self.sent[name][1] for name in whole if not isinstance(look[name], str)}
        files |= {name: self.complete[name] for name in look.keys() - whole if name in self.complete}
        links = {name: state for name, state in look.items() if isinstance(state, str)}
        mark = json.dumps({"files": files, "links": links}, sort_keys=True)
        s3("PUT", self.bucket, self.prefix + self.MARK, {}, mark.encode())
        self.complete, self.copied, self.since = files, look, 0.0
        self.sent = {name: sent for name, sent in self.sent.items() if name in files}
        print(f"{len(files)} files are in {self.uri}.", flush=True)
        for key in sorted(self.keys - {self.MARK, *files.values()}):
            s3("DELETE", self.bucket, self.prefix + key, {})
            self.keys.discard(key)

    def _is_sent(self, name: str, state: Any) -> bool:
        """Return whether S3 has a file as it was seen."""
        if name in self.sent and self.sent[name][0] == state:
            return True
        self.sent.pop(name, None)
        used = {self.MARK, *self.complete.values(), *(key for _, key in self.sent.values())}
        key = next(key for key in chain([name], (f"{name}@{n}" for n in count(1))) if key not in used)
        self.keys.add(key)
        with suppress(FileNotFoundError):
            with (self.folder / name).open("rb") as file, Upload(self.bucket, self.prefix + key) as upload:
                while part := file.read(1024**2):
                    upload.write(part)
            if _state(self.folder / name) == state:
                self.sent[name] = state, key
        return name in self.sent


def _hear(*_: object) -> None:
    """Hand SIGTERM on, once, and end what does not end by itself in time."""
    if not _script["pid"]:
        os._exit(143)
    if not _script["told"]:
        _script["told"] = True
        signal.alarm(GRACE_S)
        _tell(_script["pid"])


def _tell(leader: int) -> None:
    """Send SIGTERM to those who handle it, as the kernel knows, and where nobody does to all.

    The SageMaker training toolkit would end at once, and with it the pipe that its script prints to: the script could not save
    (process.py and trainer.py of https://github.com/aws/sagemaker-training-toolkit, release 5.1.4).
    """
    children: dict[int, list[int]] = {}
    handlers, asked, left = set(), [], [leader]
    for path in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            fields = dict(line.split(":", 1) for line in path.read_text().splitlines())
            children.setdefault(int(fields["PPid"]), []).append(int(fields["Pid"]))
            if int(fields["SigCgt"], 16) >> signal.SIGTERM - 1 & 1:
                handlers.add(int(fields["Pid"]))
    while left:
        if (pid := left.pop()) in handlers:
            asked.append(pid)
        else:
            left += children.get(pid, [])
    for pid in asked or [-leader]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def _kill(*_: object) -> None:
    with suppress(ProcessLookupError):
        os.killpg(_script["pid"], signal.SIGKILL)


def _ended(pid: int) -> int | None:
    """Return the exit code of the script, or minus its signal; as the first process, reap whoever ended."""
    while (ended := os.waitpid(-1, os.WNOHANG))[0]:
        if ended[0] == pid:
            return os.waitstatus_to_exitcode(ended[1])
    return None


def _train(checkpoints: Checkpoints | None) -> int:
    """Start ``train`` and copy its checkpoints until it ends; return how."""
    # A child that ends wakes sigtimedwait, which needs the signal blocked; the script must not inherit that.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    try:
        _script["pid"] = pid = os.posix_spawnp(
            "train",
            ["train"],
            os.environ,
            setpgroup=0,
            setsigmask=(),
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
        )
    except OSError as error:
        raise ProgramError(
            f"The image has no program train that can start ({error.strerror}): install sagemaker-training in it."
        ) from error
    if os.environ.get("SPOT_NOTICES"):
        Thread(target=_watch_spot, daemon=True).start()
    while (code := _ended(pid)) is None:
        try:
            if checkpoints:
                checkpoints.copy(at_rest=False)
        except (ProgramError, OSError) as failure:
            print(
                f"{reason(failure, '', 'A copy failed')} The next look tries again.",
                file=sys.stderr,
                flush=True,
            )
        signal.sigtimedwait({signal.SIGCHLD}, LOOK_S)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is left to do is the same
    signal.alarm(0)
    _kill()
    return code


def _watch_spot() -> None:
    """Say SIGTERM where EC2 takes the Spot Instance back in two minutes, and nobody else would: of AWS Batch, no agent does."""
    while not _is_taken_back():
        time.sleep(LOOK_S)
    print("EC2 takes the Spot Instance back.", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


def _is_taken_back() -> bool:
    """Return what the metadata of the instance say.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
    """
    with suppress(OSError, HTTPException):
        token = _metadata("PUT", "api/token", {"X-aws-ec2-metadata-token-ttl-seconds": "60"})[1].decode()
        found = _metadata("GET", "meta-data/spot/instance-action", {"X-aws-ec2-metadata-token": token})
        return found[0] == 200
    return False


def _metadata(method: str, path: str, headers: dict[str, str]) -> tuple[int, bytes]:
    url = urlsplit(os.environ.get("AWS_EC2_METADATA_SERVICE_ENDPOINT") or "http://169.254.169.254")
    with closing(HTTPConnection(url.netloc, timeout=METADATA_TIMEOUT_S)) as connection:
        connection.request(method, f"/latest/{path}", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


def _insist(upload: Callable[[], None]) -> None:
    end = time.monotonic() + INSIST_S
    while True:
        try:
            return upload()
        except ProgramError as failure:
            if time.monotonic() > end:
                raise
            print(f"{failure} It is tried again.", file=sys.stderr, flush=True)
            time.sleep(LOOK_S)


def _check_writable(uri: str) -> None:
    """Find out now, and not after a week, that nothing may be written to a prefix."""
    bucket, prefix = split(uri)
    upload = Upload(bucket, f"{prefix}.try")
    upload.begin()
    upload.abort()


def _archive(folder: Path, uri: str, name: str) -> None:
    """Pack a folder into an archive on its way to S3: the disk may have no room for it."""
    bucket, prefix = split(uri)
    with (
        Upload(bucket, prefix + name) as upload,
        # Weights hardly get smaller: a higher level takes hours for nothing.
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=upload, mtime=0) as packed,  # type: ignore[call-overload]
        tarfile.open(fileobj=packed, mode="w|", bufsize=1024**2) as archive,
    ):
        for path in sorted(folder.iterdir()):
            archive.add(path, path.name)


def _hosts() -> tuple[list[str], str]:
    """Return the hosts of the run, and which of them this is. Kubernetes sets the index of a pod.

    The toolkit looks each host up, for a quarter of an hour (entry_point.py): the only one has a name that is known everywhere.
    """
    hosts = os.environ.get("RUN_HOSTS", "localhost").split()
    return hosts, hosts[int(os.environ["JOB_COMPLETION_INDEX"]) if len(hosts) > 1 else 0]


def _lay_out(root: Path, hosts: list[str], host: str) -> None:
    """Make the folders and files that a training image expects.

    https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-training-algo-running-container.html
    """
    for name in ("input/config", "input/data", "model", "output"):
        empty(root / name)
    (root / "output/data").mkdir()
    channels, hyperparameters = (json.loads(os.environ[name]) for name in ("CHANNELS", "HYPERPARAMETERS"))
    group, instance_type = "homogeneousCluster", os.environ["INSTANCE_TYPE"]
    for name, content in {
        "hyperparameters": hyperparameters,
        "inputdataconfig": {name: {"TrainingInputMode": "File"} for name in channels},
        "resourceconfig": {
            "current_host": host,
            "current_instance_type": instance_type,
            "current_group_name": group,
            "hosts": hosts,
            "instance_groups": [
                {"instance_group_name": group, "instance_type": instance_type, "hosts": hosts}
            ],
            "network_interface_name": _network_interface(),
        },
    }.items():
        (root / f"input/config/{name}.json").write_text(json.dumps(content))
    for name, uri in channels.items():
        _fetch(uri, inside(root / "input/data", name, f"The channel {name}"))


def _network_interface() -> str:
    """Return where the default route leads: NCCL must find it."""
    with suppress(OSError):
        for name, destination, *_ in map(str.split, Path("/proc/net/route").read_text().splitlines()):
            if destination == "00000000":
                return name
    return "eth0"


def _fetch(uri: str, folder: Path) -> None:
    bucket, prefix = split(uri)
    if not download(bucket, objects(bucket, prefix), folder, lambda key: key[len(prefix) :], THREADS):
        raise ProgramError(f"There is nothing under {uri}, the channel {folder.name}.")


def _main(root: Path) -> int:
    require(VARIABLES)
    run, checkpoint_uri = os.environ["RUN_NAME"], os.environ["CHECKPOINT_URI"]
    output, failed = f"{os.environ['OUTPUT_URI']}{run}/output/", root / "output/failure"
    os.environ.setdefault("TRAINING_JOB_NAME", run)
    checkpoints, folder = None, Path(os.environ.get("SIZEWELL_CHECKPOINT_DIR") or root / "checkpoints")
    hosts, host = _hosts()
    is_first = host == hosts[0]
    _lay_out(root, hosts, host)
    empty(folder)
    if checkpoint_uri:
        checkpoints = Checkpoints(f"{checkpoint_uri}{run}/{os.environ['HARDWARE']}/", folder)
        checkpoints.restore()
    if is_first:
        for uri in [checkpoints.uri, output] if checkpoints else [output]:
            _check_writable(uri)
    else:
        checkpoints = None
    code = _train(checkpoints)
    complete, uploads, failures = code == 0 and not _script["told"] and is_first, [], []
    if complete:
        uploads.append(lambda: _archive(root / "model", output, "model.tar.gz"))
        if any((root / "output/data").iterdir()):
            uploads.append(lambda: _archive(root / "output/data", output, "output.tar.gz"))
    if checkpoints:
        # Of a script that was killed, the last file may be half written.
        uploads.append(lambda: checkpoints.copy(at_rest=code >= 0))
    for upload in uploads:
        try:
            _insist(upload)
        except (ProgramError, OSError) as failure:
            failures.append(reason(failure, folder, "The last copy failed"))
    if failures:
        print(*failures, file=sys.stderr, flush=True)
    if complete and failures:
        return 1
    if code and failed.exists():
        print(failed.read_text(errors="replace"), file=sys.stderr, flush=True)
    return 143 if _script["told"] else code if code >= 0 else 128 - code


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _hear)
    signal.signal(signal.SIGALRM, _kill)
    # The name by which the toolkit knows another place.
    ml = Path(os.environ.get("SAGEMAKER_BASE_DIR", "/opt/ml"))
    try:
        ended = _main(ml)
    except Exception as failure:
        ended, sentence = 1, reason(failure, ml, "The training failed outside the script")
        print(sentence, file=sys.stderr, flush=True)
    os._exit(ended)
