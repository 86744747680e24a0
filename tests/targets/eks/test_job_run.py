"""The command of a run, as its manifest says it, with an S3 on loopback: it does what SageMaker does around a script."""

import io
import socket
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from tests.localcloud.processes import PATIENCE_S
from tests.planning.builders import container
from tests.targets.contract.processes import told_of
from tests.targets.contract.small_s3 import BUCKET, small_s3
from tests.targets.eks.builders import manifests, trained_in_cluster
from tests.targets.eks.test_job_set import job, on_two

CODE = {"code": {"prefix": "code/plants/", "command": ["python3", "train.py"]}}
TRAIN = """
import os, json
from pathlib import Path
ml = Path(os.environ["SAGEMAKER_BASE_DIR"])
assert (ml / "input/data/training/rows.csv").read_text() == "1,1"
assert (ml / "input/data/code/train.py").read_text() == "pass"
hyperparameters = json.loads((ml / "input/config/hyperparameters.json").read_text())
checkpoint = Path(os.environ["SIZEWELL_CHECKPOINT_DIR"], "last")
seen = checkpoint.read_text() if checkpoint.exists() else ""
checkpoint.write_text(seen + hyperparameters["epochs"])
(ml / "model/weights").write_text("trained")
"""


#: Hosts that find each other: each tells the first what its checkpoint says, and ends after the first has kept what it made.
TOGETHER = """
import json, os, socket, time
from pathlib import Path
ml = Path(os.environ["SAGEMAKER_BASE_DIR"])
resources = json.loads((ml / "input/config/resourceconfig.json").read_text())
hosts, host = resources["hosts"], resources["current_host"]
assert resources["instance_groups"][0]["hosts"] == hosts
checkpoint = Path(os.environ["SIZEWELL_CHECKPOINT_DIR"], "last")
seen = checkpoint.read_text() if checkpoint.exists() else "nothing"
port = int(os.environ["PORT"])
if host == hosts[0]:
    with socket.create_server((socket.gethostbyname(host), port)) as server:
        others = [server.accept()[0] for _ in hosts[1:]]
        found = [seen, *(other.recv(99).decode() for other in others)]
        for other in others:
            other.sendall(b"step")
else:
    while True:
        try:
            first = socket.create_connection((socket.gethostbyname(hosts[0]), port), timeout=1)
            break
        except OSError:
            pass
    first.sendall(seen.encode())
    assert first.recv(99) == b"step"
    found = ["of another host"]
checkpoint.write_text(host + " after " + " and ".join(found))
(ml / "model/weights").write_text("trained by " + host)
while host != hosts[0] and not Path(os.environ["FIRST_ENDED"]).exists():
    time.sleep(0.01)
"""


def prepared(
    train: dict[str, Any], folder: Path, endpoint: str, script: str, **more: str
) -> tuple[list[str], dict[str, str]]:
    """Return the command of a container and its environment, with a folder in place of /opt/ml."""
    stated = {variable["name"]: variable.get("value", "") for variable in train["env"]}
    buckets = {uri.split("/")[2] for name, uri in stated.items() if name.endswith("_URI")}
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "train").write_text(f"#!{sys.executable}\n{script}")
    (folder / "bin" / "train").chmod(0o755)
    environment = {
        **stated,
        "RUN_NAME": "plants-june",
        **told_of(endpoint),
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "SAGEMAKER_BASE_DIR": str(folder / "ml"),
        "SIZEWELL_CHECKPOINT_DIR": str(folder / "ml" / "checkpoints"),
        **more,
    }
    for name, value in environment.items():
        for bucket in buckets:
            environment[name] = environment[name].replace(f"s3://{bucket}/", f"s3://{BUCKET}/")
        assert value
    python, *arguments = train["command"]
    assert python == "python3"
    return [sys.executable, *arguments], environment


def test_the_pods_of_a_run_share_its_checkpoints_and_its_output(tmp_path: Path) -> None:
    written = manifests(trained_in_cluster(container=container(hyperparameters={"epochs": 3}, **CODE)))
    (train,) = written["cron-job"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    with small_s3() as (store, endpoint):
        store.objects |= {"datasets/plants/rows.csv": b"1,1", "code/plants/train.py": b"pass"}
        command, environment = prepared(train, tmp_path, endpoint, TRAIN)
        for _ in range(2):  # the second pod of the run goes on from the first
            ended = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE_S)
            assert (ended.returncode, ended.stderr) == (0, b"")
        assert store.objects[f"plants/plants-june/{environment['HARDWARE']}/last@1"] == b"33"
        model = store.objects["output/plants/plants-june/output/model.tar.gz"]
    with tarfile.open(fileobj=io.BytesIO(model)) as archive:
        assert archive.getnames() == ["weights"]


def test_the_hosts_of_a_run_find_each_other_and_the_first_keeps_what_they_make(tmp_path: Path) -> None:
    (train,) = job(manifests(on_two()))["template"]["spec"]["containers"]
    hosts = ["localhost", "127.0.0.1"]
    (stated,) = (variable["value"] for variable in train["env"] if variable["name"] == "RUN_HOSTS")
    assert len(stated.split()) == len(hosts)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    first_ended = tmp_path / "first-ended"
    with small_s3() as (store, endpoint):
        store.objects["datasets/plants/rows.csv"] = b"1,1"
        pods = [
            prepared(
                train,
                tmp_path / str(index),
                endpoint,
                TOGETHER,
                RUN_HOSTS=" ".join(hosts),
                JOB_COMPLETION_INDEX=str(index),
                PORT=port,
                FIRST_ENDED=str(first_ended),
            )
            for index in range(len(hosts))
        ]
        for _ in range(2):  # the second start of all goes on from the first
            first_ended.unlink(missing_ok=True)
            started = [
                subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for command, environment in pods
            ]
            for process in started:
                _, err = process.communicate(timeout=PATIENCE_S)
                assert (process.returncode, err) == (0, b"")
                first_ended.touch()
        copies = {key: text for key, text in store.objects.items() if "/last" in key}
        seen = b"localhost after nothing and nothing"
        assert list(copies.values()) == [b"localhost after " + seen + b" and " + seen]
        assert [key for key in store.objects if key.startswith("output/")] == [
            "output/plants/plants-june/output/model.tar.gz"
        ]
        model = store.objects["output/plants/plants-june/output/model.tar.gz"]
    with tarfile.open(fileobj=io.BytesIO(model)) as archive:
        weights = archive.extractfile("weights")
        assert weights is not None
        assert weights.read() == b"trained by localhost"
