"""The notebook instances: each is in service or stopped, and of its type.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeNotebookInstance.html
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedResource, check_of_resources
from sizewell.templates.values import text

NOTEBOOK = "AWS::SageMaker::NotebookInstance"


def _ask(aws: AwsAccount, notebook: DeployedResource) -> Iterator[Answer]:
    name, deploy = notebook.name, f"deploy {notebook.stack.name}"
    try:
        found = aws.client("sagemaker").describe_notebook_instance(NotebookInstanceName=name)
    except ClientError as error:
        if "RecordNotFound" not in str(error):
            raise
        yield fails(name, "there is no such notebook instance", f"delete {notebook.stack.name}, and {deploy}")
        return
    status, wanted = found["NotebookInstanceStatus"], text(notebook.stated.get("InstanceType"))
    if status == "Failed":
        yield fails(name, f"Failed: {found.get('FailureReason', '')}", deploy)
    elif wanted is not None and found["InstanceType"] != wanted:
        yield fails(name, f"{found['InstanceType']}, planned {wanted}", deploy)
    elif status in ("InService", "Stopped"):
        yield passes(name, f"{status}, {found['InstanceType']}")
    else:
        yield warns(name, status, "verify again later")


NOTEBOOKS = check_of_resources("notebooks", (NOTEBOOK,), ("sagemaker:DescribeNotebookInstance",), _ask)
