"""What a training does on every eligible instance type and size of cluster, as columns: one file for each kind of job."""

from sizewell.instance_selection.training_evaluation.columns import TrainingColumns as TrainingColumns
