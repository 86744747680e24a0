"""The script that loads a model, as a process of its own: without site-packages, and with warnings as errors."""

import gzip
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.credentials import Credentials

from sizewell.targets.contract import program
from tests.localcloud.processes import PATIENCE_S, until
from tests.targets.contract.processes import ISOLATED, ended, opened, told_of
from tests.targets.contract.small_s3 import (
    BUCKET,
    REGION,
    STATIC,
    Asked,
    QuietServer,
    Store,
    served,
    small_s3,
)

PROGRAM = program("load_model")
PART = 16 * 1024**2
#: More than two parts that gzip cannot make smaller.
LARGE = Random(1).randbytes(2 * PART + 12345)
#: As in a Python from before there were filters for archives: only the script's own check is left.
#: Python 3.11.3 and older are such.
WITHOUT_FILTERS = "import tarfile; tarfile.data_filter = getattr(tarfile, 'fully_trusted_filter', None)"
WITHOUT_WAITING = "import time; time.sleep = lambda seconds: None"


class Pod:
    """The init container: what it is told, and the folder that it fills."""

    def __init__(self, store: Store, endpoint: str, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.environment = {**told_of(endpoint), "MODEL_DIRECTORY": str(folder)}

    def start(self, key: str, compression: str, before: str = "") -> subprocess.Popen[str]:
        uri = {"MODEL_URI": f"s3://{BUCKET}/{key}", "MODEL_COMPRESSION": compression}
        return opened([*ISOLATED, f"{before}\nexec({PROGRAM!r})"], self.environment | uri)

    def load(self, key: str, compression: str, before: str = "") -> str:
        """Load, and return what it printed."""
        code, out, err = ended(self.start(key, compression, before))
        assert (code, err) == (0, "")
        assert ".complete" in os.listdir(self.folder)
        return out

    def refusal(self, key: str, compression: str, before: str = "") -> str:
        """Fail to load, and return the one sentence that says why."""
        code, _, err = ended(self.start(key, compression, before))
        assert code == 1, err
        assert not (self.folder / ".complete").exists()
        assert re.fullmatch(r"[^\n]+\.\n", err), err
        return err.strip()

    def files(self) -> dict[str, bytes]:
        paths = (path for path in self.folder.rglob("*") if path.is_file() and path.name != ".complete")
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture
def pod(tmp_path: Path) -> Iterator[Pod]:
    with small_s3() as (store, endpoint):
        yield Pod(store, endpoint, tmp_path / "model")


def archive(*members: tuple[str, bytes] | tarfile.TarInfo) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size, info.mode = len(member[1]), 0o600
            tar.addfile(info, io.BytesIO(member[1]))
    return file.getvalue()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


# What is loaded.


@pytest.mark.parametrize("before", ["", WITHOUT_FILTERS], ids=["filter", "own check"])
def test_an_archive_is_unpacked(pod: Pod, before: str) -> None:
    members = (("./model.bin", LARGE), ("./code/inference.py", b"pass\n"), link("./latest", "model.bin"))
    pod.store.objects["bert/model.tar.gz"] = archive(*members)

    out = pod.load("bert/model.tar.gz", "gzip", before)

    assert pod.files() == {"model.bin": LARGE, "code/inference.py": b"pass\n", "latest": LARGE}
    assert re.fullmatch(r"(\d+\.\d s: \d+\.\d\d GiB, \d+ MiB/s\n){2,4}", out)


def test_whoever_the_server_is_may_read_the_files(pod: Pod) -> None:
    pod.store.objects["a.tar.gz"] = archive(("code/inference.py", b"pass\n"))

    pod.load("a.tar.gz", "gzip")

    assert stat.S_IMODE((pod.folder / "code").stat().st_mode) == 0o755
    assert stat.S_IMODE((pod.folder / "code" / "inference.py").stat().st_mode) == 0o644


def test_the_objects_under_a_prefix_are_files_of_the_same_names(pod: Pod) -> None:
    pod.store.page_size = 2
    names = ("config.json", "shards/0001 of 2+&=ü~(1).bin", "shards/#2?.bin", "empty", "deep/er/x")
    wanted = {name: name.encode() for name in names} | {"empty": b"", "large.bin": LARGE}
    pod.store.objects = {f"llm/v1/{name}": content for name, content in wanted.items()}
    pod.store.objects |= {"llm/v1/": b"", "llm/v1/shards/": b"", "llm/v10/other": b"not ours"}

    pod.load("llm/v1/", "none")

    assert pod.files() == wanted


def test_one_object_without_compression_is_one_file(pod: Pod) -> None:
    pod.store.objects = {"llm/model.gguf": LARGE, "llm/model.gguf.txt": b"not ours"}

    pod.load("llm/model.gguf", "none")

    assert pod.files() == {"model.gguf": LARGE}


def test_botocore_asks_for_the_same_addresses(pod: Pod) -> None:
    key = "a b/ü+~(1)&=#?%2F.bin"
    pod.store.objects[key] = b"x"
    client = boto3.client(
        "s3",
        region_name=REGION,
        endpoint_url=pod.environment["AWS_ENDPOINT_URL_S3"],
        aws_access_key_id=STATIC.access_key,
        aws_secret_access_key=STATIC.secret_key,
        config=Config(s3={"addressing_style": "path"}, response_checksum_validation="when_required"),
    )
    assert client.get_object(Bucket=BUCKET, Key=key, Range="bytes=0-0")["Body"].read() == b"x"

    pod.load(key, "none")

    assert len({asked.path for asked in pod.store.asked}) == 1


def test_what_is_complete_is_not_loaded_again(pod: Pod) -> None:
    pod.store.objects = {"a.tar.gz": archive(("one", b"1")), "b.tar.gz": archive(("two", b"2"))}
    pod.load("a.tar.gz", "gzip")
    pod.store.asked.clear()

    assert pod.load("a.tar.gz", "gzip") == "The model is there already.\n"
    assert pod.store.asked == []

    pod.load("b.tar.gz", "gzip")
    assert pod.files() == {"two": b"2"}


# What is refused.


OUTSIDE: dict[str, list[tuple[str, bytes] | tarfile.TarInfo]] = {
    "absolute": [("/tmp/evil", b"!")],
    "parent": [("../evil", b"!")],
    "parent below": [("a/../../evil", b"!")],
    "link to a parent": [link("a", "..")],
    "link to an absolute path": [link("a", "/etc")],
    "link from below": [link("a/b", "../../evil")],
    "hard link to a parent": [link("a", "../evil", tarfile.LNKTYPE)],
    "through links": [link("a", "b/.."), link("b", "."), ("a/evil", b"!")],
}


@pytest.mark.parametrize("before", ["", WITHOUT_FILTERS], ids=["filter", "own check"])
@pytest.mark.parametrize("case", OUTSIDE)
def test_an_archive_stays_in_its_folder(pod: Pod, case: str, before: str) -> None:
    pod.store.objects["a.tar.gz"] = archive(("good", b"1"), *OUTSIDE[case])

    refusal = pod.refusal("a.tar.gz", "gzip", before)

    assert re.fullmatch(r"The member \S+ of the archive leads out of its folder\.", refusal)
    assert list(pod.folder.parent.rglob("evil")) == []


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_an_archive_makes_no_devices(pod: Pod, kind: bytes) -> None:
    pod.store.objects["a.tar.gz"] = archive(link("device", "", kind))

    assert pod.refusal("a.tar.gz", "gzip", WITHOUT_FILTERS) == (
        "The member device of the archive is neither a file, a folder nor a link."
    )


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil"])
def test_keys_stay_in_the_folder(pod: Pod, name: str) -> None:
    pod.store.objects[f"v1/{name}"] = b"!"

    assert pod.refusal("v1/", "none") == f"The key v1/{name} leads out of its folder."
    assert list(pod.folder.parent.rglob("evil")) == []


def test_without_permission_it_names_the_key_and_what_the_role_needs(pod: Pod) -> None:
    pod.store.trouble = lambda store, asked: (403, "AccessDenied")

    assert pod.refusal("bert/model.tar.gz", "gzip") == (
        "No permission to read s3://models/bert/model.tar.gz (AccessDenied): the role of the pod needs s3:GetObject, "
        "kms:Decrypt where a KMS key encrypts it, and s3:ListBucket for a prefix."
    )
    assert len(pod.store.asked) == 1, "permission does not come by asking again"


def test_what_is_not_there_is_said_to_be_so(pod: Pod) -> None:
    assert pod.refusal("a.tar.gz", "gzip") == (
        "s3://models/a.tar.gz was not found: the service answers 404 (NoSuchKey)."
    )
    assert pod.refusal("v1/", "none") == "There is nothing under s3://models/v1/."


def damaged() -> bytes:
    content = bytearray(archive(("a", b"hello")))
    content[-6] ^= 1  # in the checksum
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 a zip file", r"BadGzipFile\(\"Not a gzipped file \(b'PK'\)\"\)"),
        (gzip.compress(b"no archive" * 100), r"ReadError\('.+'\)"),
        (archive(("a", LARGE))[:-100_000], r"EOFError\('Compressed file ended .+'\)"),
        (damaged(), r"BadGzipFile\('CRC check failed .+'\)"),
    ],
    ids=["zip", "no tar", "cut", "checksum"],
)
def test_what_is_no_whole_archive_is_refused(pod: Pod, content: bytes, reason: str) -> None:
    pod.store.objects["a.tar.gz"] = content

    assert re.fullmatch(rf"s3://models/a.tar.gz is damaged: {reason}\.", pod.refusal("a.tar.gz", "gzip"))


@pytest.mark.parametrize(("key", "compression"), [("", "none"), ("a", "zip"), ("prefix/", "gzip")])
def test_orders_that_make_no_sense_are_refused(pod: Pod, key: str, compression: str) -> None:
    assert pod.refusal(key, compression) == (
        f"AWS_REGION, MODEL_URI (s3://models/{key}) or MODEL_COMPRESSION ({compression}) is not right."
    )
    assert pod.store.asked == []


def test_a_full_disk_is_called_so(pod: Pod) -> None:
    pod.store.objects["large.bin"] = LARGE
    pod.folder.mkdir()
    # In a namespace of its own the process may mount a volume that is too small, and nobody else sees it.
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(pod.folder)]
    if subprocess.run([*alone, *mount], capture_output=True, check=False).returncode:
        pytest.skip("nobody may mount a volume here: unshare or mount refuse")
    order = {"MODEL_URI": f"s3://{BUCKET}/large.bin", "MODEL_COMPRESSION": "none"}
    result = subprocess.run(
        [*alone, "sh", "-c", f'{" ".join(mount)} && exec "$0" -I -S -c "$1"', sys.executable, PROGRAM],
        env=pod.environment | order | {"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert result.returncode == 1
    assert result.stderr == f"The disk is full: the volume of {pod.folder} must be larger.\n"


# What goes wrong on the way.


def once(
    trouble: tuple[int, str] | str, start: str
) -> Callable[[Store, Asked], tuple[int, str] | str | None]:
    """Return what goes wrong the first time that a range with this start is asked for."""
    seen: list[Asked] = []

    def look(_: Store, asked: Asked) -> tuple[int, str] | str | None:
        if (asked.range or "").startswith(f"bytes={start}-"):
            seen.append(asked)
        return trouble if seen == [asked] else None

    return look


@pytest.mark.parametrize(
    "trouble", ["break", (503, "SlowDown"), (500, "InternalError"), (400, "RequestTimeout")], ids=str
)
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_only_the_part_that_failed_is_asked_for_again(
    pod: Pod, compression: str, trouble: tuple[int, str] | str
) -> None:
    pod.store.objects["large"] = archive(("large", LARGE)) if compression == "gzip" else LARGE
    pod.store.trouble = once(trouble, str(PART))

    pod.load("large", compression)

    assert pod.files() == {"large": LARGE}
    asked = [span for span in pod.store.ranges if span is not None]
    assert sorted(asked.count(span) for span in set(asked)) == [1, 1, 1, 2]
    assert asked.count(f"bytes={PART}-{2 * PART - 1}") == 2


def test_it_gives_up_in_the_end(pod: Pod) -> None:
    pod.store.trouble = lambda store, asked: (503, "SlowDown")

    assert pod.refusal("a", "none", WITHOUT_WAITING) == (
        "s3://models/a cannot be read: the service answers 503 (SlowDown)."
    )
    assert len(pod.store.asked) == 7


def test_where_nobody_listens_it_gives_up(pod: Pod) -> None:
    pod.environment["AWS_ENDPOINT_URL_S3"] = "http://127.0.0.1:1"

    assert pod.refusal("a", "none", WITHOUT_WAITING) == (
        "s3://models/a cannot be read: the connection broke ([Errno 111] Connection refused)."
    )


def test_an_object_that_is_replaced_meanwhile_is_not_mixed(pod: Pod) -> None:
    pod.store.objects["large"] = LARGE

    def replace(store: Store, asked: Asked) -> None:
        if asked.range == f"bytes={PART}-{2 * PART - 1}":
            store.objects["large"] = LARGE[::-1]

    pod.store.trouble = replace

    assert pod.refusal("large", "none") == (
        "s3://models/large cannot be read: the service answers 412 (PreconditionFailed)."
    )


class Gate:
    """Hold the second part until told; whoever waits for ``reached`` knows that the first is on its way."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def __call__(self, _: Store, asked: Asked) -> None:
        if asked.range == f"bytes={PART}-{2 * PART - 1}":
            self.reached.set()
            assert self.open.wait(PATIENCE_S)


def stopped_in_the_middle(pod: Pod, key: str, compression: str, number: signal.Signals) -> int:
    pod.store.trouble = gate = Gate()
    process = pod.start(key, compression)
    assert gate.reached.wait(PATIENCE_S)
    until(pod.files, bool)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    gate.open.set()
    pod.store.trouble = lambda store, asked: None
    return process.returncode


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_after_a_crash_it_starts_clean(pod: Pod, compression: str) -> None:
    first = [("left over", b"x"), ("large", LARGE)]
    pod.store.objects["v1/a"] = archive(*first) if compression == "gzip" else LARGE
    assert stopped_in_the_middle(pod, "v1/a", compression, signal.SIGKILL) == -signal.SIGKILL
    assert pod.files()
    assert not (pod.folder / ".complete").exists()
    (pod.folder / "folder").mkdir()
    (pod.folder / "folder" / "link").symlink_to("/etc")
    pod.store.objects["v1/a"] = archive(("small", b"1")) if compression == "gzip" else b"1"

    pod.load("v1/a", compression)

    assert pod.files() == {"small" if compression == "gzip" else "a": b"1"}


def test_it_ends_at_once_on_sigterm(pod: Pod) -> None:
    pod.store.objects["large"] = LARGE

    assert stopped_in_the_middle(pod, "large", "none", signal.SIGTERM) == 143


# Credentials.


class Agent(BaseHTTPRequestHandler):
    """The agent of Pod Identity: hands out new credentials each time, to those who know the token."""

    token_file: Path
    lifetimes_s: list[float]
    store: Store

    def do_GET(self) -> None:
        known = self.headers.get("authorization", "") == self.token_file.read_text("utf-8")
        number = len(self.store.credentials)
        keys = Credentials(f"ASIA{number}", f"secret {number}", f"session/{number}+==")
        expires = time.time() + (self.lifetimes_s.pop(0) if self.lifetimes_s else 3600)
        body = {
            "AccessKeyId": keys.access_key,
            "SecretAccessKey": keys.secret_key,
            "Token": keys.token,
            "Expiration": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(expires)),
        }
        if known:
            self.store.credentials.append(keys)
            self.token_file.write_text(f"token {number}", "utf-8")
        self.send_response(200 if known else 401)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def identity(pod: Pod, tmp_path: Path) -> Iterator[list[float]]:
    """Give the pod an identity; return how long its next credentials are good for."""
    token_file, lifetimes_s = tmp_path / "token", list[float]()
    token_file.write_text("the first token", "utf-8")
    names = {"token_file": token_file, "lifetimes_s": lifetimes_s, "store": pod.store}
    server = QuietServer(("127.0.0.1", 0), type("BoundAgent", (Agent,), names))
    pod.environment |= {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{server.server_port}/v1/credentials",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(token_file),
    }
    pod.store.credentials.clear()
    with served(server):
        yield lifetimes_s


@pytest.mark.usefixtures("identity")
def test_the_identity_of_the_pod_comes_before_keys(pod: Pod) -> None:
    pod.store.objects["large"] = LARGE

    pod.load("large", "none")

    assert {asked.token for asked in pod.store.asked} == {"session/0+=="}


def test_credentials_are_renewed_before_they_expire(pod: Pod, identity: list[float]) -> None:
    identity += [299]
    pod.store.objects["large"] = LARGE

    pod.load("large", "none")

    assert {asked.token for asked in pod.store.asked} == {"session/0+==", "session/1+=="}


@pytest.mark.usefixtures("identity")
def test_credentials_that_expired_all_the_same_are_renewed(pod: Pod) -> None:
    pod.store.objects["large"] = LARGE
    pod.store.trouble = once((400, "ExpiredToken"), "0")

    pod.load("large", "none")

    assert {asked.token for asked in pod.store.asked} == {"session/0+==", "session/1+=="}


@pytest.mark.usefixtures("identity")
def test_an_agent_that_refuses_is_named(pod: Pod, tmp_path: Path) -> None:
    pod.environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = str(tmp_path / "other")
    (tmp_path / "other").write_text("wrong", "utf-8")

    assert pod.refusal("a", "none") == "The credential cannot be read: the service answers 401 (no code)."


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "example.com", "127.0.0.1.example.com", "127.0.0.1@example.com"]
)
def test_no_other_host_sees_the_token(pod: Pod, host: str) -> None:
    uri = f"http://{host}/v1/credentials"
    pod.environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = uri

    assert pod.refusal("a", "none") == f"AWS_CONTAINER_CREDENTIALS_FULL_URI is not the agent of AWS: {uri}."


@pytest.mark.usefixtures("identity")
def test_the_agent_of_ecs_gives_the_role_of_a_task(pod: Pod) -> None:
    # It wants no token. Its address is no loopback: the connection is led to the agent of the test.
    Path(pod.environment.pop("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")).write_text("", "utf-8")
    agent = urlsplit(pod.environment.pop("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
    pod.environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = agent.path
    pod.store.objects["a"] = b"a"
    led = (
        "import http.client; made = http.client.HTTPConnection; "
        "http.client.HTTPConnection = lambda host, **rest: "
        f"made({agent.netloc!r} if host == '169.254.170.2' else host, **rest)"
    )

    pod.load("a", "none", before=led)

    assert {asked.token for asked in pod.store.asked} == {"session/0+=="}


def test_without_credentials_it_says_what_is_missing(pod: Pod) -> None:
    del pod.environment["AWS_ACCESS_KEY_ID"]

    assert pod.refusal("a", "none") == "No credentials: the pod or the task has no role."
