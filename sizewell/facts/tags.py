"""What AWS takes as tags (https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html)."""

#: Of one resource, without those of AWS itself.
MAX_TAGS = 50
MAX_KEY_CHARACTERS = 128
MAX_VALUE_CHARACTERS = 256
#: In any case of the letters.
RESERVED_PREFIX = "aws:"

#: Ours: every resource has the first two, a training job has all.
OWN_TAGS = ("platform", "environment", "workload")
#: Those of Step Functions, on each SageMaker job that it waits for: seen in the events of such jobs.
STEP_FUNCTIONS_TAGS = ("AWS_STEP_FUNCTIONS_EXECUTION_ARN", "MANAGED_BY_AWS")
MAX_OTHER_TAGS = MAX_TAGS - len(OWN_TAGS) - len(STEP_FUNCTIONS_TAGS)
