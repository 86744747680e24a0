"""AWS Batch's API: which operations there are."""

from sizewell_localcloud.emulator.batch import jobs, resources, store
from sizewell_localcloud.emulator.json_service import RestJsonService

BATCH = RestJsonService(
    "batch",
    {
        "CreateComputeEnvironment": resources.create_environment,
        "UpdateComputeEnvironment": resources.update_environment,
        "DeleteComputeEnvironment": resources.delete_environment,
        "DescribeComputeEnvironments": resources.listed(
            store.environments, "computeEnvironments", "computeEnvironments"
        ),
        "CreateJobQueue": resources.create_queue,
        "UpdateJobQueue": resources.update_queue,
        "DeleteJobQueue": resources.delete_queue,
        "DescribeJobQueues": resources.listed(store.queues, "jobQueues", "jobQueues"),
        "RegisterJobDefinition": resources.register_definition,
        "DeregisterJobDefinition": resources.deregister_definition,
        "DescribeJobDefinitions": resources.listed(store.definitions, "jobDefinitions", "jobDefinitions"),
        "SubmitJob": jobs.submit,
        "DescribeJobs": jobs.describe,
        "ListJobs": jobs.listed,
        "TerminateJob": jobs.terminate,
    },
)
