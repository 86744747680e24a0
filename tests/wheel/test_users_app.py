"""A platform of somebody else: written by ``sizewell init``, with folders, stacks and constructs of its own."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.synthesis import templates
from tests.wheel.installation import Installation, install

pytestmark = pytest.mark.cdk

APP = """\
from aws_cdk import aws_cloudwatch

from sizewell import Platform

from cli import COMMANDS
from config.names import DASHBOARD
from planning import PLANS
from review import REVIEWS
from stacks.dashboard import DashboardStack

platform = Platform()
texts = platform.endpoints["classify-text"]
texts.alarms.node.find_child("ModelLatencyP95").evaluation_periods = 9
aws_cloudwatch.CfnAlarm(
    texts,
    "Silence",
    alarm_actions=[texts.foundation.alarm_topic_arn],
    comparison_operator="LessThanThreshold",
    threshold=1,
    evaluation_periods=1,
    namespace="AWS/SageMaker",
    metric_name="Invocations",
    dimensions=[{"name": "EndpointName", "value": texts.endpoint.endpoint.attr_endpoint_name},
                {"name": "VariantName", "value": platform.plan.endpoints[0].variant_name}],
    statistic="Sum",
    period=3600,
)
DashboardStack(platform.app, "dashboard", name=f"{DASHBOARD}-{platform.environment}",
               foundation=platform.foundation)
print(*platform.stacks, platform.foundation.stack_name, COMMANDS + PLANS + REVIEWS)
platform.synth()
"""
OWN_FILES = {
    "app.py": APP,
    "stacks/__init__.py": "",
    "stacks/dashboard.py": """\
from aws_cdk import CfnOutput, Fn, Stack, aws_cloudwatch, aws_s3
from constructs_lib import acknowledge


class DashboardStack(Stack):
    def __init__(self, scope, construct_id, *, name, foundation):
        super().__init__(scope, construct_id)
        subnets = foundation.read_references(self).subnet_ids
        aws_cloudwatch.CfnDashboard(self, "Dashboard", dashboard_name=name, dashboard_body="{}")
        CfnOutput(self, "Subnets", value=Fn.join(",", subnets))
        pages = aws_s3.Bucket(self, "Pages", enforce_ssl=True)
        acknowledge(pages, "AwsSolutions::AwsSolutions-S1", "Public pages: nobody asks who has read them.")
""",
    "config/__init__.py": "",
    "config/names.py": 'DASHBOARD = "texts"\n',
    "cli/__init__.py": "COMMANDS = 1\n",
    "planning/__init__.py": "PLANS = 2\n",
    "review/__init__.py": "REVIEWS = 3\n",
}


@pytest.fixture(scope="module")
def project(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a platform that nobody has touched."""
    place = tmp_path_factory.mktemp("work")
    result = installation.run("sizewell", "init", "my-platform", "--ci", "github", directory=place)
    assert (result.returncode, result.stderr) == (0, "")
    return place / "my-platform"


def test_another_machine_installs_the_wheel_that_the_platform_brings(project: Path, tmp_path: Path) -> None:
    clone = shutil.copytree(project, tmp_path / "clone")
    (required, *_) = [
        line
        for line in (clone / "requirements.txt").read_text("utf-8").splitlines()
        if line[:1] not in ("", "#")
    ]
    theirs = install(required, environment=tmp_path / "environment", directory=clone)
    result = theirs.synthesize(clone, "prod", tmp_path / "out")
    assert (result.returncode, result.stderr) == (0, "")
    assert "my-platform-prod-classify-text" in templates(tmp_path / "out")
    guide = theirs.run("sizewell", "guide", "training", directory=clone)
    assert (guide.returncode, guide.stdout[:6]) == (0, "# The ")
    (place,) = re.findall("^This is (.+): what it links to is beside it.$", guide.stderr, re.MULTILINE)
    assert Path(place).is_relative_to(theirs.directory)
    links = re.findall(r"\]\((\.\./\.\./examples/[^)#]+)", guide.stdout)
    assert [link for link in links if not (Path(place).parent / link).is_file()] == []


def test_an_app_with_folders_stacks_and_constructs_of_its_own(
    installation: Installation, project: Path, tmp_path: Path
) -> None:
    for name, text in OWN_FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text, "utf-8")
    result = installation.synthesize(project, "dev", tmp_path / "out")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "classify-text train-images my-platform-dev-foundation 6\n"
    found: Any = templates(tmp_path / "out")
    assert sorted(found) == [
        "dashboard",
        "my-platform-dev-classify-text",
        "my-platform-dev-foundation",
        "my-platform-dev-train-images",
    ]
    texts = found["my-platform-dev-classify-text"]["Resources"]
    alarms = {
        name: resource["Properties"]
        for name, resource in texts.items()
        if resource["Type"] == "AWS::CloudWatch::Alarm"
    }
    (p95,) = (alarm for name, alarm in alarms.items() if name.startswith("AlarmsModelLatencyP95"))
    assert p95["EvaluationPeriods"] == 9
    assert alarms["Silence"]["AlarmActions"] == p95["AlarmActions"]
    assert found["dashboard"]["Resources"]["Dashboard"]["Properties"]["DashboardName"] == "texts-dev"
    published = found["my-platform-dev-foundation"]["Resources"].values()
    names = {
        resource["Properties"]["Name"] for resource in published if resource["Type"] == "AWS::SSM::Parameter"
    }
    read = [
        parameter["Default"]
        for parameter in found["dashboard"]["Parameters"].values()
        if "Default" in parameter
    ]
    assert len(names & set(read)) == 1
    plan = json.loads((tmp_path / "out" / "plan.json").read_text("utf-8"))
    assert plan["environment"] == "dev"
    assert (tmp_path / "out" / "config.json").is_file()
