"""The plan of a training on an instance of EC2, whatever launches it."""

from typing import Literal

from sizewell.facts.training_jobs import CODE_CHANNEL, toolkit_hyperparameters
from sizewell.instance_selection.results import Selection, TrainingEstimate
from sizewell.planning.training_plan_model import CheckpointPlan, TrainingCodePlan
from sizewell.targets.plan_model import RunOnEc2Plan

#: The program of the contract that runs around the script.
PROGRAM = "train_model"


class TrainedOnEc2Plan(RunOnEc2Plan):
    """One training, which has its instances to itself, each with a volume for its dataset, its checkpoints and what it writes."""

    hardware: str
    """The kind of hardware: runs on the same kind resume from each other's checkpoints."""
    spot: bool
    """Whether Spot capacity is tried first."""
    on_demand_fallback: bool
    """Whether on-demand capacity takes over where Spot has none."""
    code: TrainingCodePlan | None
    """None starts what the image calls ``train``."""
    method: Literal["full", "lora"]
    channels: dict[str, str]
    """What the script reads by the name of the channel, first the dataset: prefixes of the artifact bucket."""
    hyperparameters: dict[str, str]
    checkpoint: CheckpointPlan | None
    selection: Selection[TrainingEstimate]

    @property
    def instance_count(self) -> int:
        """The instances of a run, which are its hosts."""
        return self.selection.chosen.estimate.instance_count

    @property
    def locked_facts(self) -> dict[str, object]:
        """The instances of a run, what is trained of the model, and where."""
        return {**super().locked_facts, "method": self.method}

    @property
    def downloads(self) -> dict[str, str]:
        """What is downloaded before the script starts, by the name of its channel: the script is one of them."""
        code = {CODE_CHANNEL: self.code.prefix} if self.code else {}
        return {**self.channels, **code}

    @property
    def all_hyperparameters(self) -> dict[str, str]:
        """The hyperparameters with those by which the training toolkit of the image finds the script."""
        script = toolkit_hyperparameters(self.code.command[1]) if self.code else {}
        return dict(sorted({**self.hyperparameters, **script}.items()))
