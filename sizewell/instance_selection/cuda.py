"""Which NVIDIA GPUs a program for a version of CUDA has code for.

Compiled code runs on GPUs with the same major compute capability and the same minor one or a higher one
(https://docs.nvidia.com/cuda/blackwell-compatibility-guide). Code that is compiled on its first use (PTX) would run on newer
GPUs, too; the frameworks have none for those: PyTorch for CUDA 12.6 ends at compute capability 9.0, and its first operation on
a newer GPU fails ("no kernel image is available").
"""

#: The first CUDA whose compiler knows GPUs of this major compute capability: release notes of CUDA 11.8 and 12.8.
_FIRST_CUDA = {9: (11, 8), 10: (12, 8), 12: (12, 8)}
#: The least compute capability from this CUDA on: the release notes of 13.0 drop Maxwell, Pascal and Volta.
_LEAST_CAPABILITY = (13, 0), (7, 5)


def missing_code(cuda: tuple[int, int], compute_capability: str) -> str | None:
    """Return why a program for this CUDA has no code for a GPU; None where it has."""
    major, minor = map(int, compute_capability.split("."))
    newest, least = _LEAST_CAPABILITY
    if cuda >= newest and (major, minor) < least:
        return f"CUDA {_version(newest)} ended compute capabilities below {_version(least)}"
    first = _FIRST_CUDA.get(major)
    if first is not None and cuda < first:
        return f"compute capability {major} began with CUDA {_version(first)}"
    return None


def _version(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
