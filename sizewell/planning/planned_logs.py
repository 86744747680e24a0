"""Where SageMaker writes the logs of what no stack has a log group for.

All groups and streams: https://docs.aws.amazon.com/sagemaker/latest/dg/logging-cloudwatch.html
"""

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class SharedLogs:
    """Streams of a log group that the whole account shares."""

    of: Literal["TrainingJobs", "ProcessingJobs", "TransformJobs", "NotebookInstances"]
    name: str
    """Of a notebook instance, or what the names of jobs begin with."""

    @property
    def group(self) -> str:
        """The log group."""
        return f"/aws/sagemaker/{self.of}"

    def run_of(self, stream: str) -> str | None:
        """Return the run that a stream is of; None where it is of another workload.

        A job is called after its workload and eight or twelve hexadecimal digits, the trainings of a tuning after the tuning
        and two parts of their own.
        """
        if self.of == "NotebookInstances":
            return self.name if stream.startswith(f"{self.name}/") else None
        found = re.match(
            rf"({re.escape(self.name)}-[0-9a-f]{{8}}(?:[0-9a-f]{{4}})?)(?:-[0-9]+-[0-9a-f]+)?/", stream
        )
        return found[1] if found else None
