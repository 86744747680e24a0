"""The commands that change the local cloud: start it, deploy to it, destroy what is deployed."""

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from sizewell_localcloud import daemon
from sizewell_localcloud.cdk import DEPLOY, DESTROY, CdkError, run_cdk
from sizewell_localcloud.environment import require_environment
from sizewell_localcloud.interrupts import held
from sizewell_localcloud.places import STATE_DIRECTORY, shown
from sizewell_localcloud.progress import Progress
from sizewell_localcloud.reports import assembly_of, client, places_of, run_module, show
from sizewell_localcloud.state import Deployment, State, save_state
from sizewell_localcloud.variables import LOOPBACK, client_environment

#: Where nothing answers, on the discard port: a synth must not call AWS.
UNREACHABLE_URL = f"http://{LOOPBACK}:9"
NEXT_STEPS = f"""\
Use it:  eval "$({shown("python")} -m sizewell_localcloud env)"    then aws, boto3 and cdk of this shell talk to it
End it:  {shown("sizewell")} destroy-local"""


#: What the CDK CLI wants to be told of an account that trusts another one; without trust it is its own default.
ADMINISTRATOR = ("--cloudformation-execution-policies", "arn:aws:iam::aws:policy/AdministratorAccess")


def up(progress: Progress) -> State:
    """Return the local cloud that runs, or start one."""
    return _find(progress) or _start(progress)


def deploy(environment: str, config: str, progress: Progress, *, verbose: bool = False) -> None:
    """Deploy an environment to the local cloud with the real ``cdk``, and show what is deployed then.

    An emulator that ran before goes on running, however this ends. One that this command started ends when the command
    is interrupted, and nothing of it is left; it stays when ``cdk`` fails, to look at what it holds.
    """
    # Held, because it may end an emulator that cannot be used: afterwards one runs, or nothing is left of it.
    with held():
        before = _find(progress)
    state = before
    try:
        assembly = _synthesize(environment, config, progress)
        state = state or _start(progress)
        deployment, *_ = places = places_of(environment)
        bootstrapped = {(d.account, d.region) for d in state.deployments}
        for place in places:
            if (place.account, place.region) not in bootstrapped:
                _bootstrap(place, deployment.account, assembly, client(state, place), progress)
            _make_clusters(place, assembly, client(state, place))
        variables = client(state, deployment)
        save_state(state.with_deployment(deployment))
        with progress.phase(f"deploying {environment}"):
            arguments = [*DEPLOY, "--app", str(assembly)]
            run_cdk(arguments, variables, _log(f"deploy-{environment}"), progress, verbose=verbose)
        progress.say(f"{environment} is deployed at {state.endpoint_url}, after {progress.seconds:.1f} s")
        for place in places:
            show(client(state, place), "deployed", place)
        print(NEXT_STEPS, flush=True)
    except KeyboardInterrupt:
        with held():
            progress.clear()
            if before is None or not before.is_ours():
                daemon.end()
        raise
    except CdkError:
        if state is None:
            daemon.remove_files()
        else:
            progress.say(
                f"the emulator goes on running; everything cdk said is in {STATE_DIRECTORY.name}/*.log"
            )
        raise


def destroy(progress: Progress, *, verbose: bool = False) -> None:
    """Destroy every deployed environment, say what its removal policy keeps, and end the emulator."""
    state = daemon.find(STATE_DIRECTORY)
    if state is None:
        daemon.end()
        progress.say("no local cloud runs; nothing of it is left")
        return
    try:
        for deployment in reversed(state.deployments):
            variables = client(state, deployment)
            arguments = [*DESTROY, "--app", str(assembly_of(deployment.environment))]
            _end_protection(deployment.environment, variables)
            with progress.phase(f"destroying {deployment.environment}"):
                run_cdk(arguments, variables, _log("destroy"), progress, verbose=verbose)
            for place in places_of(deployment.environment):
                show(client(state, place), "kept", place)
    finally:
        with held(), progress.phase("ending the emulator"):
            daemon.end()


def _bootstrap(
    place: Deployment, deployer: str, assembly: Path, variables: dict[str, str], progress: Progress
) -> None:
    """Make what the stacks of a place look for, under the names that the plan gives it; ``deployer`` is an account."""
    plan = json.loads((assembly / "plan.json").read_text("utf-8"))
    names = plan["foundation"]["bootstrap"] or {}
    flags = {
        "--qualifier": names.get("qualifier"),
        "--bootstrap-bucket-name": names.get("file_assets_bucket_name"),
    }
    arguments = [f"{flag}={name}" for flag, name in flags.items() if name is not None]
    if place.account != deployer:
        arguments += ["--trust", deployer, *ADMINISTRATOR]
    target = f"aws://{place.account}/{place.region}"
    with progress.phase(f"bootstrapping {target}"):
        run_cdk(["bootstrap", target, *arguments, "--app", str(assembly)], variables, _log("bootstrap"))


def _make_clusters(place: Deployment, assembly: Path, variables: dict[str, str]) -> None:
    """Make what a platform only names: the clusters in which workloads of a place run."""
    plan = json.loads((assembly / "plan.json").read_text("utf-8"))
    where = {one["place"]: (one["account"], one["region"]) for one in (plan["foundation"], *plan["places"])}
    clusters = {
        _named(workload["kind"].partition("-")[0], cluster)
        for workload in plan["workloads"]
        if (cluster := workload.get("cluster")) and where[workload["place"]] == (place.account, place.region)
    }
    if clusters:
        run_module("sizewell_localcloud.clusters", sorted(clusters), variables)


def _named(service: str, cluster: dict[str, str]) -> str:
    version = cluster.get("version")
    return f"{service}/{cluster['name']}" + (f"={version}" if version else "")


def _end_protection(environment: str, variables: dict[str, str]) -> None:
    """Take the protection from deletion off the stacks of production; cdk names what else keeps a stack from deletion."""
    plan = json.loads((assembly_of(environment) / "plan.json").read_text("utf-8"))
    if plan.get("production"):
        run_module("sizewell_localcloud.termination_protection", [], variables)


def _find(progress: Progress) -> State | None:
    require_environment()
    state = daemon.find_or_clean_up(say=progress.say)
    if state is not None:
        progress.say(f"the local cloud runs at {state.endpoint_url} (process {state.pid})")
    return state


def _start(progress: Progress) -> State:
    with progress.phase("starting the emulator"):
        return daemon.start()


def _synthesize(environment: str, config: str, progress: Progress) -> Path:
    """Write the templates once: bootstrap, deploy and destroy read them, and the kernel starts no second time.

    Into a directory of its own; what a killed run left of its own is removed.
    """
    assembly = assembly_of(environment)
    for left in STATE_DIRECTORY.glob(f"{assembly_of('*').name}.new-*"):
        shutil.rmtree(left, ignore_errors=True)
    variables = client_environment(
        UNREACHABLE_URL, "", "000000000000", "us-east-1", STATE_DIRECTORY / "cdk-home"
    )
    context = ["--context", f"env={environment}", "--context", f"config={config}"]
    with TemporaryDirectory(
        prefix=f"{assembly.name}.new-", dir=STATE_DIRECTORY, ignore_cleanup_errors=True
    ) as own:
        fresh = Path(own, "cdk.out")
        arguments = ["synth", "--quiet", "--no-lookups", *context, "--output", str(fresh)]
        with progress.phase(f"synthesizing {environment}"):
            run_cdk(arguments, variables, _log("synth"))
        # A deployed environment is never without its templates: destroy needs them.
        with held():
            shutil.rmtree(assembly, ignore_errors=True)
            fresh.rename(assembly)
    return assembly


def _log(name: str) -> Path:
    return STATE_DIRECTORY / f"{name}.log"
