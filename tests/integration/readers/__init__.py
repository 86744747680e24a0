"""What a service says of a resource, read with boto3 and written in the words of CloudFormation: one reader per type.

A reader never looks at the template for an answer: ``properties`` only tell it where to look, for the types whose physical
id does not.
"""

from tests.integration.readers import (
    cloudwatch,
    ec2,
    events,
    iam,
    kms,
    lambda_,
    logs,
    s3,
    sagemaker,
    scaling,
    scheduler,
    security_groups,
    sns,
    sqs,
    ssm,
    states,
)
from tests.integration.readers.common import ClientFactory, Properties, Reader

READERS: dict[str, Reader] = {
    "AWS::ApplicationAutoScaling::ScalableTarget": scaling.read_target,
    "AWS::ApplicationAutoScaling::ScalingPolicy": scaling.read_policy,
    "AWS::CloudWatch::Alarm": cloudwatch.read_alarm,
    "AWS::EC2::FlowLog": ec2.read_flow_log,
    "AWS::EC2::RouteTable": ec2.read_route_table,
    "AWS::EC2::SecurityGroup": security_groups.read_group,
    "AWS::EC2::SecurityGroupEgress": security_groups.read_egress_rule,
    "AWS::EC2::SecurityGroupIngress": security_groups.read_ingress_rule,
    "AWS::EC2::Subnet": ec2.read_subnet,
    "AWS::EC2::SubnetRouteTableAssociation": ec2.read_route_table_association,
    "AWS::EC2::VPC": ec2.read_vpc,
    "AWS::EC2::VPCEndpoint": ec2.read_vpc_endpoint,
    "AWS::Events::Rule": events.read_rule,
    "AWS::IAM::ManagedPolicy": iam.read_managed_policy,
    "AWS::IAM::Role": iam.read_role,
    "AWS::KMS::Alias": kms.read_alias,
    "AWS::KMS::Key": kms.read_key,
    "AWS::Lambda::Alias": lambda_.read_alias,
    "AWS::Lambda::Function": lambda_.read_function,
    "AWS::Lambda::Version": lambda_.read_version,
    "AWS::Logs::LogGroup": logs.read_log_group,
    "AWS::S3::Bucket": s3.read_bucket,
    "AWS::S3::BucketPolicy": s3.read_bucket_policy,
    "AWS::SNS::Topic": sns.read_topic,
    "AWS::SNS::TopicPolicy": sns.read_topic_policy,
    "AWS::SQS::Queue": sqs.read_queue,
    "AWS::SQS::QueuePolicy": sqs.read_queue_policy,
    "AWS::SSM::Parameter": ssm.read_parameter,
    "AWS::SageMaker::Endpoint": sagemaker.read_endpoint,
    "AWS::SageMaker::EndpointConfig": sagemaker.read_endpoint_config,
    "AWS::SageMaker::InferenceComponent": sagemaker.read_inference_component,
    "AWS::SageMaker::Model": sagemaker.read_model,
    "AWS::SageMaker::NotebookInstance": sagemaker.read_notebook,
    "AWS::SageMaker::NotebookInstanceLifecycleConfig": sagemaker.read_lifecycle_config,
    "AWS::Scheduler::Schedule": scheduler.read_schedule,
    "AWS::StepFunctions::StateMachine": states.read_state_machine,
    "Custom::VpcRestrictDefaultSG": security_groups.read_closed_default_group,
}

__all__ = ["READERS", "ClientFactory", "Properties", "Reader"]
