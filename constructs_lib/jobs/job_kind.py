"""What the API, states and messages call the kinds of SageMaker jobs that workflows run."""

import re
from dataclasses import dataclass

from sizewell.facts.state_machines import TASK_GRACE_S


@dataclass(frozen=True, kw_only=True)
class JobKind:
    """What the API, the states and messages call a kind of job.

    ``workflow`` is what its workflow does, in messages. ``noun`` is that of members and actions (Training of TrainingJobName and
    createTrainingJob), ``verb`` begins the name of the state that runs a job. Only a job with a secondary status can tell that
    its time was over. ``task_grace_s`` is how much longer the task waits than the job may run, where SageMaker ends the job.
    ``unique_part`` ends the name of a job: by default the last of the five groups of a random UUID, twelve digits. ``sync_noun``
    is that of the rule by which Step Functions learns of the end; None is ``noun``.
    """

    workflow: str
    noun: str
    verb: str
    has_secondary_status: bool = False
    task_grace_s: int = 0
    unique_part: str = "$substring($uuid(), 24)"
    sync_noun: str | None = None

    @property
    def name_member(self) -> str:
        """The member that holds the name of a job."""
        return f"{self.noun}JobName"

    @property
    def words(self) -> str:
        """What sentences call it: hyper parameter tuning."""
        return self.arn_noun.removesuffix("-job").replace("-", " ")

    @property
    def arn_noun(self) -> str:
        """What the ARN of a job calls it."""
        return f"{re.sub(r'(?<!^)(?=[A-Z])', '-', self.noun).lower()}-job"

    @property
    def task_timeout(self) -> str:
        """How long the task of an attempt waits for its job, in seconds."""
        return f"{{% $left_s + {self.task_grace_s} %}}"

    @property
    def status(self) -> str:
        """The member of a description that says how a job is."""
        return f"{self.noun}JobStatus"


TRAINING = JobKind(
    workflow="training",
    noun="Training",
    verb="Train",
    has_secondary_status=True,
    task_grace_s=TASK_GRACE_S,
)
TRANSFORM = JobKind(
    workflow="transform",
    noun="Transform",
    verb="Transform",
)
PROCESSING = JobKind(
    workflow="processing",
    noun="Processing",
    verb="Run",
)
# The name of a tuning job has 32 characters, half of what others have: the first group, eight digits.
TUNING = JobKind(
    workflow="tuning",
    noun="HyperParameterTuning",
    verb="Tune",
    unique_part="$substring($uuid(), 0, 8)",
    sync_noun="Tuning",
)
