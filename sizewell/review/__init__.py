"""What a change does: two saved outputs of ``cdk synth`` compared, without CDK, git or AWS."""
