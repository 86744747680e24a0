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
