"""The state machines of an output, which Step Functions judges before anything is deployed.

Its integrations with other services take a list of fields that no page gives in full, nested ones too; a state machine with any
other cannot be created. ``ValidateStateMachineDefinition`` makes the check of CreateStateMachine, creates nothing, and takes no
role: https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinition.html
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from sizewell.deploy.assembly import AssemblyStack
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import is_intrinsic, is_open, mapping, text, with_placeholders

#: What the service finds wrong: ``code``, ``message`` and, where there is one, ``location`` of each fault.
Answer = Sequence[Mapping[str, str]]
Validate = Callable[[AssemblyStack, str, str], Answer]
"""Asks the service of a stack about a definition and the type of its state machine, STANDARD or EXPRESS."""

_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
#: By the end of the name of a placeholder: what may stand wherever an ARN of that kind may.
_ARNS = (
    ("TopicArn", "arn:{AWS::Partition}:sns:{AWS::Region}:{AWS::AccountId}:placeholder"),
    ("RoleArn", "arn:{AWS::Partition}:iam::{AWS::AccountId}:role/placeholder"),
    ("Arn", "arn:{AWS::Partition}:lambda:{AWS::Region}:{AWS::AccountId}:function:placeholder"),
)
#: Of one state machine: one mistake may bring many.
_MOST_FAULTS = 5


class InvalidStateMachinesError(Exception):
    """Step Functions would not create these state machines; the text has its words."""


def validate_state_machines(stacks: Sequence[AssemblyStack], validate: Validate) -> int:
    """Show every definition to Step Functions, and return how many there are.

    Raises InvalidStateMachinesError with all that it refuses. A definition that is not in its template, but in S3 for example, is
    not shown.
    """
    count, lines = 0, []
    for stack in stacks:
        for machine, definition in _definitions(stack):
            count += 1
            name = text(machine.written.get("StateMachineName")) or machine.logical_id
            kind = text(machine.written.get("StateMachineType")) or "STANDARD"
            if faults := validate(stack, definition, kind):
                lines.append(f"{stack.name}: Step Functions refuses the state machine {name}:")
                lines += [f"  {_words(fault)}" for fault in faults[:_MOST_FAULTS]]
                lines += [f"  and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
    if lines:
        what_to_do = (
            "nothing was deployed. What the configuration asks for makes these requests: leave it out, or report the field "
            "that is not supported"
        )
        raise InvalidStateMachinesError("\n".join([*lines, what_to_do]))
    return count


def _words(fault: Mapping[str, str]) -> str:
    place = f" at {fault['location']}" if fault.get("location") else ""
    return f"{fault['message']} ({fault['code']}{place})"


def _definitions(stack: AssemblyStack) -> Iterator[tuple[Resource, str]]:
    pseudo = {
        "AWS::Partition": "aws",
        "AWS::Region": "us-east-1",
        "AWS::AccountId": "000000000000",
        **stack.stack.place.texts,
    }
    for machine in Template(stack.stack.template).of_type("AWS::StepFunctions::StateMachine"):
        whole = machine.written.get("Definition")
        if isinstance(whole, Mapping) and not is_intrinsic(whole):
            written: str | None = json.dumps(whole)
        else:
            written = with_placeholders(machine.written.get("DefinitionString"))
        if written is not None and not _PLACEHOLDER.fullmatch(written):
            values = mapping(machine.written.get("DefinitionSubstitutions"))
            yield machine, _filled(written, values, pseudo)


def _filled(written: str, values: Mapping[str, object], pseudo: Mapping[str, str]) -> str:
    """Return a definition with a value for each placeholder: the known one, or any of its kind."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        known = pseudo.get(name) or with_placeholders(values.get(name))
        if known is not None and not is_open(known):
            return known
        template = next((arn for end, arn in _ARNS if name.endswith(end)), "placeholder")
        return re.sub(r"\{([^}]*)\}", lambda part: pseudo[part[1]], template)

    return _PLACEHOLDER.sub(value, written)
