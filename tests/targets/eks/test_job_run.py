"""The command of a run, as its manifest says it, with an S3 on loopback: it does what SageMaker does around a script."""

import io
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.localcloud.processes import PATIENCE_S
from tests.planning.builders import container
from tests.targets.contract.processes import told_of
from tests.targets.contract.small_s3 import BUCKET, small_s3
from tests.targets.eks.builders import manifests, trained_in_cluster

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


def test_the_pods_of_a_run_share_its_checkpoints_and_its_output(tmp_path: Path) -> None:
    written = manifests(trained_in_cluster(container=container(hyperparameters={"epochs": 3}, **CODE)))
    (train,) = written["cron-job"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    stated = {variable["name"]: variable.get("value", "") for variable in train["env"]}
    buckets = {uri.split("/")[2] for name, uri in stated.items() if name.endswith("_URI")}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "train").write_text(f"#!{sys.executable}\n{TRAIN}")
    (tmp_path / "bin" / "train").chmod(0o755)
    with small_s3() as (store, endpoint):
        store.objects |= {"datasets/plants/rows.csv": b"1,1", "code/plants/train.py": b"pass"}
        environment = {
            **stated,
            "RUN_NAME": "plants-june",
            **told_of(endpoint),
            "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
            "SAGEMAKER_BASE_DIR": str(tmp_path / "ml"),
            "SIZEWELL_CHECKPOINT_DIR": str(tmp_path / "ml" / "checkpoints"),
        }
        for name, value in environment.items():
            for bucket in buckets:
                environment[name] = environment[name].replace(f"s3://{bucket}/", f"s3://{BUCKET}/")
            assert value
        python, *arguments = train["command"]
        assert python == "python3"
        for _ in range(2):  # the second pod of the run goes on from the first
            command = [sys.executable, *arguments]
            ended = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE_S)
            assert (ended.returncode, ended.stderr) == (0, b"")
        assert store.objects[f"plants/plants-june/{stated['HARDWARE']}/last@1"] == b"33"
        model = store.objects["output/plants/plants-june/output/model.tar.gz"]
    with tarfile.open(fileobj=io.BytesIO(model)) as archive:
        assert archive.getnames() == ["weights"]
