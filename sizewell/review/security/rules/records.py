"""Records of what happened, as settings of resources."""

from typing import Any

from sizewell.review.security.rules.settings import Setting, amount, attribute, choice, given, switch
from sizewell.templates.alternatives import dumped, items
from sizewell.templates.values import flag, maps


def _recorded(why_lost: str, why_gained: str = "More events are recorded.") -> tuple[str, str, str, str]:
    return "logging-lost", "logging-gained", why_lost, why_gained


def _management_events(value: Any) -> float:
    """Return 2 for all of them, which is what a trail records without selectors, 1 for a part, 0 for none.

    https://docs.aws.amazon.com/awscloudtrail/latest/APIReference/API_EventSelector.html
    """
    if value is None:
        return 2
    return max(
        (
            2.0 if selector.get("ReadWriteType", "All") == "All" else 1.0
            for _, selector in maps(value)
            if flag(selector.get("IncludeManagementEvents")) is not False
        ),
        default=0.0,
    )


def _data_events(value: Any) -> float:
    """Return how many kinds of data are recorded."""
    return float(
        len({dumped(data) for _, selector in maps(value) for data in items(selector.get("DataResources"))})
    )


RECORDS = (
    Setting(
        ("AWS::S3::Bucket",),
        "LoggingConfiguration",
        given,
        *_recorded("No log shows any more who read or wrote an object."),
    ),
    Setting(
        ("AWS::StepFunctions::StateMachine",),
        "LoggingConfiguration.Level",
        choice({"OFF": 0, "FATAL": 1, "ERROR": 2, "ALL": 3}, missing=0),
        *_recorded("Less of each execution is recorded."),
    ),
    Setting(
        ("AWS::Logs::LogGroup",),
        "RetentionInDays",
        amount,
        "log-retention-shortened",
        "log-retention-lengthened",
        "Older events are deleted, including those that exist already.",
        "Events are kept longer.",
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "IsLogging",
        switch(None),
        *_recorded("Calls to AWS are no longer recorded."),
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "IsMultiRegionTrail",
        switch(0),
        *_recorded("Calls in other regions are no longer recorded."),
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "EnableLogFileValidation",
        switch(0),
        *_recorded(
            "Nobody can prove any more that the log was not changed.",
            "The integrity of the log can be proved.",
        ),
    ),
    Setting(
        ("AWS::EC2::FlowLog",),
        "TrafficType",
        choice({"ACCEPT": 0, "REJECT": 0, "ALL": 1}, missing=1),
        *_recorded("Part of the traffic is no longer recorded."),
    ),
    Setting(
        ("AWS::ElasticLoadBalancingV2::LoadBalancer",),
        "LoadBalancerAttributes",
        attribute("access_logs.s3.enabled"),
        *_recorded("No log shows the requests any more."),
    ),
    Setting(
        ("AWS::ApiGateway::Stage",),
        "AccessLogSetting",
        given,
        *_recorded("No log shows any more who called the API."),
    ),
    Setting(
        ("AWS::ApiGatewayV2::Stage",),
        "AccessLogSettings",
        given,
        *_recorded("No log shows any more who called the API."),
    ),
    Setting(
        ("AWS::GuardDuty::Detector",),
        "Enable",
        switch(None),
        *_recorded("GuardDuty no longer looks for threats.", "GuardDuty looks for threats."),
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "EventSelectors",
        _management_events,
        *_recorded("Calls that manage resources are recorded in part, or not at all."),
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "EventSelectors",
        _data_events,
        *_recorded("Calls that read or write data are no longer recorded."),
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "AdvancedEventSelectors",
        given,
        *_recorded("Calls that these selectors choose are no longer recorded."),
    ),
)
