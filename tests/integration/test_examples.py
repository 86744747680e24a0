"""Every example deploys, reads back equal, takes another instance type or image by ``sizewell deploy``, and is destroyed."""

import json
from functools import partial
from pathlib import Path

import pytest

from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan
from sizewell.kinds.notebook.plan_model import NotebookPlan
from sizewell.kinds.tuning_job.plan_model import TuningJobPlan
from tests.examples.test_examples import EXAMPLES
from tests.integration.executions import FAST, Json, ended, start
from tests.integration.harness import Admin, Cloud, Deployment, Template, only_resource, resources_of
from tests.integration.mailbox import mailbox_of_alarms
from tests.integration.readers.compare import assert_reads_back
from tests.localcloud.processes import until
from tests.synthesis import synthesize

ENDPOINT_CONFIG = "AWS::SageMaker::EndpointConfig"
#: Examples that are deployed and read back where what is in them runs.
EXECUTED = {
    "ecs-queue-worker": "test_queue_workers",
    "eks-queue-worker": "test_queue_workers",
    "pipeline": "test_pipelines",
    "processing-job": "test_processing_jobs",
    "training-job": "test_beyond_the_examples",
}
NEXT_DIGEST = "0" * 12


@pytest.mark.parametrize("example", sorted({*EXAMPLES} - {*EXECUTED}))
def test_an_example_lives_and_dies(example: str, cloud: Cloud, admin: Admin, tmp_path: Path) -> None:
    assembly = tmp_path / "cdk.out"
    synthesize("dev", assembly, config=f"examples/{example}/config")
    deployed = Deployment(cloud=cloud, assembly=assembly, folder=tmp_path)
    deployed.bootstrap()
    deployed.make_clusters()
    deployed.deploy()
    assert_reads_back(deployed)

    # One of each example: the way is the same for the others, but for those with pools, which take another type by themselves.
    of_one_type = [one for one in deployed.plan.endpoints if one.provisioned_pools is None]
    for endpoint in of_one_type[:1]:
        stack = endpoint.stack_name
        other = next(name for name in endpoint.instance_pools if name != endpoint.instance_type)
        edited = deployed.edited(stack, partial(_take, instance_type=other), name="other")
        process = deployed.start_sizewell_deploy(stack, assembly=edited)
        printed, _ = process.communicate(timeout=600)
        assert process.returncode == 0, printed
        assert "turning autoscaling on" in printed

        api, variant = deployed.client("sagemaker"), f"variant/{endpoint.variant_name}"
        described = api.describe_endpoint(EndpointName=endpoint.endpoint_name)
        config = api.describe_endpoint_config(EndpointConfigName=described["EndpointConfigName"])
        assert config["ProductionVariants"][0]["InstanceType"] == other
        policies = deployed.client("application-autoscaling").describe_scaling_policies(
            ServiceNamespace="sagemaker", ResourceId=f"endpoint/{endpoint.endpoint_name}/{variant}"
        )["ScalingPolicies"]
        assert endpoint.scaling is not None
        assert {one["PolicyName"] for one in policies} == {one.name for one in endpoint.scaling.policies}

    for function in (one for one in deployed.plan.workloads if isinstance(one, LambdaFunctionPlan)):
        edited = deployed.edited(function.stack_name, _take_next_image, name="other")
        process = deployed.start_sizewell_deploy(function.stack_name, assembly=edited)
        printed, _ = process.communicate(timeout=600)
        assert process.returncode == 0, printed
        called = deployed.client("lambda").get_function(FunctionName=function.function_name, Qualifier="live")
        assert called["Configuration"]["Version"] == "2"
        assert called["Code"]["ImageUri"] == f"{function.image.uri}-next"
        if function.rollout is not None:
            names = {name.title().replace("_", "") for name in function.rollout.alarms}
            assert _called_back_by(deployed, function) == {
                f"{function.function_name}-{name}-{NEXT_DIGEST}" for name in names
            }

    for tuning in deployed.plan.of(TuningJobPlan)[:1]:
        _tune(deployed, tuning, admin)
    for notebook in (one for one in deployed.plan.workloads if isinstance(one, NotebookPlan)):
        edited = deployed.edited(notebook.stack_name, _take_larger, name="other")
        process = deployed.start_sizewell_deploy(notebook.stack_name, assembly=edited)
        printed, _ = process.communicate(timeout=600)
        assert process.returncode == 0, printed
        api, named = deployed.client("sagemaker"), {"NotebookInstanceName": notebook.notebook_name}
        found = api.describe_notebook_instance(**named)
        assert (found["InstanceType"], found["NotebookInstanceStatus"]) == ("ml.m7i.xlarge", "InService")
        api.stop_notebook_instance(**named)
        with pytest.raises(api.exceptions.ClientError, match="not in"):
            api.stop_notebook_instance(**named)

    deployed.destroy()
    assert deployed.client("sagemaker").list_notebook_instances()["NotebookInstances"] == []
    assert deployed.client("sagemaker").list_endpoints()["Endpoints"] == []
    for cluster in deployed.clusters:
        service, _, name = cluster.partition("=")[0].partition("/")
        if service == "eks":
            left = deployed.client("eks").list_pod_identity_associations(clusterName=name)["associations"]
        else:
            left = deployed.client("ecs").list_services(cluster=name)["serviceArns"]
        assert left == []


def _tune(deployed: Deployment, tuning: TuningJobPlan, admin: Admin) -> None:
    """A tuning runs to its end; the next one fails, and people hear why, once."""

    def run() -> Json:
        return ended(deployed, start(deployed, tuning.state_machine_name))

    admin.set(time_scale=FAST)
    assert run()["status"] == "SUCCEEDED"
    # Other tests leave jobs of their own.
    found = deployed.client("sagemaker").list_hyper_parameter_tuning_jobs()[
        "HyperParameterTuningJobSummaries"
    ]
    names = [job["HyperParameterTuningJobName"] for job in found]
    assert sum(name.startswith(f"{tuning.job_name_prefix}-") for name in names) == 1
    admin.script("tuning", tuning.job_name_prefix, "failed", "All training jobs failed.")
    with mailbox_of_alarms(deployed) as mailbox:
        execution = run()
        (message,) = until(mailbox.messages, bool)
    assert (message["workload"], message["executionArn"]) == (tuning.name, execution["executionArn"])
    assert json.loads(message["cause"])["Cause"] == "All training jobs failed."


def _called_back_by(deployed: Deployment, function: LambdaFunctionPlan) -> set[str]:
    """Return the alarms that CodeDeploy watches, each of which is there."""
    resources = deployed.client("cloudformation").describe_stack_resources(StackName=function.stack_name)
    (names,) = (
        {
            "applicationName": application["PhysicalResourceId"],
            "deploymentGroupName": group["PhysicalResourceId"],
        }
        for application in resources["StackResources"]
        for group in resources["StackResources"]
        if application["ResourceType"] == "AWS::CodeDeploy::Application"
        and group["ResourceType"] == "AWS::CodeDeploy::DeploymentGroup"
    )
    group = deployed.client("codedeploy").get_deployment_group(**names)["deploymentGroupInfo"]
    watched = {alarm["name"] for alarm in group["alarmConfiguration"]["alarms"]}
    found = deployed.client("cloudwatch").describe_alarms(AlarmNames=sorted(watched))["MetricAlarms"]
    assert {alarm["AlarmName"] for alarm in found} == watched
    return watched


def _take_next_image(template: Template) -> None:
    """As another tag in the configuration does: another digest makes other ids and names."""
    (version,) = (name for name, _ in resources_of(template, "AWS::Lambda::Version"))
    digest = version.removeprefix("FunctionVersion")[: len(NEXT_DIGEST)]
    template["Resources"] = json.loads(json.dumps(template["Resources"]).replace(digest, NEXT_DIGEST))
    only_resource(template, "AWS::Lambda::Function")["Code"]["ImageUri"] += "-next"


def _take_larger(template: Template) -> None:
    only_resource(template, "AWS::SageMaker::NotebookInstance")["InstanceType"] = "ml.m7i.xlarge"


def _take(template: Template, instance_type: str) -> None:
    for _, config in resources_of(template, ENDPOINT_CONFIG):
        config["ProductionVariants"][0]["InstanceType"] = instance_type
