"""What the jobs of an execution have cost, in JSONata over ``$job``, the description of one that has ended."""

#: A variable of the execution: seconds that have been paid for at an unknown price.
UNPRICED = "unpriced_s"
#: What the instances of all jobs have cost.
USD = f"${UNPRICED} > 0 ? 'unknown' : $round($usd, 2)"


def cost_totals(paid_s: str) -> dict[str, str]:
    """Return the totals of a workflow: what a job adds that was paid for so many seconds, by ``$job_usd_per_hour``."""
    return {
        "usd": f"({paid_s}) * $job_usd_per_hour / 3600",
        # A price of zero is none.
        UNPRICED: f"$job_usd_per_hour = 0 ? ({paid_s}) : 0",
    }


def seconds_between(start: str, end: str) -> str:
    """Return the seconds from one member of a description to another; 0 where the job never began.

    The SDK integration writes times as ISO 8601 texts: https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html
    """
    end_ms = f"$exists($job.{end}) ? $toMillis($job.{end}) : $millis()"
    return f"$exists($job.{start}) ? $round((({end_ms}) - $toMillis($job.{start})) / 1000) : 0"
