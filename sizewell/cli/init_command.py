"""``sizewell init --ci``: the files that review every pull or merge request."""

import json
from pathlib import Path

from sizewell.cli.errors import exit_with
from sizewell.cli.output import echo, write_file, writing

TEMPLATES = Path(__file__).with_name("templates") / "ci"
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


def set_up_ci(ci: str, *, force: bool) -> None:
    """Write the files for a forge and say what to do next; a file that was changed is kept unless ``force``."""
    root = repository_root(Path.cwd())
    files = ci_files(ci, project=Path.cwd().relative_to(root))
    changed = [path for path, text in files.items() if _content(root / path) not in (None, text.encode())]
    if changed and not force:
        names = "\n".join(f"  {path}" for path in changed)
        exit_with(
            f"these files are not what would be written, so nothing was written:\n{names}\n"
            "keep them, or replace them with --force"
        )
    for path, text in files.items():
        is_new = _content(root / path) is None
        with writing(root / path):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
        write_file(root / path, text)
        echo(f"{path}: {'written' if is_new else 'replaced' if path in changed else 'is up to date'}")
    echo(f"\n{NEXT_STEPS[ci]}")


def ci_files(ci: str, *, project: Path = Path()) -> dict[str, str]:
    """Return the text of each file by its path in the repository; ``project`` is where the project is in it."""
    place = f"PROJECT: {json.dumps(project.as_posix(), ensure_ascii=False)}"
    return {
        f".{path.relative_to(TEMPLATES).as_posix()}": path.read_text("utf-8").replace(PROJECT_LINE, place)
        for path in sorted((TEMPLATES / ci).rglob("*.yml"))
    }


def repository_root(directory: Path) -> Path:
    """Return the root of the repository that a directory is in; the directory itself where there is none."""
    return next((place for place in (directory, *directory.parents) if (place / ".git").exists()), directory)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
