#!/usr/bin/env bash
# Starts train.py with torchrun on every GPU or NeuronCore of every instance of the job, with the arguments that it gets itself
set -euo pipefail

# What every instance is told: https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-training-algo-running-container.html
told=$(python3 - <<'END'
import json

with open("/opt/ml/input/config/resourceconfig.json") as file:
    config = json.load(file)
hosts = sorted(config["hosts"])
print(len(hosts), hosts.index(config["current_host"]), hosts[0], config["network_interface_name"], config["current_instance_type"])
END
)
read -r nodes rank first interface instance_type <<<"$told"

if command -v neuron-ls >/dev/null; then
  processes=$(neuron-ls --json-output | python3 -c 'import json, sys; print(sum(one["nc_count"] for one in json.load(sys.stdin)))')
else
  processes=$(nvidia-smi --list-gpus | wc -l)
fi

# As SageMaker's own launcher sets them: TCP takes the interface of the VPC, and what there is of EFA carries the rest, on these types
# straight from the memory of the accelerators.
export NCCL_SOCKET_IFNAME=$interface
if compgen -G '/dev/infiniband/uverbs*' >/dev/null; then export FI_PROVIDER=efa; fi
case ${instance_type#ml.} in
  p4d.* | p4de.* | trn1.*) export FI_EFA_USE_DEVICE_RDMA=1 RDMAV_FORK_SAFE=1 ;;
esac

exec torchrun --nnodes="$nodes" --node_rank="$rank" --nproc_per_node="$processes" \
  --master_addr="$first" --master_port=29400 train.py "$@"
