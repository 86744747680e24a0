"""How the address range of a VPC is divided, and into how many subnets at least.

https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html, read 2026-11-22
"""

#: "You must create at least two subnets in different availability zones in your private VPC, even if you have only one
#: hosting instance": https://docs.aws.amazon.com/sagemaker/latest/dg/host-vpc.html
MIN_ENDPOINT_ZONES = 2
MAX_SUBNET_PREFIX_LENGTH = 28
#: EC2 keeps the first four addresses of every subnet, and the last.
RESERVED_ADDRESSES = 5
#: Ours: eight equal blocks, however many zones use one, so that a zone that is added moves no other subnet.
SUBNET_PREFIX_BITS = 3
