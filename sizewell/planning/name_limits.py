"""How long the names are that AWS takes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NameLimit:
    """What has a name, and the most characters of the name."""

    noun: str
    max_characters: int
    more: str = ""


#: API reference: CreateEndpoint, EndpointName.
ENDPOINT_NAME = NameLimit("the endpoint", 63)
#: API reference: CreateTrainingJob, CreateTransformJob and CreateProcessingJob, TrainingJobName and the like: 63, less a
#: hyphen and the twelve random digits of each job. A state machine may have 80 (CreateStateMachine, name).
JOB_NAME = NameLimit("the jobs", 50, ", before the 13 that each job adds")
#: API reference: CreateStateMachine, name. What begins the names of tuning jobs is shortened.
STATE_MACHINE_NAME = NameLimit("the state machine", 80)
