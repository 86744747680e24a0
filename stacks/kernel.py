"""Start the CDK kernel in the background, while Python plans."""

from concurrent.futures import Future, ThreadPoolExecutor
from tempfile import TemporaryDirectory


def start_kernel() -> Future[None]:
    """Start the kernel and its template validator; wait for the result before any other use of the kernel.

    Cancelled in time, it leaves out the validator, which is most of the work: for a process that is about to end.
    The kernel answers one caller at a time. Importing ``aws_cdk`` and its modules is allowed meanwhile; importing
    ``cdk_nag``, which loads a library into the kernel, is not.
    """
    executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="kernel")
    executor.submit(_import_kernel)
    started = executor.submit(_synthesize_nothing)
    executor.shutdown(wait=False)
    return started


def _import_kernel() -> None:
    import aws_cdk  # noqa: F401


def _synthesize_nothing() -> None:
    # CDK's validator compiles its rules at the first synth of a process, which takes a second and more, whatever is in it.
    from aws_cdk import App

    with TemporaryDirectory() as directory:
        App(outdir=directory, analytics_reporting=False).synth()
