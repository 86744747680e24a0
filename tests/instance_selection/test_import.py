"""What an import of the package costs."""

import subprocess
import sys
from pathlib import Path


def test_importing_the_package_reads_no_table_of_the_catalog(project_root: Path) -> None:
    program = (
        "import builtins, io, pathlib; opened = []; real = io.open\n"
        "def spy(file, *args, **kwargs):\n"
        "    opened.append(str(file)); return real(file, *args, **kwargs)\n"
        "io.open = builtins.open = spy\n"
        "import sizewell.instance_selection\n"
        "print([name for name in opened if name.endswith('.csv')])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project_root, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
