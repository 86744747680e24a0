import ast
import re
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.review.hazards import HAZARD_RULES, find_hazards
from sizewell.review.hazards.registry import RULES
from tests.review.builders import pair, resource, template
from tests.review.hazards.apps import alarm, endpoint_app, hazards

SEVERITIES = ("danger", "warning", "notice")

apps = st.builds(
    endpoint_app,
    instance_type=st.sampled_from(["ml.g5.xlarge", "ml.c7i.xlarge", {"Ref": "Type"}]),
    variant=st.sampled_from(["primary", "main"]),
    count=st.integers(0, 3),
    scaling=st.sampled_from(["switched", "native", None]),
    bounds=st.tuples(st.integers(0, 3), st.integers(3, 5)),
    image=st.sampled_from(["repository:1", "repository:2"]),
    Alarm=st.builds(alarm, Threshold=st.integers(1, 3), ActionsEnabled=st.sampled_from([True, False, None])),
)
FUNCTIONS = ["Ref", "VariantName", "Type", "CopyCount", "MetricName"]
FUNCTIONS += [f"Fn::{name}" for name in ("GetAtt", "If", "ImportValue", "Join", "Select", "Split", "Sub")]
#: What other apps may hold in the place of anything.
odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", "${A.B}"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(FUNCTIONS), inner, max_size=2)
    ),
    max_leaves=5,
)
KEYS = {
    "AWS::SageMaker::Endpoint": [
        "EndpointName",
        "EndpointConfigName",
        "DeploymentConfig",
        "RetainAllVariantProperties",
    ],
    "AWS::SageMaker::EndpointConfig": ["ProductionVariants", "AsyncInferenceConfig"],
    "AWS::SageMaker::Model": ["PrimaryContainer", "Containers", "VpcConfig"],
    "AWS::CloudWatch::Alarm": [
        "AlarmActions",
        "Dimensions",
        "EvaluationPeriods",
        "MetricName",
        "Metrics",
        "Statistic",
        "Threshold",
    ],
    "AWS::ApplicationAutoScaling::ScalableTarget": ["ResourceId", "MinCapacity", "ScalableDimension"],
    "AWS::SageMaker::InferenceComponent": ["EndpointName", "RuntimeConfig", "InferenceComponentName"],
    "AWS::ApplicationAutoScaling::ScalingPolicy": [
        "ScalingTargetId",
        "ResourceId",
        "TargetTrackingScalingPolicyConfiguration",
    ],
    "AWS::StepFunctions::StateMachine": ["Definition", "DefinitionString"],
    "AWS::Scheduler::Schedule": ["ScheduleExpression", "State"],
    "AWS::SSM::Parameter": ["Name"],
    "AWS::IAM::ManagedPolicy": ["PolicyDocument"],
}
odd_apps = st.fixed_dictionaries(
    {
        f"R{index}": st.builds(resource, st.just(type_), st.dictionaries(st.sampled_from(keys), odd))
        for index, (type_, keys) in enumerate(KEYS.items())
    }
).map(lambda resources: template(**resources))


def test_every_rule_has_a_name_and_a_sentence() -> None:
    assert list(HAZARD_RULES) == [rule.name for rule in RULES]
    assert len(HAZARD_RULES) == len(RULES)
    for name, description in HAZARD_RULES.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert description.endswith(".")


def asserted_rules(theme: str) -> set[str]:
    """The rules in the texts that a test of a theme asserts of whole hazards: where the tests pass, they find something."""
    tests = Path(__file__).with_name(f"test_{theme}.py")
    written = ast.parse(tests.read_text("utf-8") if tests.exists() else "").body
    return {
        rule
        for function in written
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_")
        for assertion in ast.walk(function)
        if isinstance(assertion, ast.Assert)
        for written_text in re.findall(r"described\(.+ == text\((.+)\)", ast.unparse(assertion), re.DOTALL)
        for rule in re.findall(rf"(?:{'|'.join(SEVERITIES)}) ([a-z-]+), ", written_text)
    }


def test_every_rule_has_a_test_in_which_it_finds_something() -> None:
    untested = [
        f"{rule.name}: assert the described hazard that it finds in tests/review/hazards/test_{rule.theme}.py"
        for rule in RULES
        if rule.name not in asserted_rules(rule.theme)
    ]
    assert untested == []


@given(apps, st.sampled_from(["dev", "prod"]))
def test_what_stays_is_no_hazard(app: dict[str, object], environment: str) -> None:
    assert hazards(app, app, environment=environment) == ()


@given(apps, apps)
def test_hazards_are_sorted_and_say_something(base: dict[str, object], head: dict[str, object]) -> None:
    found = hazards(base, head, environment="prod")
    keys = [(SEVERITIES.index(h.severity), h.stack, h.rule, h.logical_id or "") for h in found]
    assert all(first <= second for first, second in pairwise(keys))
    for hazard in found:
        assert hazard.rule in HAZARD_RULES
        assert hazard.environment == "prod"
        assert all((hazard.subject, hazard.cause, hazard.consequence, hazard.what_to_do))


@settings(max_examples=40)
@given(odd_apps, odd_apps)
def test_whatever_an_app_holds_is_no_crash(base: dict[str, object], head: dict[str, object]) -> None:
    find_hazards(pair(base, head, "prod"))
    assert find_hazards(pair(base, base, "prod")) == ()
