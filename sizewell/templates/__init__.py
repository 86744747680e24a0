"""CloudFormation templates as data: one model of a template, and of what a change of it does."""
