"""The program that trains, as a process of its own around a real script, with an S3 on loopback."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from sizewell.targets.contract import program
from tests.examples.training_script import SCRIPT, Job, csv_rows
from tests.localcloud.processes import PATIENCE_S, until
from tests.targets.contract.processes import ISOLATED, ended, opened, told_of, with_limits
from tests.targets.contract.small_s3 import (
    BUCKET,
    Asked,
    QuietServer,
    SignedHandler,
    Store,
    Trouble,
    served,
    small_s3,
)

PROGRAM = program("train_model")
PART = 16 * 1024**2
#: More than two parts that gzip cannot make smaller.
LARGE = Random(1).randbytes(2 * PART + 12345)
COPY = "checkpoints/run-1/cuda/"
OUTPUT = "output/run-1/output/"
#: What scripts begin with: the folders, a way to write, and to wait for a sign of the test.
PRELUDE = """
import json, os, signal, subprocess, sys, time
from pathlib import Path
ml = Path(os.environ["SAGEMAKER_BASE_DIR"])
checkpoints, signs = ml / "checkpoints", ml.parent / "signs"
def write(name, text):
    path = checkpoints / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
def wait(sign):
    while not (signs / sign).exists():
        time.sleep(0.01)
"""


class Machine:
    """The container: what it is told, and the folder that stands for /opt/ml."""

    def __init__(self, store: Store, endpoint: str, folder: Path) -> None:
        self.store, self.folder, self.ml = store, folder, folder / "ml"
        self.environment = {
            **told_of(endpoint),
            "RUN_NAME": "run-1",
            "CHANNELS": json.dumps({name: f"s3://{BUCKET}/data/{name}/" for name in ("code", "training")}),
            "HYPERPARAMETERS": json.dumps({"epochs": "3"}),
            "INSTANCE_TYPE": "g5.xlarge",
            "HARDWARE": "cuda",
            "CHECKPOINT_URI": f"s3://{BUCKET}/checkpoints/",
            "OUTPUT_URI": f"s3://{BUCKET}/output/",
            "SAGEMAKER_BASE_DIR": str(self.ml),
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        }
        store.objects |= {"data/code/train.py": SCRIPT.read_bytes(), "data/training/rows.csv": b"1,1\n"}
        (folder / "signs").mkdir()
        self.processes: list[subprocess.Popen[str]] = []

    def start(
        self,
        script: str,
        look_s: float = 0.05,
        restless_s: float = 600,
        insist_s: float = 60,
        grace_s: float = 90,
    ) -> subprocess.Popen[str]:
        train = self.folder / "bin" / "train"
        train.parent.mkdir(exist_ok=True)
        train.write_text(f"#!{sys.executable}\n{PRELUDE}\n{script}")
        train.chmod(0o755)
        limits = {
            "LOOK_S, RESTLESS_S, INSIST_S = 5, 600, 900": f"LOOK_S, RESTLESS_S, INSIST_S = {look_s}, {restless_s}, {insist_s}",
            "GRACE_S = 90": f"GRACE_S = {grace_s}",
        }
        return self.open([*ISOLATED, with_limits(PROGRAM, limits)])

    def open(self, command: list[str]) -> subprocess.Popen[str]:
        process = opened(command, self.environment)
        self.processes.append(process)
        return process

    def end(self) -> None:
        self.sign("never")  # which scripts wait for
        for process in self.processes:
            process.kill()
            process.communicate()

    def run(self, script: str, **limits: float) -> tuple[int, str, str]:
        return ended(self.start(script, **limits))

    def sign(self, name: str) -> None:
        (self.folder / "signs" / name).touch()

    def copied(self) -> dict[str, str]:
        """Return what would be restored: the content of each file of the copy in S3."""
        found = self.store.under(COPY)
        files = json.loads(found.get(".complete", b'{"files": {}}'))["files"]
        return {name: found[key].decode() for name, key in files.items()}

    def when_copied(self, **wanted: str) -> None:
        until(self.copied, lambda found: found == wanted)

    def archive(self, name: str) -> tarfile.TarFile:
        return tarfile.open(fileobj=io.BytesIO(self.store.objects[OUTPUT + name]))


def started_by_toolkit(machine: Machine, script: str, **hyperparameters: str) -> str:
    """Return a script that is the program of SageMaker's training toolkit, which starts a script of the channel code."""
    if find_spec("sagemaker_training") is None:
        pytest.skip("sagemaker-training is not installed: make training-toolkit")
    machine.store.objects["data/code/train.py"] = script.encode()
    own = {"sagemaker_program": "train.py", "sagemaker_submit_directory": str(machine.ml / "input/data/code")}
    machine.environment["HYPERPARAMETERS"] = json.dumps(own | hyperparameters)
    return "from sagemaker_training.cli.train import main\nmain()"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with small_s3() as (store, endpoint):
        made = Machine(store, endpoint, tmp_path)
        yield made
        made.end()


def when(
    method: str, key: str, answer: Trouble = None, do: Callable[[], object] = lambda: None
) -> Callable[[Store, Asked], Trouble]:
    """Return trouble for the first request for a key: what is done then, and what is answered."""
    seen: list[Asked] = []

    def look(_: Store, asked: Asked) -> Trouble:
        if asked.method == method and asked.path.partition("?")[0].endswith(f"/{key}") and not seen:
            seen.append(asked)
            do()
            return answer
        return None

    return look


# What a script finds.


def test_a_script_finds_what_sagemaker_lays_out(machine: Machine) -> None:
    machine.store.objects |= {
        "data/training/": b"",
        "data/training/deep/": b"",
        "data/training/deep/more": b"2",
    }
    code, out, _ = machine.run(
        """
for path in sorted(ml.rglob("*")):
    print(path.relative_to(ml), path.read_text() if path.suffix in (".json", ".csv") else "", flush=True)
print(os.environ["TRAINING_JOB_NAME"], os.environ["RUN_NAME"])
"""
    )

    assert code == 0
    lines = out.splitlines()
    assert [
        line.strip() for line in lines if line.startswith(("input/data", "model", "output", "checkpoints"))
    ] == [
        "checkpoints",
        "input/data",
        "input/data/code",
        "input/data/code/train.py",
        "input/data/training",
        "input/data/training/deep",
        "input/data/training/deep/more",
        "input/data/training/rows.csv 1,1",
        "model",
        "output",
        "output/data",
    ]
    assert "run-1 run-1" in lines
    files = {words[0]: json.loads(words[2]) for line in lines if (words := line.partition(".json "))[2]}
    assert files["input/config/hyperparameters"] == {"epochs": "3"}
    assert files["input/config/inputdataconfig"].keys() == {"code", "training"}
    resources = files["input/config/resourceconfig"]
    assert resources["hosts"] == [resources["current_host"]] == ["localhost"]
    assert resources["current_instance_type"] == "g5.xlarge"


@pytest.mark.parametrize(("index", "host"), [(0, "localhost"), (1, "127.0.0.1")])
def test_the_toolkit_finds_all_hosts_and_knows_the_first(machine: Machine, index: int, host: str) -> None:
    machine.environment |= {"RUN_HOSTS": "localhost 127.0.0.1", "JOB_COMPLETION_INDEX": str(index)}
    script = """
import json, os
training = json.loads(os.environ["SM_TRAINING_ENV"])
print("found", os.environ["SM_CURRENT_HOST"], os.environ["SM_HOSTS"], training["is_master"])
"""
    code, out, _ = machine.run(started_by_toolkit(machine, script))
    assert code == 0
    assert f'found {host} ["localhost","127.0.0.1"] {index == 0}' in out.splitlines()


def test_what_an_earlier_container_left_is_removed(machine: Machine) -> None:
    for name in ("input/data/training/old", "model/old", "output/failure", "checkpoints/old"):
        (machine.ml / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.ml / name).write_text("old")

    code, out, _ = machine.run("print([path for path in ml.rglob('*') if path.name in ('old', 'failure')])")

    assert (code, "[]\n" in out) == (0, True)
    assert machine.copied() == {}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"RUN_NAME": None}, "Variables are missing: RUN_NAME."),
        (
            {"CHANNELS": json.dumps({"training": f"s3://{BUCKET}/data/none/"})},
            f"There is nothing under s3://{BUCKET}/data/none/, the channel training.",
        ),
        (
            {"CHANNELS": json.dumps({"training": "/local/data"})},
            "/local/data is no prefix of S3: write s3://BUCKET/PREFIX/.",
        ),
        (
            {"CHANNELS": json.dumps({"../up": f"s3://{BUCKET}/data/code/"})},
            "The channel ../up leads out of its folder.",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused(
    machine: Machine, change: dict[str, str | None], sentence: str
) -> None:
    given = machine.environment | change
    machine.environment = {name: value for name, value in given.items() if value is not None}

    code, _, err = machine.run("print('started')")

    assert (code, err) == (1, f"{sentence}\n")


def test_data_stays_in_its_folder(machine: Machine) -> None:
    machine.store.objects["data/training/../../../../evil"] = b"!"

    code, _, err = machine.run("print('started')")

    assert (code, err) == (1, "The key data/training/../../../../evil leads out of its folder.\n")
    assert not (machine.folder / "evil").exists()


def test_an_image_without_the_toolkit_is_told_what_it_lacks(machine: Machine) -> None:
    machine.environment["PATH"] = "/nowhere"

    code, _, err = machine.run("")

    assert (code, err) == (
        1,
        "The image has no program train that can start (No such file or directory): install sagemaker-training in it.\n",
    )


@pytest.mark.parametrize("prefix", [COPY, OUTPUT])
def test_a_role_that_may_not_write_is_known_before_the_week(machine: Machine, prefix: str) -> None:
    machine.store.trouble = when("POST", f"{prefix}.try", (403, "AccessDenied"))

    code, out, err = machine.run("print('started')")

    assert (code, err) == (
        1,
        f"No permission to write s3://{BUCKET}/{prefix}.try (AccessDenied): the role of the pod needs s3:PutObject, "
        "s3:AbortMultipartUpload, s3:DeleteObject, and kms:GenerateDataKey and kms:Decrypt with a KMS key.\n",
    )
    assert "started" not in out


# How it ends.


def test_the_results_are_archives_as_sagemaker_makes_them(machine: Machine) -> None:
    machine.store.objects["data/training/large"] = LARGE
    code, _, err = machine.run(
        """
(ml / "model/code").mkdir()
(ml / "model/code/inference.py").write_text("pass")
os.link(ml / "input/data/training/large", ml / "model/weights.bin")
(ml / "model/latest").symlink_to("weights.bin")
(ml / "output/data/report.txt").write_text("good")
"""
    )

    assert (code, err) == (0, "")
    with machine.archive("model.tar.gz") as model:
        assert model.getnames() == ["code", "code/inference.py", "latest", "weights.bin"]
        assert model.getmember("latest").linkname == "weights.bin"
        weights = model.extractfile("weights.bin")
        assert weights is not None
        assert weights.read() == LARGE
    with machine.archive("output.tar.gz") as output:
        assert output.getnames() == ["report.txt"]
    assert machine.store.uploads == {}


def test_the_failure_of_a_script_is_its_own(machine: Machine) -> None:
    code, out, err = machine.run(
        """
write("checkpoint-1", "1")
print("to stdout")
print("to stderr", file=sys.stderr)
(ml / "output/failure").write_text("ValueError: no rows")
sys.exit(7)
"""
    )

    assert code == 7
    assert "to stdout\n" in out
    assert err == "to stderr\nValueError: no rows\n"
    assert machine.copied() == {"checkpoint-1": "1"}
    assert machine.store.under(OUTPUT) == {}


def test_a_script_that_is_killed_counts_as_in_a_shell(machine: Machine) -> None:
    assert machine.run("os.kill(os.getpid(), signal.SIGKILL)")[0] == 137


def test_sigterm_before_the_start_ends_it_at_once(machine: Machine) -> None:
    reached, opened = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        opened.wait(PATIENCE_S)

    machine.store.trouble = when("GET", "rows.csv", do=hold)
    process = machine.start("print('started')")
    assert reached.wait(PATIENCE_S)

    process.send_signal(signal.SIGTERM)

    code, out, _ = ended(process)
    opened.set()
    assert code == 143
    assert "started" not in out


SAVES = """
def save(*_):
    print("saving", flush=True)
    write("checkpoint-2", "2")
    print("saved", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
write("checkpoint-1", "1")
wait("never")
"""


def test_a_script_may_save_when_it_is_interrupted(machine: Machine) -> None:
    process = machine.start(SAVES)
    machine.when_copied(**{"checkpoint-1": "1"})

    process.send_signal(signal.SIGTERM)

    code, _, err = ended(process)
    assert (code, err) == (143, "")
    assert machine.copied() == {"checkpoint-1": "1", "checkpoint-2": "2"}
    assert machine.store.under(OUTPUT) == {}, "a script that ended with 0 after SIGTERM has no model yet"


class Metadata(SignedHandler):
    """The metadata of a Spot Instance, which EC2 takes back once it is told so."""

    is_taken_back: ClassVar[threading.Event]

    def serve(self) -> None:
        asked = self.headers["x-aws-ec2-metadata-token"], self.path
        if self.command == "PUT":
            self.answer(200, b"token-1")
        elif self.is_taken_back.is_set() and asked == ("token-1", "/latest/meta-data/spot/instance-action"):
            self.answer(200, b'{"action": "terminate"}')
        else:
            self.answer(404, b"")


def test_a_script_hears_that_ec2_takes_its_spot_instance_back(machine: Machine) -> None:
    is_taken_back = threading.Event()
    handler = type("BoundMetadata", (Metadata,), {"is_taken_back": is_taken_back})
    server = QuietServer(("127.0.0.1", 0), handler)
    machine.environment |= {
        "SPOT_NOTICES": "true",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
    }
    with served(server):
        process = machine.start(SAVES)
        machine.when_copied(**{"checkpoint-1": "1"})
        is_taken_back.set()
        code, out, err = ended(process)
    assert (code, err) == (143, "")
    assert "EC2 takes the Spot Instance back." in out
    assert machine.copied() == {"checkpoint-1": "1", "checkpoint-2": "2"}


def test_what_starts_the_script_lives_as_long_as_its_pipe_is_needed(machine: Machine) -> None:
    # As the toolkit does: it reads what the script prints, and would end at once.
    inner = machine.folder / "inner.py"
    inner.write_text(PRELUDE + SAVES)
    process = machine.start(
        f"""
script = subprocess.Popen(["/bin/sh", "-c", "{sys.executable} {inner}; exit $?"], stdout=subprocess.PIPE, text=True)
for line in script.stdout:
    print("piped:", line, end="", flush=True)
sys.exit(script.wait())
"""
    )
    machine.when_copied(**{"checkpoint-1": "1"})

    process.send_signal(signal.SIGTERM)

    code, out, err = ended(process)
    assert (code, err) == (143, "")
    assert "piped: saving\npiped: saved\n" in out
    assert machine.copied() == {"checkpoint-1": "1", "checkpoint-2": "2"}


def test_a_script_that_does_not_end_is_killed(machine: Machine) -> None:
    process = machine.start(
        "signal.signal(signal.SIGTERM, lambda *_: write('heard', ''))\nwrite('1', '1')\nwait('never')",
        grace_s=1,
    )
    machine.when_copied(**{"1": "1"})

    process.send_signal(signal.SIGTERM)

    assert ended(process)[0] == 143
    assert machine.copied() == {"1": "1", "heard": ""}


def test_as_the_first_process_of_a_container_it_reaps_and_hears(machine: Machine) -> None:
    alone = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nobody may be a first process here: unshare refuses")
    machine.start("").kill()
    (machine.folder / "bin" / "train").write_text(
        f"""#!{sys.executable}
{PRELUDE}
orphan = subprocess.run(["sh", "-c", "sleep 0 & echo $!"], capture_output=True, text=True).stdout.strip()
while Path("/proc", orphan).exists():
    time.sleep(0.01)
write("reaped", "by " + str(os.getppid()))
wait("never")
"""
    )
    text = PROGRAM.replace("LOOK_S, RESTLESS_S, INSIST_S = 5", "LOOK_S, RESTLESS_S, INSIST_S = 0.05")
    process = machine.open([*alone, sys.executable, "-I", "-S", "-c", text])
    machine.when_copied(reaped="by 1")
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()

    os.kill(int(child), signal.SIGTERM)

    assert ended(process)[0] == 143


def test_the_toolkit_lives_as_long_as_its_script(machine: Machine) -> None:
    process = machine.start(started_by_toolkit(machine, PRELUDE + SAVES))
    machine.when_copied(**{"checkpoint-1": "1"})

    process.send_signal(signal.SIGTERM)

    code, out, _ = ended(process)
    assert code == 143
    assert "saving\nsaved\n" in out
    assert machine.copied() == {"checkpoint-1": "1", "checkpoint-2": "2"}


# Checkpoints.


@pytest.mark.parametrize("by", ["itself", "toolkit"])
def test_the_reference_script_ends_with_the_model_of_a_calm_run(machine: Machine, by: str) -> None:
    rows, epochs = csv_rows(5000, 16), 40
    machine.store.objects["data/training/rows.csv"] = rows.encode()
    machine.environment["SIZEWELL_CHECKPOINT_INTERVAL_MINUTES"] = str(0.1 / 60)
    machine.environment["HYPERPARAMETERS"] = json.dumps({"epochs": str(epochs)})
    script = "os.execv(sys.executable, [sys.executable, str(ml / 'input/data/code/train.py')])"
    if by == "toolkit":
        script = started_by_toolkit(machine, SCRIPT.read_text("utf-8"), epochs=str(epochs))
    process = machine.start(script)
    until(machine.copied, bool)

    process.send_signal(signal.SIGTERM)

    code, out, _ = ended(process)
    assert code == 143
    assert "resuming" not in out
    newest = max(machine.copied())
    code, out, _ = machine.run(script)
    assert code == 0
    assert f"resuming from {newest}\n" in out
    calm = Job.laid_out(machine.folder / "calm", rows, epochs=epochs)
    assert calm.run().returncode == 0
    with machine.archive("model.tar.gz") as archive:
        model = archive.extractfile("model.json")
        assert model is not None
        assert model.read() == calm.model()


def test_s3_follows_the_folder_while_the_script_runs(machine: Machine) -> None:
    process = machine.start(
        """
write("step-1/model", "1"); write("latest", "step-1")
wait("first")
write("step-2/model", "2"); write("latest", "step-2")
(checkpoints / "step-1/model").unlink()
(checkpoints / "best").symlink_to("step-2")
wait("second")
"""
    )
    machine.when_copied(**{"step-1/model": "1", "latest": "step-1"})
    machine.sign("first")
    machine.when_copied(**{"step-2/model": "2", "latest": "step-2"})
    machine.sign("second")
    assert ended(process)[0] == 0
    # Nothing else is left there, and the first key of a file is its name.
    assert machine.store.under(COPY).keys() == {".complete", "step-2/model", "latest@1"}

    code, out, _ = machine.run(
        "print((checkpoints / 'best/model').read_text(), (checkpoints / 'latest').read_text(), os.listdir(checkpoints))"
    )

    assert (code, "2 step-2 ['" in out) == (0, True)
    assert "step-1" not in out
    assert machine.store.under(COPY).keys() == {".complete", "step-2/model", "latest@1"}


def test_what_was_copied_by_hand_is_restored_too(machine: Machine) -> None:
    machine.store.objects |= {COPY: b"", f"{COPY}a": b"1", f"{COPY}b/c": b"2"}

    code, out, _ = machine.run("print((checkpoints / 'a').read_text(), (checkpoints / 'b/c').read_text())")

    assert (code, "1 2\n" in out) == (0, True)
    assert machine.copied() == {"a": "1", "b/c": "2"}


def test_a_copy_is_never_a_mix_of_two_states(machine: Machine) -> None:
    reached, opened = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        opened.wait(PATIENCE_S)

    process = machine.start(
        "write('model', '1'); write('optimizer', '1')\nwait('go')\nwrite('model', '2'); write('optimizer', '2')\nwait('never')"
    )
    machine.when_copied(model="1", optimizer="1")
    machine.store.trouble = when("PUT", f"{COPY}.complete", (500, "InternalError"), do=hold)
    machine.sign("go")
    assert reached.wait(PATIENCE_S)

    process.kill()  # the instance is gone
    opened.set()
    machine.sign("never")
    ended(process)

    code, out, _ = machine.run("print(*sorted(path.read_text() for path in checkpoints.iterdir()))")
    assert (code, "1 1\n" in out) == (0, True)


def test_a_file_that_changes_on_its_way_goes_again(machine: Machine) -> None:
    path = machine.ml / "checkpoints" / "model"
    marks: list[bytes | None] = []
    change = when("PUT", f"{COPY}model", do=lambda: path.write_text("new"))

    def look(store: Store, asked: Asked) -> Trouble:
        if asked.path.endswith(".complete"):
            marks.append(store.objects.get(f"{COPY}model"))
        return change(store, asked)

    machine.store.trouble = look

    process = machine.start("write('model', 'old')\nwait('go')")
    machine.when_copied(model="new")
    machine.sign("go")

    assert ended(process)[0] == 0
    assert marks == [b"new"], "no copy was complete with a file of which nobody knows which half is old"


def test_a_folder_that_never_rests_is_copied_all_the_same(machine: Machine) -> None:
    process = machine.start(
        """
write("checkpoint", "1")
number = 0
while not (signs / "never").exists():
    write("log", str(number := number + 1))
    time.sleep(0.001)
""",
        restless_s=0.5,
    )

    until(machine.copied, lambda found: found.get("checkpoint") == "1")

    machine.sign("never")
    assert ended(process)[0] == 0


def test_the_last_file_of_a_killed_script_is_not_believed(machine: Machine) -> None:
    process = machine.start(
        "write('1', '1')\nwait('go')\nwrite('2', 'half')\nos.kill(os.getpid(), signal.SIGKILL)", look_s=1
    )
    machine.when_copied(**{"1": "1"})
    machine.sign("go")

    assert ended(process)[0] == 137
    assert machine.copied() == {"1": "1"}


def test_a_copy_that_fails_does_not_end_the_script(machine: Machine) -> None:
    machine.store.trouble = when("PUT", f"{COPY}1", (400, "EntityTooLarge"))
    process = machine.start("write('1', '1')\nwait('go')")
    machine.when_copied(**{"1": "1"})
    machine.sign("go")

    code, _, err = ended(process)

    assert code == 0
    assert err == (
        f"s3://{BUCKET}/{COPY}1 cannot be written: the service answers 400 (EntityTooLarge). The next look tries again.\n"
    )


@pytest.mark.parametrize(("key", "others"), [(f"{OUTPUT}model.tar.gz", COPY), (f"{COPY}1", OUTPUT)])
def test_results_that_nobody_keeps_are_a_failure(machine: Machine, key: str, others: str) -> None:
    def look(_: Store, asked: Asked) -> Trouble:
        return (400, "Nope") if asked.method == "PUT" and asked.path.endswith(f"/{key}") else None

    machine.store.trouble = look

    code, _, err = machine.run("write('1', '1')", insist_s=0.2)

    assert code == 1
    assert err.splitlines()[-1] == f"s3://{BUCKET}/{key} cannot be written: the service answers 400 (Nope)."
    assert machine.store.under(others), "what could be kept is kept"


def test_a_damaged_copy_is_not_trained_from(machine: Machine) -> None:
    machine.store.objects[f"{COPY}.complete"] = b'{"files": {"model": "model@1"}, "links": {}}'

    code, _, err = machine.run("print('started')")

    assert (code, err) == (1, f"The checkpoint s3://{BUCKET}/{COPY} is not whole: model@1 is gone.\n")


def test_without_checkpoints_nothing_is_copied(machine: Machine) -> None:
    machine.environment["CHECKPOINT_URI"] = ""

    assert machine.run("write('1', '1')")[0] == 0
    assert machine.store.under("checkpoints/") == {}


# Large files.


@pytest.mark.parametrize("trouble", ["break", (503, "SlowDown")], ids=str)
def test_only_the_part_that_failed_goes_again(machine: Machine, trouble: Trouble) -> None:
    machine.store.objects["data/training/large"] = LARGE
    seen: list[str] = []

    def look(_: Store, asked: Asked) -> Trouble:
        number = re.search(r"partNumber=(\d+)", asked.path)
        if number:
            seen.append(number[1])
        return trouble if number and seen.count("2") == 1 and number[1] == "2" else None

    machine.store.trouble = look

    code, _, err = machine.run("os.link(ml / 'input/data/training/large', checkpoints / 'large')")

    assert (code, err) == (0, "")
    assert machine.store.objects[f"{COPY}large"] == LARGE
    assert sorted(seen) == ["1", "2", "2", "3"]


def test_the_parts_of_a_failed_upload_are_removed(machine: Machine) -> None:
    machine.store.objects["data/training/large"] = LARGE

    def look(_: Store, asked: Asked) -> Trouble:
        return (403, "AccessDenied") if "partNumber=2" in asked.path else None

    machine.store.trouble = look

    code, _, err = machine.run("os.link(ml / 'input/data/training/large', checkpoints / 'large')", insist_s=0)

    assert code == 1
    assert "needs s3:PutObject" in err
    assert machine.store.uploads == {}
    assert f"{COPY}large" not in machine.store.objects
