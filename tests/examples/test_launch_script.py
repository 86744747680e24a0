"""The script that starts a training on every instance of a job."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.synthesis import PROJECT_ROOT

SCRIPT = PROJECT_ROOT / "examples" / "training-job" / "code" / "launch.sh"
TORCHRUN = '#!/bin/sh\nenv | grep -E "^(FI|NCCL|RDMAV)_" | sort\necho "$*"\n'
GPUS = {"nvidia-smi": "#!/bin/sh\necho GPU 0\necho GPU 1\n"}
CORES = {"neuron-ls": '#!/bin/sh\necho \'[{"nc_count": 2}, {"nc_count": 2}]\'\n'}


def started(directory: Path, tools: dict[str, str], instance_type: str) -> list[str]:
    """Return what torchrun was told on the second of two instances, its variables first."""
    resources = {
        "current_host": "algo-2",
        "hosts": ["algo-2", "algo-1"],
        "network_interface_name": "eth7",
        "current_instance_type": instance_type,
    }
    (directory / "resourceconfig.json").write_text(json.dumps(resources), "utf-8")
    for name, text in {"torchrun": TORCHRUN, **tools}.items():
        (directory / name).write_text(text, "utf-8")
        (directory / name).chmod(0o755)
    script = SCRIPT.read_text("utf-8").replace("/opt/ml/input/config", str(directory))
    environment = {"PATH": f"{directory}:{os.environ['PATH']}"}
    command = ["bash", "-c", script.replace("/dev/infiniband", str(directory)), "launch.sh", "--epochs", "3"]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()


NODES = "--nnodes=2 --node_rank=1"
TOGETHER = "--master_addr=algo-1 --master_port=29400 train.py --epochs 3"


@pytest.mark.parametrize(
    ("tools", "instance_type", "processes"), [(GPUS, "ml.g5.12xlarge", 2), (CORES, "ml.trn2.48xlarge", 4)]
)
def test_each_instance_takes_its_place_with_all_its_accelerators(
    tools: dict[str, str], instance_type: str, processes: int, tmp_path: Path
) -> None:
    assert started(tmp_path, tools, instance_type) == [
        "NCCL_SOCKET_IFNAME=eth7",
        f"{NODES} --nproc_per_node={processes} {TOGETHER}",
    ]


@pytest.mark.parametrize("instance_type", ["ml.p4d.24xlarge", "p4d.24xlarge"])  # of SageMaker, of a cluster
def test_efa_is_used_where_there_is_a_device(instance_type: str, tmp_path: Path) -> None:
    (tmp_path / "uverbs0").touch()
    assert started(tmp_path, GPUS, instance_type)[:-1] == [
        "FI_EFA_USE_DEVICE_RDMA=1",
        "FI_PROVIDER=efa",
        "NCCL_SOCKET_IFNAME=eth7",
        "RDMAV_FORK_SAFE=1",
    ]
