"""The project that the fixture gives, without a pytest around it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.pytest_plugin.app import App, SynthFailedError
from sizewell.pytest_plugin.files import SnapshotFiles
from sizewell.pytest_plugin.project import Project

Open = Callable[..., Project]


@pytest.fixture
def open_project(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Return a function that opens the project anew, as a session of pytest does."""

    def open_it(*, update: bool = False) -> Project:
        output = tmp_path_factory.mktemp("outputs")
        files = SnapshotFiles(project / "snapshots", update=update)
        return Project(project / "config", lambda name: App(project).synthesize(name, output / name), files)

    return open_it


def test_templates_are_canonical(open_project: Open) -> None:
    assert open_project().synthesize("prod") == {
        "app-prod": {
            "Resources": {
                "Function": {
                    "Properties": {"Code": {"S3Key": "<asset>.zip"}},
                    "Type": "AWS::Lambda::Function",
                },
                "Queue": {
                    "Metadata": {"owner": "ml"},
                    "Properties": {"QueueName": "q-eu-west-1", "VisibilityTimeout": "30"},
                    "Type": "AWS::SQS::Queue",
                },
            }
        }
    }


def test_each_environment_is_synthesized_once_with_the_context_of_both_files(
    project: Path, open_project: Open
) -> None:
    sizewell = open_project()
    assert sizewell.environments == ("dev", "prod")
    assert sizewell.stack("prod", "app-prod") is sizewell.synthesize("prod")["app-prod"]
    assert list(sizewell.synthesize("dev")) == ["app-dev"]
    assert (project / "runs.txt").read_text("utf-8") == "prod True vpc-1\ndev True vpc-1\n"


def test_a_failure_says_what_the_app_printed_and_is_not_tried_again(
    project: Path, open_project: Open
) -> None:
    (project / "config" / "prod.yaml").write_text("fault", "utf-8")
    sizewell = open_project()
    message = "prod did not synthesize:\nconfig/prod.yaml:1: a fault that the user can mend"
    for call in (sizewell.synthesize, sizewell.plan):
        with pytest.raises(SynthFailedError) as failed:
            call("prod")
        assert str(failed.value) == message
    assert (project / "runs.txt").read_text("utf-8").count("prod") == 1


def test_a_stack_that_is_not_there(open_project: Open) -> None:
    with pytest.raises(LookupError, match='there is no stack "app" in prod; there are: app-prod'):
        open_project().stack("prod", "app")


def test_an_app_without_a_plan(open_project: Open) -> None:
    with pytest.raises(LookupError, match=r"the app writes no plan\.json for prod"):
        open_project().plan("prod")


@pytest.mark.parametrize(
    ("cdk_json", "message"),
    [
        ("{}", "names no app"),
        ("{", r"cdk\.json: is not JSON"),
        ('{"app": "no-such-program app.py"}', r"no-such-program app\.py cannot be started"),
    ],
)
def test_a_project_without_an_app(project: Path, open_project: Open, cdk_json: str, message: str) -> None:
    (project / "cdk.json").write_text(cdk_json, "utf-8")
    with pytest.raises(SynthFailedError, match=message):
        open_project().synthesize("prod")


def check(sizewell: Project) -> None:
    sizewell.check("prod", sizewell.synthesize("prod"))


def test_check_wants_a_snapshot_takes_it_and_says_what_changed(project: Path, open_project: Open) -> None:
    with pytest.raises(
        pytest.fail.Exception, match="prod: there is no snapshot yet; pytest --sizewell-update"
    ):
        check(open_project())
    check(open_project(update=True))
    check(open_project())

    edit(project, '"VisibilityTimeout": 30', '"VisibilityTimeout": 31')
    with pytest.raises(pytest.fail.Exception) as failed:
        check(open_project())
    assert '-          "VisibilityTimeout": "30"' in str(failed.value)
    assert '+          "VisibilityTimeout": "31"' in str(failed.value)


def test_a_long_difference_is_cut_visibly(project: Path) -> None:
    files = SnapshotFiles(project, update=True)
    files.check("many", list(range(200)))
    with pytest.raises(pytest.fail.Exception, match=r"\.\.\. and \d+ more lines$"):
        SnapshotFiles(project, update=False).check("many", list(range(200, 400)))


def test_a_name_is_no_path(open_project: Open) -> None:
    with pytest.raises(ValueError, match="no name of a snapshot"):
        open_project().check("../prod", 1)


def test_a_new_asset_hash_and_another_spelling_change_no_snapshot(project: Path, open_project: Open) -> None:
    check(open_project(update=True))
    edit(project, '"0a1b" * 16', '"ffff" * 16')
    edit(project, '"VisibilityTimeout": 30', '"VisibilityTimeout": "30"')
    edit(project, '{"Fn::Join": ["-", ["q", {"Ref": "AWS::Region"}]]}', '{"Fn::Sub": "q-${AWS::Region}"}')
    check(open_project())


def edit(project: Path, old: str, new: str) -> None:
    app = project / "app.py"
    text = app.read_text("utf-8")
    assert old in text
    app.write_text(text.replace(old, new), "utf-8")
