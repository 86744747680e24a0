"""The keys of a training job that have no effect outside SageMaker, with what to do instead."""

#: Of a training on instances of EC2, whatever launches them.
TRAINING_LACKS = {
    "channels": "nothing says how large they are, and the volume must hold them: put the data under dataset.prefix",
    "file_systems": "only SageMaker mounts them: put the data under dataset.prefix",
    "dataset.file_system": "only SageMaker mounts it: put the data under dataset.prefix",
    "container.metrics": "only SageMaker reads them from the log: let the script write them to its output",
    "experiment": "let the script record its runs, with variables of container.environment",
    "tensorboard": "write to /opt/ml/output/data, which comes to S3 at the end of a run",
    "keep_alive_minutes": "it is a warm pool of SageMaker",
    "training_plan_arn": "it is capacity of SageMaker",
    "execution_role_arn": "its role is made for it",
}
