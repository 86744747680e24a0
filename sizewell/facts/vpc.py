"""How the address range of a VPC is divided.

https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html, read 2026-11-22
"""

MAX_SUBNET_PREFIX_LENGTH = 28
#: EC2 keeps the first four addresses of every subnet, and the last.
RESERVED_ADDRESSES = 5
#: Ours: eight equal blocks, however many zones use one, so that a zone that is added moves no other subnet.
SUBNET_PREFIX_BITS = 3
