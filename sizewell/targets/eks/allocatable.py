"""What pods may get of an EC2 instance type as a node of EKS: AL2023, default settings of the kubelet.

This is Karpenter's estimate, by which it chooses what to launch (aws/karpenter-provider-aws,
pkg/providers/instancetype/types.go: memory, kubeReservedResources, evictionThreshold):

* memory = total - 64 MiB (arm64) - 7.5 % of that, rounded up (for the virtual machine: VM_MEMORY_OVERHEAD_PERCENT)
  - (255 + 11 x pods) MiB (kube-reserved) - 100 MiB (eviction threshold)
* CPU = total - 6 % of the first core, 1 % of the second, 0.5 % of the third and the fourth, 0.25 % of the rest (kube-reserved)

The node reserves the same (awslabs/amazon-eks-ami, nodeadm/internal/kubelet/config.go). Its virtual machine takes less than
7.5 % of most types, and more of few small ones: 9.9 % of c5.large and c5d.large, 8.5 % of c5n.large
(zz_generated.memory_overhead.go, same folder as types.go). There a pod that leaves less than 100 MiB free may not fit.
"""

from dataclasses import dataclass

#: Upper end of a range of millicores, and what the kubelet keeps of the range, in 1/10,000.
_RESERVED_CPU = ((1_000, 600), (2_000, 100), (4_000, 50), (2**31, 25))
#: MiB of an arm64 instance that Linux keeps (cma).
_ARM64_RESERVED_MIB = {"amd64": 0, "x86_64": 0, "arm64": 64}
_EVICTION_THRESHOLD_MIB = 100


@dataclass(frozen=True, kw_only=True)
class Allocatable:
    """What the pods of a node may ask for together, those of daemon sets included."""

    cpu_millicores: int
    memory_mib: int
    pods: int


def allocatable(vcpus: int, memory_gib: float, cpu_architecture: str, max_pods: int) -> Allocatable:
    """Return what pods may get of a type with these figures; ValueError for an architecture other than x86 and arm64.

    ``memory_gib`` is the memory that EC2 reports, ``max_pods`` what the network interfaces of the type allow.
    """
    if cpu_architecture not in _ARM64_RESERVED_MIB:
        raise ValueError(f"{cpu_architecture!r} is none of {', '.join(_ARM64_RESERVED_MIB)}")
    seen_mib = round(memory_gib * 1024) - _ARM64_RESERVED_MIB[cpu_architecture]
    virtual_machine_mib = -(-seen_mib * 75 // 1000)
    cpu, start, reserved = vcpus * 1000, 0, 0
    for end, share in _RESERVED_CPU:
        reserved += max(0, min(cpu, end) - start) * share // 10_000
        start = end
    return Allocatable(
        cpu_millicores=cpu - reserved,
        memory_mib=seen_mib - virtual_machine_mib - (255 + 11 * max_pods) - _EVICTION_THRESHOLD_MIB,
        pods=max_pods,
    )
