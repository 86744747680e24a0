"""``sizewell init``: the files of a new platform, and those that review every pull or merge request."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sizewell.cli.errors import exit_with
from sizewell.cli.output import echo, write_files
from sizewell.cli.package_source import Package, package_from
from sizewell.cli.target_starters import StarterTarget, starter_target
from sizewell.kinds.registry import file_of, kind_names

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")
#: Every file of a platform is a template of this suffix.
SUFFIX = ".jinja2"
#: What a platform begins with unless it is asked for more.
USUAL_KINDS = ("real-time-endpoint", "training-job")
#: Where the schemas of a platform are: made by the release that is installed, hence in no commit.
SCHEMAS = Path(".sizewell")
README, GITIGNORE = Path("README.md"), Path(".gitignore")
#: What becomes of a file that somebody else wrote.
REPLACED = "replaced"
#: The line of a template that says where the project is in the repository.
PROJECT_LINE = 'PROJECT: "."'
NEXT_STEPS = {
    "github": (
        "Next: commit them to the branch that pull requests go to. From then on the review is a comment on each pull "
        "request,\nand the page with charts an artifact of the run. Require the check review.\n"
        "What must not happen is said with FAIL_ON in .github/workflows/sizewell-review.yml.\n"
        "Base judges with its own code, packages and policy.review_fail_on; but the workflow is that of the pull "
        "request:\nprotect .github/ with CODEOWNERS and a required review."
    ),
    "gitlab": (
        "Next: add to .gitlab-ci.yml:\n"
        "  include: .gitlab/sizewell-review.gitlab-ci.yml\n"
        "and make the CI/CD variable SIZEWELL_GITLAB_TOKEN: a project access token with the role Reporter and the "
        "scope api;\nmasked, not protected, with the environment scope sizewell-note, so that the code of a merge "
        "request does not get it.\n"
        "What must not happen is said with SIZEWELL_FAIL_ON in .gitlab/sizewell-review.gitlab-ci.yml.\n"
        "Base judges with its own code, packages and policy.review_fail_on; but the pipeline is that of the merge "
        "request:\nprotect .gitlab/ and .gitlab-ci.yml with CODEOWNERS and a required approval."
    ),
}


def set_up(
    directory: str | None,
    name: str | None,
    kinds: Sequence[str],
    target: str | None,
    ci: str | None,
    source: str | None,
    *,
    force: bool,
) -> None:
    """Write the files of a platform, of CI, or of both, and say what to do next.

    All are written or none: what somebody wrote is kept unless ``force``.
    """
    project = Path.cwd() if directory is None else Path(directory).resolve()
    root = repository_root(project)
    files: dict[str, tuple[Path, bytes]] = {}
    if directory is not None:
        name = name or (project.name if directory else "")
        _check_name(name)
        where = starter_target(target, {}) if target else None
        made = _contents(project, name, starters(kinds, where), package_from(source), where)
        files |= {(Path(directory) / path).as_posix(): (project / path, made[path]) for path in made}
    if ci is not None:
        place = Path(directory or "") if root == project else Path()
        of_ci = ci_files(ci, project=project.relative_to(root))
        files |= {(place / path).as_posix(): (root / path, text.encode()) for path, text in of_ci.items()}
    before = {shown: _content(path) for shown, (path, _) in files.items()}
    states = {shown: _state(before[shown], content) for shown, (_, content) in files.items()}
    replaced = [shown for shown, state in states.items() if state == REPLACED]
    if replaced and not force:
        names = "\n".join(f"  {shown}" for shown in replaced)
        elsewhere = "start the platform in a directory of its own, or " if directory is not None else ""
        exit_with(
            f"these files are not what would be written, so nothing was written:\n{names}\n"
            f"keep them, {elsewhere}replace them with --force"
        )
    write_files({path: content for shown, (path, content) in files.items() if before[shown] != content})
    for shown, state in states.items():
        echo(f"{shown}: {state}")
    if directory is not None:
        there = "" if project == Path.cwd() else f"cd {shlex.quote(directory)} && "
        echo(f"\nNext: {there}make synth ENV=dev\nThe account in config/*.yaml is an example: name yours.")
    if ci is not None:
        echo(f"\n{NEXT_STEPS[ci]}")


def _contents(
    project: Path, name: str, kinds: Sequence[str], package: Package, where: StarterTarget | None
) -> dict[Path, bytes]:
    """Return the content of each file of a platform by its path.

    A README that is there is kept, and a .gitignore gets the lines that it lacks: a new repository has both.
    """
    texts = {**platform_files(name, kinds, package, where), **schema_files(SCHEMAS)}
    contents = {**{path: text.encode() for path, text in texts.items()}, **package.files}
    if (readme := _content(project / README)) is not None:
        contents[README] = readme
    if ignored := _content(project / GITIGNORE):
        lines = ignored.splitlines()
        missing = [line for line in contents[GITIGNORE].splitlines() if line not in lines]
        separator = b"" if ignored.endswith(b"\n") or not missing else b"\n"
        contents[GITIGNORE] = ignored + separator + b"".join(line + b"\n" for line in missing)
    return contents


def _state(before: bytes | None, content: bytes) -> str:
    """Return what becomes of a file."""
    if before is None:
        return "written"
    if before == content:
        return "is there already"
    return "added to" if content.startswith(before) else REPLACED


def starters(wanted: Sequence[str], where: StarterTarget | None) -> tuple[str, ...]:
    """Return the kinds that were asked for, separated by commas; those of ``USUAL_KINDS`` that run there where none was.

    What is in dev alone, such as a notebook, gets them as well: every environment has a workload.
    """
    kinds = dict.fromkeys(kind.strip() for text in wanted for kind in text.split(",") if kind.strip())
    for kind in kinds:
        check_kind(kind)
        if where:
            where.check_runs(kind)
    if where and not kinds:
        return tuple(filter(where.runs, USUAL_KINDS))
    return (*USUAL_KINDS, *kinds) if all(map(_is_in_dev_alone, kinds)) else tuple(kinds)


def _is_in_dev_alone(kind: str) -> bool:
    """Tell whether the part of a starter for all environments is a comment."""
    return all(line.lstrip().startswith("#") for line in starter_text(kind, "base").splitlines())


def check_kind(kind: str) -> None:
    """End the command where there is no starter of a kind."""
    from sizewell.config.faults import near_match
    from sizewell.config.printable import printable_word

    known = kind_names()
    if kind not in known:
        match = near_match(kind, known)
        hint = f"\ndid you mean {match}?" if match else ""
        exit_with(f'there is no starter "{printable_word(kind)}"; there are: {", ".join(known)}{hint}')


def starter_text(kind: str, layer: str) -> str:
    """Return the part of a starter for ``base.yaml`` or ``dev.yaml``, or for the policy of dev: ``policy``."""
    path = file_of(kind, "starter.yaml" if layer == "base" else f"starter.{layer}.yaml")
    return path.read_text("utf-8") if layer != "policy" or path.exists() else ""


def platform_files(
    name: str, kinds: Sequence[str], package: Package, where: StarterTarget | None = None
) -> dict[Path, str]:
    """Return the text of each file of a platform by its path."""

    def workload_text(kind: str, layer: str) -> str:
        text = starter_text(kind, layer)
        return where.starter(text, kind) if where else text

    directory = TEMPLATES / "platform"
    templates = _templates()
    # Several kinds may need the same of the policy.
    policy_texts = dict.fromkeys(filter(None, (starter_text(kind, "policy") for kind in kinds)))
    files: dict[Path, str] = {}
    for path in sorted(directory.rglob(f"*{SUFFIX}")):
        template = path.relative_to(directory).as_posix()
        made = Path(template.removesuffix(SUFFIX).replace("gitignore", ".gitignore"))
        files[made] = templates.get_template(template).render(
            name=name,
            kinds=kinds,
            package=package,
            workload_text=workload_text,
            cluster_text=where.cluster_text if where else "",
            policy_texts=policy_texts,
        )
    return files


def _templates() -> "Environment":
    """Return the templates of a platform."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES / "platform"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def write_schemas(directory: Path) -> None:
    """Write the schemas of the release that is installed."""
    write_files({path: text.encode() for path, text in schema_files(directory).items()})


def schema_files(directory: Path) -> dict[Path, str]:
    """Return the schemas for editors by their paths in a directory."""
    from sizewell.planning.editor_schema import editor_schema_files

    return {directory / name: text for name, text in editor_schema_files().items()}


def ci_files(ci: str, *, project: Path = Path()) -> dict[str, str]:
    """Return the text of each file by its path in the repository; ``project`` is where the project is in it."""
    place = f"PROJECT: {json.dumps(project.as_posix(), ensure_ascii=False)}"
    directory = TEMPLATES / "ci"
    return {
        f".{path.relative_to(directory).as_posix()}": path.read_text("utf-8").replace(PROJECT_LINE, place)
        for path in sorted((directory / ci).rglob("*.yml"))
    }


def repository_root(directory: Path) -> Path:
    """Return the root of the repository that a directory is in; the directory itself where there is none."""
    return next((place for place in (directory, *directory.parents) if (place / ".git").exists()), directory)


def _check_name(name: str) -> None:
    from pydantic import TypeAdapter, ValidationError

    from sizewell.config.environment import Environment
    from sizewell.config.printable import printable_word

    try:
        TypeAdapter(Annotated[str, Environment.model_fields["platform"]]).validate_python(name)
    except ValidationError:
        exit_with(
            f'"{printable_word(name)}" is no name of a platform: 2 to 18 small letters, figures and single hyphens, '
            "beginning with a letter; where the directory has another name: --name my-platform"
        )


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
