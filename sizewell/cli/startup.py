"""What a command sets before it imports anything that is slow to start."""

import atexit
import gc
import os


def start_quickly() -> None:
    """Leave out what takes time at the start and the end of a process and brings a command nothing."""
    # Modules and models stay until the end: looking for garbage among them finds none.
    gc.set_threshold(100_000)
    # Nor among all of them at the end, where Python looks twice.
    atexit.register(gc.freeze)
    # Arithmetic on a few hundred numbers: no threads for products of large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # No search for plugins in the metadata of all installed packages: none has a say here.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
