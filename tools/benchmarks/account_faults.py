"""Commands that talk to AWS, while AWS does not behave: nothing may be lost, and nothing said that is not so.

python -m tools.benchmarks.account_faults --minutes 60 --seed 1

An environment is deployed to the local cloud. Then, until the time is over, a command runs while a request of it is throttled,
refused, cut off or slow, its credentials expire, it is killed, or a second operator deploys. A command that reads may answer as
without the fault, or say what it could not read. A deployment may fail; the next one must succeed, and leave what was planned.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizewell_localcloud.cloud import LocalCloud
from tests.integration.harness import Deployment
from tests.synthesis import PROJECT_ROOT, synthesize
from tools.benchmarks.faulty_proxy import KINDS, Fault, FaultyProxy, faulty_proxy

#: Longer than all retries of botocore and of the CDK CLI.
PATIENCE_S = 300
#: Requests that change nothing, by the first letters of the operations or methods.
_READS = ("Describe", "List", "Get", "Head", "Validate", "Simulate", "BatchGet", "GET", "HEAD", "AssumeRole")
#: Done, found something or not read, and of a review: not read.
EXIT_CODES = (0, 1, 2)
COMMANDS = ("preflight", "verify", "status", "review", "deploy")
#: As often as a client tries again, and once more.
_ALL_TRIES = 10


@dataclass(frozen=True)
class ProxiedCloud:
    """The local cloud, behind the proxy."""

    cloud: LocalCloud
    proxy: FaultyProxy

    def environment(self, account: str, region: str) -> dict[str, str]:
        """Return the environment of a command whose requests go through the proxy."""
        return {**self.cloud.environment(account, region), "AWS_ENDPOINT_URL": self.proxy.url}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


@dataclass
class Profile:
    """One environment that is deployed, and the chance of a seed."""

    direct: Deployment
    proxied: Deployment
    proxy: FaultyProxy
    chance: random.Random

    def reads(self) -> dict[str, list[str]]:
        """Return the commands that read the account."""
        output = str(self.direct.assembly)
        named = ["--env", self.direct.plan.environment]
        return {
            "preflight": ["preflight", *named, "--json"],
            "verify": ["verify", *named, "--json"],
            "status": ["status", *named, "--json"],
            "review": ["review", "--base", "deployed", "--head", output, "--json", "-"],
        }

    def run(self, arguments: list[str]) -> Ended:
        """Run a command of sizewell behind the proxy."""
        ended = subprocess.run(
            [sys.executable, "-m", "sizewell.cli.main", *arguments],
            cwd=PROJECT_ROOT,
            env=self.proxied.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def read(self, name: str, arguments: list[str]) -> tuple[str, list[str]]:
        """Run a command that reads with one fault; return what was done, and what is wrong."""
        self.proxy.begin()
        before = self.run(arguments)
        requests = len(self.proxy.operations)
        wrong = [
            f"changes the account: {each}" for each in self.proxy.operations if not each.startswith(_READS)
        ]
        fault = Fault(
            self.chance.choice(KINDS),
            self.chance.randint(1, max(1, requests)),
            self.chance.choice((1, _ALL_TRIES)),
        )
        self.proxy.begin(fault)
        after = self.run(arguments)
        return f"{name} {fault}", [*wrong, *differences(before, after)]

    def deploy(self) -> tuple[str, list[str]]:
        """Disturb a deployment that changes something, deploy once more, and look whether all is as planned."""
        assembly, what = self._changed()
        done = self._disturbed(assembly)
        wrong = self._trace(done.stdout)
        for target in (assembly, self.direct.assembly):
            self.proxy.begin()
            again = self._wait(self._start(target))
            if again.code != 0:
                wrong.append(f"the next deployment ends with {again.code}:\n{again.stdout[-2000:]}")
        return what, wrong + self._off()

    def _changed(self) -> tuple[Path, str]:
        endpoint = self.chance.choice(self.direct.plan.endpoints)
        name = f"changed-{self.chance.randrange(10**9)}"

        def edit(template: dict[str, Any]) -> None:
            for resource in template["Resources"].values():
                if resource["Type"] == "AWS::SageMaker::Model":
                    resource["Properties"].pop("ModelName", None)
                    container = resource["Properties"].get("PrimaryContainer")
                    if container is not None:
                        container.setdefault("Environment", {})["CHANGED"] = name

        return self.direct.edited(endpoint.stack_name, edit, name="changed"), f"deploy {endpoint.name}"

    def _disturbed(self, assembly: Path) -> Ended:
        how = self.chance.choice(("fault", "fault", "interrupt", "terminate", "kill", "second operator"))
        at = self.chance.randint(1, 60)
        if how == "fault":
            self.proxy.begin(Fault(self.chance.choice(KINDS), at, self.chance.choice((1, _ALL_TRIES))))
            return self._wait(self._start(assembly))
        if how == "second operator":
            self.proxy.begin()
            first, second = self._start(assembly), self._start(self.direct.assembly)
            ends = self._wait(first), self._wait(second)
            return Ended(ends[0].code, ends[0].stdout + ends[1].stdout, "")
        number = {"interrupt": signal.SIGINT, "terminate": signal.SIGTERM, "kill": signal.SIGKILL}[how]
        process: list[subprocess.Popen[str]] = []

        def strike(request: int) -> None:
            if request == at and process:
                os.killpg(process[0].pid, number)

        self.proxy.begin(None, strike)
        process.append(self._start(assembly))
        return self._wait(process[0])

    def _start(self, assembly: Path) -> "subprocess.Popen[str]":
        return self.proxied.start_sizewell_deploy(assembly=assembly)

    @staticmethod
    def _wait(process: "subprocess.Popen[str]") -> Ended:
        stdout, _ = process.communicate(timeout=PATIENCE_S)
        return Ended(process.returncode, stdout, "")

    @staticmethod
    def _trace(printed: str) -> list[str]:
        return [f"a trace:\n{printed[-3000:]}"] if "Traceback" in printed else []

    def _off(self) -> list[str]:
        """Return what is not as planned although a deployment succeeded."""
        verified = self.run(["verify", "--env", self.direct.plan.environment, "--json"])
        found = json.loads(verified.stdout)["findings"]
        return [f"verify: {finding}" for finding in found if finding["outcome"] == "fail"]


def differences(before: Ended, after: Ended) -> list[str]:
    """Return what a command that reads said under a fault, and should not have said."""
    wrong = []
    if "Traceback" in after.stderr + after.stdout:
        wrong.append(f"a trace:\n{after.stderr[-3000:]}")
    if after.code not in EXIT_CODES:
        wrong.append(f"ends with {after.code}: {after.stderr[-500:]}")
    if not after.stdout:
        return wrong if after.stderr.strip() and after.code else [*wrong, "ends without a word"]
    try:
        said, known = json.loads(after.stdout), json.loads(before.stdout)
    except ValueError:
        return [*wrong, f"prints what is no JSON: {after.stdout[-500:]}"]
    if "places" in said:
        rows = zip(_workloads(said), _workloads(known), strict=True)
        return [
            *wrong,
            *(f"says what is not so: {now}" for now, was in rows if now != was and not now["not_read"]),
        ]
    if "findings" not in said:
        return wrong if said == known else [*wrong, "says something else than without the fault"]
    true = [json.dumps(finding) for finding in known["findings"]]
    for finding in said["findings"]:
        if finding["outcome"] != "unknown" and json.dumps(finding) not in true:
            wrong.append(f"finds what is not so: {finding}")
    return wrong


def _workloads(status: dict[str, Any]) -> list[dict[str, Any]]:
    return [workload for place in status["places"] for workload in place["workloads"]]


def main() -> None:
    """Run until the time is over, print what went wrong, and end with 1 where anything did."""
    options = _options()
    until = time.monotonic() + options.minutes * 60
    done: Counter[str] = Counter()
    failed = 0
    with LocalCloud() as cloud, faulty_proxy(cloud.port) as proxy, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assembly = folder / "cdk.out"
        synthesize(options.env, assembly)
        direct = Deployment(cloud=cloud, assembly=assembly, folder=folder)
        direct.bootstrap()
        direct.sizewell_deploy()
        proxied = Deployment(cloud=ProxiedCloud(cloud, proxy), assembly=assembly, folder=folder)
        profile = Profile(direct, proxied, proxy, random.Random(options.seed))
        reads = {name: words for name, words in profile.reads().items() if name in options.commands}
        while time.monotonic() < until:
            kind = profile.chance.choice(options.commands)
            what, wrong = profile.deploy() if kind == "deploy" else profile.read(kind, reads[kind])
            done[kind] += 1
            failed += bool(wrong)
            for fault in wrong:
                print(f"{what}: {fault}", flush=True)
            print(f"{sum(done.values())}: {what}", file=sys.stderr, flush=True)
    print(f"seed {options.seed}: {dict(done)}, {failed} of them wrong")
    sys.exit(bool(failed))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--env", default="dev")
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=COMMANDS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
