"""The stack of a Lambda function."""

from sizewell.kinds.stack_kind import StackKind

FACET = StackKind(stack="sizewell.stacks.lambda_stack:LambdaStack")
