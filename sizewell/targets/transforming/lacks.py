"""The keys of a batch transform that have no effect outside SageMaker, with what to do instead."""

#: Of a batch transform on instances of EC2, whatever launches them.
TRANSFORM_LACKS = {
    "pipeline": "one container answers; put the steps before and after the model into its image",
    "join": "only SageMaker joins results with their rows; let the container answer with both",
    "input_filter": "only SageMaker filters rows; let the container leave out what the model does not read",
    "output_filter": "only SageMaker filters results; let the container answer with what is kept",
    "container.model_package": "state image and artifact, which every target can read",
    "execution_role_arn": "its role is made for it",
}
