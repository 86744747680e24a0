"""What the AWS Neuron SDK runs on Inferentia and Trainium, and what has to change for it."""

from sizewell.instance_selection.neuron.neuron_support import (
    NeuronChange,
    NeuronFact,
    SupportStatus,
    neuron_changes,
    neuron_facts,
    support_facts,
)

__all__ = ["NeuronChange", "NeuronFact", "SupportStatus", "neuron_changes", "neuron_facts", "support_facts"]
