"""What AWS Batch takes, and how it says that a job ended; bounds are inclusive.

https://docs.aws.amazon.com/batch/latest/APIReference/API_JobDetail.html and the pages that each fact names, read 2026-11-28
"""

#: https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html, "Maximum job definition size".
MAX_DEFINITION_BYTES = 24 * 1024
#: API reference, RetryStrategy.
MAX_ATTEMPTS = 10
#: API reference, JobStateTimeLimitAction: after how long in a queue a job is cancelled.
WAIT_BOUNDS_S = (600, 86_400)
#: API reference, UpdatePolicy: for how long a job goes on when its instances are replaced.
MAX_JOB_MINUTES_OF_UPDATE = 7200
#: No variable of a container may begin so: API reference, KeyValuePair of ContainerProperties.
RESERVED_VARIABLES = "AWS_BATCH"
#: What every cluster of ECS is called that Batch makes: its service-linked role may manage no other
#: (https://docs.aws.amazon.com/aws-managed-policy/latest/reference/BatchServiceRolePolicy.html).
CLUSTER_PREFIX = "AWSBatch"

#: Why a job waits at the head of its queue: for capacity, or in vain
#: (https://docs.aws.amazon.com/batch/latest/userguide/job_stuck_in_runnable.html).
WAITS_FOR_CAPACITY = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"
WAITS_IN_VAIN = (
    "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE",
    "MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT",
)

#: The statuses of a job that has ended.
ENDED = ("SUCCEEDED", "FAILED")
#: The code of a container that ended because of SIGTERM, as the program around a script has it.
TERMINATED_EXIT_CODE = 143
#: The code of a container that was killed, and how the reason begins where it took too much memory
#: (https://github.com/aws/amazon-ecs-agent/issues/1187).
KILLED_EXIT_CODE, OUT_OF_MEMORY_PATTERN = 137, "OutOfMemoryError*"
#: How the status reasons of a job begin whose host was lost, as a pattern of a retry strategy: "Host EC2 (instance i-...)
#: terminated." (https://docs.aws.amazon.com/batch/latest/userguide/job_retries.html).
HOST_LOST_PATTERN = "Host EC2*"
#: Regular expressions of the status reasons of jobs that ended for want of capacity, or with their host: "Canceled by
#: JobStateTimeLimit action due to reason: CAPACITY:..." (job_stuck_in_runnable_capacity.html of the guide).
NO_CAPACITY, HOST_LOST = "/CAPACITY:/", "/^Host EC2/"
