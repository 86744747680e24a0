"""What whoever starts a workflow may do."""

from constructs_lib.policies.statements import Statement, allow


def start_statements(state_machine_arn: str | list[str], data_key_arn: str) -> list[Statement]:
    """Return what starting executions of a machine, or of several, needs.

    A caller of StartExecution uses the key that encrypts the machine's data:
    https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html
    """
    return [
        allow(("states:StartExecution",), state_machine_arn),
        allow(
            ("kms:Decrypt", "kms:GenerateDataKey"),
            data_key_arn,
            {"StringEquals": {"kms:EncryptionContext:aws:states:stateMachineArn": state_machine_arn}},
        ),
    ]
