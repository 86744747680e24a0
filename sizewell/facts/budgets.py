"""AWS Budgets: what is billed is compared with a limit, some times a day.

Monitoring is free; actions, which nothing here uses, are not (https://aws.amazon.com/aws-cost-management/aws-budgets/pricing/).
"""

#: Where CloudFormation has AWS::Budgets::Budget: the CloudFormation schemas of each region in cfn-lint 1.51, and "AWS Budgets"
#: in https://docs.aws.amazon.com/general/latest/gr/billing.html. Elsewhere the template of the whole stack is refused:
#: https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/2177. China is left out: its bills are in CNY.
REGIONS = frozenset(
    {
        "ap-northeast-1",
        "ap-northeast-2",
        "ap-south-1",
        "ap-southeast-1",
        "ap-southeast-2",
        "ca-central-1",
        "eu-central-1",
        "eu-west-1",
        "eu-west-2",
        "eu-west-3",
        "sa-east-1",
        "us-east-1",
        "us-east-2",
        "us-west-1",
        "us-west-2",
    }
)
