"""What SageMaker says of notebook instances."""

#: JupyterLab 4 on Amazon Linux 2023, the default of the API. Its forerunners ran on Amazon Linux 2, which is maintained until
#: 2026-06-30: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateNotebookInstance.html, ``PlatformIdentifier``;
#: https://aws.amazon.com/amazon-linux-2/faqs/
PLATFORM_IDENTIFIER = "notebook-al2023-v1"
#: API reference: CreateNotebookInstance, VolumeSizeInGB. It can grow, and never shrink: UpdateNotebookInstance.
VOLUME_BOUNDS_GIB = (5, 16384)
#: What the API of SageMaker is called as an interface endpoint:
#: https://docs.aws.amazon.com/sagemaker/latest/dg/interface-vpc-endpoint.html
API = "sagemaker.api"
#: Where a Python with boto3 may be, in the order in which it is looked for. AWS's own sample that stops idle instances looks for
#: the first (its pull request 108, tested on Amazon Linux 2), the second (commit 0b4305d) and the third (pull request 85):
#: https://github.com/aws-samples/amazon-sagemaker-notebook-instance-lifecycle-config-samples, scripts/auto-stop-idle/on-start.sh.
#: Which of them notebook-al2023-v1 has is published nowhere: unproven. The last is the environment around the first.
PYTHONS = (
    "/home/ec2-user/anaconda3/envs/JupyterSystemEnv/bin/python",
    "/usr/bin/python3.8",
    "/usr/bin/python3",
    "/home/ec2-user/anaconda3/bin/python3",
)
