"""What a workload would be on AWS Neuron chips: Inferentia2 and Trainium."""

from sizewell.instance_selection.migration.assessment import (
    MIN_SAVING,
    MigrationAssessment,
    Verdict,
    assess_endpoint_migration,
    assess_training_migration,
)
from sizewell.instance_selection.neuron.neuron_support import NeuronChange, NeuronFact, SupportStatus

__all__ = [
    "MIN_SAVING",
    "MigrationAssessment",
    "NeuronChange",
    "NeuronFact",
    "SupportStatus",
    "Verdict",
    "assess_endpoint_migration",
    "assess_training_migration",
]
