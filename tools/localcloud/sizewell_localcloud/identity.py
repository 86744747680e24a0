"""Finds out whether a process id or a port still belongs to the process that we started: the system reuses both."""

import os
import subprocess
from pathlib import Path


def start_time(pid: int) -> str | None:
    """Return when a process started, in the words of the system; ``None`` when there is no such process."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            # The name in parentheses may hold anything; field 3 is the state, field 22 the start in clock ticks.
            fields = stat.read_text("utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] == "Z" else f"{_boot_id()} {fields[19]}"
    listed = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C"},
    )
    return listed.stdout.strip() or None


def listens(pid: int, port: int) -> bool:
    """Return whether this process listens on a port of loopback; True where there is no /proc."""
    table = Path("/proc/net/tcp")
    if not table.exists():
        return True
    rows = [line.split() for line in table.read_text("ascii").splitlines()[1:]]
    # Field 1 is the local address, 3 the state (0A listens), 9 the inode of the socket.
    sockets = {f"socket:[{row[9]}]" for row in rows if row[1] == f"0100007F:{port:04X}" and row[3] == "0A"}
    try:
        return any(os.readlink(path) in sockets for path in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def _boot_id() -> str:
    """Ticks count from the start of the machine, so the start belongs to them."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return os.uname().nodename
