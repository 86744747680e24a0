"""How large a dashboard of CloudWatch may be.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html and
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html, read 2026-11-28
"""

MAX_WIDGETS = 500
MAX_METRICS = 2500
#: The columns of its grid.
GRID_COLUMNS = 24
#: Ours: the template of the foundation holds it as a string with escaped quotes, and CloudFormation takes 1 MB
#: (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html).
MAX_BODY_CHARACTERS = 500_000
