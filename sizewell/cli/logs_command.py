"""``sizewell logs``: the log events of a workload."""

import re
from pathlib import Path

from sizewell.account.logs import LogEvent, follow_logs, log_sources, read_logs
from sizewell.cli.account_command import account_of
from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.cli.output import echo, tell
from sizewell.config.printable import printable_line
from sizewell.deploy.cloudformation import CloudFormationError, as_our_error
from sizewell.facts.durations import DAY_S, HOUR_S, MINUTE_S
from sizewell.planning import load_plan

_UNITS_S = {"m": MINUTE_S, "h": HOUR_S, "d": DAY_S}


def seconds_of(since: str) -> int | None:
    """Return the seconds of 30m, 1h or 2d; None where it is no such text."""
    found = re.fullmatch(r"([1-9][0-9]{0,3})([mhd])", since)
    return int(found[1]) * _UNITS_S[found[2]] if found else None


def print_logs(
    directory: Path, environment: str, workload: str, profile: str | None, since_s: int, *, follow: bool
) -> None:
    """Print the events of the last seconds, and with ``follow`` what comes until somebody interrupts.

    Ends the command where nothing can be read. Raises ``ConfigError``.
    """
    plan = load_plan(directory, environment)
    by_name = {planned.name: planned for planned in plan.workloads}
    if workload not in by_name:
        exit_unknown_workload(workload, environment, by_name)
    planned = by_name[workload]
    if planned.kubectl_logs:
        tell(f"{workload} runs in a cluster, whose logs are not in CloudWatch; run:")
        echo(f"{planned.kubectl_logs} --since={since_s // MINUTE_S}m{' --follow' if follow else ''}")
        return
    foundation = plan.foundations[planned.place]
    try:
        aws = account_of(foundation, profile)
        with as_our_error(f"logs of {workload}"):
            sources = log_sources(aws, planned)
            if not sources:
                exit_with(f"{workload} has no logs in {aws.where}: it is not deployed, or has not run yet")
            for source in sources:
                tell(f"{source.group}{f', {source.stream_prefix}' if source.stream_prefix else ''}:")
            events = 0
            for event in follow_logs(aws, sources, since_s) if follow else read_logs(aws, sources, since_s):
                events += 1
                echo(line_of(event))
            if not events:
                tell(
                    f"no event in that time; --since 1d looks further back than {since_s // MINUTE_S} minutes"
                )
    except CloudFormationError as error:
        is_of_logs = "AccessDenied" in str(error) and "GetCallerIdentity" not in str(error)
        exit_with(f"{error}\n{_ALLOW}" if is_of_logs else str(error))
    except KeyboardInterrupt:
        return


_ALLOW = (
    "  logs need cloudformation:DescribeStacks, cloudformation:GetTemplate, cloudformation:ListStackResources,\n"
    "  logs:DescribeLogStreams and logs:FilterLogEvents: ask the administrator of the account for them, or name another profile"
)


def line_of(event: LogEvent) -> str:
    """Return time in UTC, stream and message in one line that steers no terminal and shows no secret."""
    at = event.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{at} {printable_line(event.stream)} {printable_line(event.message.expandtabs().rstrip())}"
