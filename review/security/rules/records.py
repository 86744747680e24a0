"""Records of what happened, as settings of resources."""

from review.security.rules.settings import Setting, amount, attribute, choice, given, switch

_LOST = "logging-lost"
_GAINED = "logging-gained"
_WHY_GAINED = "More of what happens is recorded."

RECORDS = (
    Setting(
        ("AWS::S3::Bucket",),
        "LoggingConfiguration",
        given,
        _LOST,
        _GAINED,
        "Nobody can say afterwards who read or wrote an object.",
        _WHY_GAINED,
    ),
    Setting(
        ("AWS::StepFunctions::StateMachine",),
        "LoggingConfiguration.Level",
        choice({"OFF": 0, "FATAL": 1, "ERROR": 2, "ALL": 3}, missing=0),
        _LOST,
        _GAINED,
        "Less of each execution is recorded.",
        _WHY_GAINED,
    ),
    Setting(
        ("AWS::Logs::LogGroup",),
        "RetentionInDays",
        amount,
        "log-retention-shortened",
        "log-retention-lengthened",
        "Events that are older are deleted, those that are there already as well.",
        "Events are kept longer.",
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "IsLogging",
        switch(None),
        _LOST,
        _GAINED,
        "Calls to AWS are no longer recorded.",
        _WHY_GAINED,
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "IsMultiRegionTrail",
        switch(0),
        _LOST,
        _GAINED,
        "Calls in other regions are no longer recorded.",
        _WHY_GAINED,
    ),
    Setting(
        ("AWS::CloudTrail::Trail",),
        "EnableLogFileValidation",
        switch(0),
        _LOST,
        _GAINED,
        "Nobody can prove that the record was not changed.",
        "The record can be proved.",
    ),
    Setting(
        ("AWS::EC2::FlowLog",),
        "TrafficType",
        choice({"ACCEPT": 0, "REJECT": 0, "ALL": 1}, missing=1),
        _LOST,
        _GAINED,
        "Part of the traffic is no longer recorded.",
        _WHY_GAINED,
    ),
    Setting(
        ("AWS::ElasticLoadBalancingV2::LoadBalancer",),
        "LoadBalancerAttributes",
        attribute("access_logs.s3.enabled"),
        _LOST,
        _GAINED,
        "Nobody can say afterwards which requests there were.",
        _WHY_GAINED,
    ),
    Setting(
        ("AWS::ApiGateway::Stage",),
        "AccessLogSetting",
        given,
        _LOST,
        _GAINED,
        "Nobody can say afterwards who called the API.",
        _WHY_GAINED,
    ),
    Setting(
        ("AWS::ApiGatewayV2::Stage",),
        "AccessLogSettings",
        given,
        _LOST,
        _GAINED,
        "Nobody can say afterwards who called the API.",
        _WHY_GAINED,
    ),
)
