"""Infrastructure as code for ML compute on AWS: needs in, explained instance types and hardened stacks out."""
