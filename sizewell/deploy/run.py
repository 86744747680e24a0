"""Deploy the stacks of an output: ``cdk deploy`` for those that it can do alone, three updates in turn for the others."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from sizewell.deploy.assembly import Assembly, AssemblyStack
from sizewell.deploy.autoscaling_steps import AutoscalingSteps, DeployedStack, autoscaling_steps
from sizewell.deploy.cloudformation import UPDATABLE, CloudFormation, CloudFormationError, Connect
from sizewell.deploy.released_scaling import (
    has_released_function,
    is_released_scaling,
    without_released_scaling,
)
from sizewell.facts.scaling import AUTOSCALING_PARAMETER, OFF, ON

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Of a command that succeeded in CloudFormation's eyes, but left a stack without autoscaling.
LEFT_OFF_EXIT_CODE = 1


class Interrupted(KeyboardInterrupt):
    """A second signal: its sender does not want to wait."""


@dataclass
class Deployment:
    """One run of ``sizewell deploy``.

    ``say`` tells people what is done and what the state is. ``cdk`` is the command with everything but the stacks,
    ``("cdk", "deploy", "--app", "cdk.out", ...)``, and ``environment`` the one in which it runs.
    """

    assembly: Assembly
    cdk: Sequence[str]
    environment: Mapping[str, str]
    connect: Connect
    say: Callable[[str], None]
    _signal: int | None = field(default=None, init=False)
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def run(self, selected: Sequence[AssemblyStack]) -> int:
        """Deploy the stacks, which are sorted by their dependencies; return the exit code.

        A stack whose autoscaling has to be off is deployed after all that do not depend on it, and alone, so that it is
        off for as short a time as can be. Whatever happens meanwhile, it is turned on again in the end, unless the
        command is killed or interrupted twice, or CloudFormation takes no update: the next run goes on from there.
        """
        with self._listening():
            found = {stack.stack_id: self._at_rest(stack, self.connect(stack)) for stack in selected}
            if faults := self._end_released_scaling(selected, found):
                self.say(faults)
                return LEFT_OFF_EXIT_CODE
            steps = {stack.stack_id: self._steps(stack, found[stack.stack_id]) for stack in selected}
            stepped = {stack_id for stack_id, needed in steps.items() if needed}
            after = {
                stack.stack_id for stack in selected if self.assembly.above(stack.stack_id) & stepped
            } - stepped
            first = [stack for stack in selected if stack.stack_id not in stepped | after]
            code = self._deploy(first)
            for stack in selected:
                if code == 0 and self._signal is None and stack.stack_id in stepped:
                    code = self._deploy_in_steps(stack, steps[stack.stack_id])
            if code == 0 and self._signal is None:
                code = self._deploy([stack for stack in selected if stack.stack_id in after])
        return 128 + self._signal if self._signal is not None else code

    def _steps(self, stack: AssemblyStack, deployed: DeployedStack | None) -> AutoscalingSteps:
        if deployed is None and self.connect(stack).release_failed_creation(stack.name):
            self.say(
                f"{self._named(stack)}: its creation was rolled back; cdk deletes what is left and creates it anew"
            )
        return autoscaling_steps(deployed, stack.stack)

    def _at_rest(self, stack: AssemblyStack, cloud: CloudFormation) -> DeployedStack | None:
        """Return a stack when nothing goes on in it any more."""
        name = stack.name
        deployed = cloud.read(name)
        if deployed is not None and deployed.status.endswith("_IN_PROGRESS"):
            self.say(f"{name}: {deployed.status}; waiting for the end of it")
            cloud.wait(name)
            deployed = cloud.read(name)
        return deployed

    def _end_released_scaling(
        self, selected: Sequence[AssemblyStack], found: dict[str, DeployedStack | None]
    ) -> str:
        """Take stacks out of the hands of the function of release 0.1; return why it cannot be done.

        ``found`` is what is deployed of the selected stacks, before and after it.
        """
        with_function = {
            stack_id for stack_id, stack in found.items() if stack and has_released_function(stack.template)
        }
        left_out = [
            stack.stack_id
            for stack in self.assembly.stacks.values()
            if stack.stack_id not in found
            and self.assembly.above(stack.stack_id) & with_function
            and (deployed := self._at_rest(stack, self.connect(stack))) is not None
            and is_released_scaling(deployed.template)
        ]
        if left_out:
            return (
                f"{', '.join(left_out)}: still scaled by the function of release 0.1, which this deployment deletes; deploy "
                "these stacks together with the others: sizewell deploy without naming stacks"
            )
        for stack in selected:
            deployed = found[stack.stack_id]
            if deployed is None or not is_released_scaling(deployed.template):
                continue
            name, cloud = self._named(stack), self.connect(stack)
            self.say(f"{name}: ending the scaling of release 0.1; the new template scales it again")
            state = cloud.update(deployed, {}, without_released_scaling(deployed.template))
            self.say(f"{name}: {state}")
            if state != "UPDATE_COMPLETE":
                return f"{name}: not updated ({state}), so nothing was deployed"
            found[stack.stack_id] = cloud.read(stack.name)
        return ""

    def _deploy_in_steps(self, stack: AssemblyStack, steps: AutoscalingSteps) -> int:
        name = self._named(stack)
        for reason in steps.reasons:
            self.say(f"{name}: {reason}, which SageMaker refuses while the variant is autoscaled")
        if not steps.reasons:
            self.say(f"{name}: a deployment that did not finish left autoscaling off")
        try:
            if steps.turn_off:
                self._switch(stack, OFF, "1 of 3: ")
            code = 128 + self._signal if self._signal is not None else 0
            if code == 0:
                self.say(f"{name}: 2 of 3: deploying with autoscaling off")
                code = self._deploy([stack], autoscaling=OFF if steps.deploy_off else None)
        finally:
            left_off = not self._turn_on_again(stack)
        return code or (LEFT_OFF_EXIT_CODE if left_off else 0)

    def _turn_on_again(self, stack: AssemblyStack) -> bool:
        """Turn autoscaling on where the deployed template has it; return whether it is not left off."""
        name, cloud = self._named(stack), self.connect(stack)
        if self._signal is not None:
            self.say(
                f"{name}: turning autoscaling on before this command ends; interrupt again to leave it off"
            )
        try:
            deployed = self._at_rest(stack, cloud)
            if deployed is None or deployed.autoscaling != OFF:
                return True
            state = self._switch(stack, ON, "3 of 3: ")
            after = cloud.read(stack.name)
            if after is not None and after.autoscaling == ON and state in UPDATABLE:
                return True
        except CloudFormationError as error:
            self.say(str(error))
        except Interrupted:
            self.say(f"{name}: interrupted; autoscaling is off until sizewell deploy is run for it again")
            raise
        self.say(
            f"{name}: autoscaling is off. Mend what CloudFormation says, then run sizewell deploy for it again"
        )
        return False

    def _switch(self, stack: AssemblyStack, value: str, step: str) -> str:
        """Set the parameter of what is deployed; return the state in which the stack ends."""
        name, cloud = self._named(stack), self.connect(stack)
        deployed = cloud.read(stack.name)
        if deployed is None or deployed.status not in UPDATABLE:
            state = deployed.status if deployed else "not there"
            raise CloudFormationError(
                f"{name}: autoscaling cannot be turned {value} in the state {state}. cdk rollback {stack.name} takes a "
                "failed deployment back; then run sizewell deploy again"
            )
        self.say(f"{name}: {step}turning autoscaling {value}")
        state = cloud.update(deployed, {AUTOSCALING_PARAMETER: value})
        self.say(
            f"{name}: autoscaling is {value} ({state})" if state == "UPDATE_COMPLETE" else f"{name}: {state}"
        )
        if value == OFF and state != "UPDATE_COMPLETE":
            raise CloudFormationError(
                f"{name}: autoscaling could not be turned off ({state}); nothing was deployed"
            )
        return state

    def _deploy(self, stacks: Sequence[AssemblyStack], autoscaling: str | None = None) -> int:
        """Run ``cdk deploy`` for some stacks alone, and return its exit code."""
        if not stacks or self._signal is not None:
            return 0
        if autoscaling is None:
            self.say(f"deploying {', '.join(map(self._named, stacks))}")
        ids = [stack.stack_id for stack in stacks]
        given = [f"{stack_id}:{AUTOSCALING_PARAMETER}={autoscaling}" for stack_id in ids if autoscaling]
        parameters = [word for setting in given for word in ("--parameters", setting)]
        return self._call([*self.cdk, *ids, "--exclusively", *parameters])

    def _named(self, stack: AssemblyStack) -> str:
        """Return what people read of a stack that is changed: its name, account and region."""
        return f"{stack.name} ({self.connect(stack).where})"

    def _call(self, command: Sequence[str]) -> int:
        """Run a command in this terminal, and return its exit code as a shell counts it."""
        with subprocess.Popen(command, env=self.environment) as self._child:
            code = self._child.wait()
        self._child = None
        return code if code >= 0 else 128 - code

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Remember the first signal and hand it on to ``cdk``; only a second one interrupts what we do ourselves."""
        previous = {number: signal.signal(number, self._hear) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        again, self._signal = self._signal is not None, number
        if self._child is not None and self._child.poll() is None:
            # In a terminal it has heard SIGINT itself: its process group is ours.
            if number != signal.SIGINT or not os.isatty(0):
                self._child.send_signal(number)
        elif again:
            raise Interrupted
