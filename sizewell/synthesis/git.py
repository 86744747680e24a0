"""The files of a project at a git ref or in its work tree; neither the index nor the refs of the user change."""

import difflib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sizewell.synthesis.processes import SynthesisError, run, variables

#: The user's hooks, monitors and split indexes have no business with an index that lives for seconds.
_SETTINGS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.splitIndex=false"),
    *("-c", "advice.addEmbeddedRepo=false"),
)
#: Set while git runs a hook, for another repository or index than ours.
_OF_HOOKS = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
)
_SHALLOW = (
    "the clone is shallow: check out with fetch-depth: 0 in GitHub Actions, with GIT_DEPTH: 0 in GitLab, "
    "elsewhere run git fetch --unshallow"
)

#: ``HEAD~3``: a number of commits before another ref.
_ANCESTOR = re.compile(r"([^-~^:@][^~^:@]*)~\d+")
#: The name of a branch or tag, rather than a commit or an expression that starts from another ref.
_MAY_BE_FETCHED = re.compile(r"(?!-|[A-Z_]*HEAD$|[0-9a-f]{7,64}$)[^~^:@\s?*\[\\]+")


class GitError(Exception):
    """Git refused; says what it printed."""


@dataclass(frozen=True)
class Git:
    """Git in a directory."""

    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what a command prints; raises ``GitError``, and ``SynthesisError`` where there is no git."""
        environment = variables(
            {"LC_ALL": "C.UTF-8", "LANGUAGE": "", "GIT_LITERAL_PATHSPECS": "1", **self.variables},
            without=_OF_HOOKS,
        )
        try:
            finished = run(
                ["git", *_SETTINGS, *arguments],
                directory=self.directory,
                environment=environment,
                stdin=stdin,
            )
        except FileNotFoundError:
            raise SynthesisError(
                "git is not on PATH; install it, or compare two directories that cdk synth wrote: "
                "--base DIR --head DIR"
            ) from None
        if finished.code:
            raise GitError(finished.stderr.decode(errors="replace").strip())
        return finished.stdout

    def line(self, *arguments: str) -> str:
        """Return the only line that a command prints."""
        return os.fsdecode(self.run(*arguments)).removesuffix("\n")

    def with_variables(self, **changes: str) -> "Git":
        """Return git with more variables in its environment."""
        return replace(self, variables={**self.variables, **changes})


@dataclass(frozen=True)
class Tree:
    """The files of a project, as git has them."""

    git: Git
    root: str
    """The tree of the whole repository."""
    prefix: str
    """The path of the project in the repository: empty, or ``apps/ml/``."""
    id: str
    """The tree of the project: the same for the same content."""

    def names(self, directory: str) -> tuple[str, ...] | None:
        """Return the names in a directory of the project, sorted; None where there is no such directory."""
        path = "" if directory == "." else directory
        try:
            listed = self.git.run("ls-tree", "--full-tree", "-z", "--name-only", f"{self.id}:{path}")
        except GitError:
            return None
        return tuple(sorted(os.fsdecode(name) for name in listed.split(b"\0") if name))

    def read(self, path: str) -> bytes | None:
        """Return a file of the project; None where there is none."""
        try:
            return self.git.run("cat-file", "blob", f"{self.id}:{path}")
        except GitError:
            return None

    def write(self, directory: Path) -> Path:
        """Write the files of the project into an empty directory, as a checkout would; return where the project is.

        The whole tree is in the temporary index, so that the .gitattributes above the project count.
        Raises ``SynthesisError``.
        """
        directory = directory.resolve()
        with TemporaryDirectory(prefix="sizewell-index-") as scratch:
            git = replace(self.git, directory=directory).with_variables(
                GIT_DIR=self.git.line("rev-parse", "--absolute-git-dir"),
                GIT_WORK_TREE=str(directory),
                GIT_INDEX_FILE=str(Path(scratch, "index")),
            )
            try:
                git.run("read-tree", self.root)
                names = git.run("ls-files", "-z", "--", self.prefix or ".")
                git.run("checkout-index", "--force", "-z", "--stdin", stdin=names)
            except GitError as error:
                raise SynthesisError(f"git cannot write the files:\n{error}") from None
        return directory / self.prefix


@contextmanager
def open_tree(project: Path, ref: str | None) -> Iterator[Tree]:
    """Yield the files of a project at a ref, or with None those of the work tree as they are on the disk.

    Raises ``SynthesisError``.
    """
    if not project.is_dir():
        raise SynthesisError(f"{project}: there is no such directory")
    git = Git(project)
    try:
        prefix = git.line("rev-parse", "--show-prefix")
    except GitError as error:
        raise SynthesisError(_not_a_repository(project, ref, str(error))) from None
    if ref is not None:
        yield _tree(git, _resolve(git, ref), prefix)
        return
    with _scratch_git(git) as scratch:
        try:
            scratch.run("add", "--all", "--", ".")
            root = scratch.line("write-tree")
        except GitError as error:
            raise SynthesisError(f"git cannot read the work tree:\n{error}") from None
        yield _tree(scratch, root, prefix)


def default_branch(project: Path) -> str | None:
    """Return the branch that changes go to: what ``origin`` says, or else main or master, there before here.

    None where there is none of them. Raises ``SynthesisError`` where there is no git.
    """
    git = Git(project)
    names = ["origin/main", "origin/master", "main", "master"]
    with suppress(GitError):
        names.insert(0, git.line("symbolic-ref", "--short", "refs/remotes/origin/HEAD"))
    for name in names:
        try:
            git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        except GitError:
            continue
        return name
    return None


def _tree(git: Git, root: str, prefix: str) -> Tree:
    try:
        tree_id = git.line("rev-parse", "--verify", "--quiet", f"{root}:{prefix}")
    except GitError:
        # The project is not there yet: it has no files.
        tree_id = git.line("mktree")
    return Tree(git, root, prefix, tree_id)


@contextmanager
def _scratch_git(git: Git) -> Iterator[Git]:
    """Yield git with a copy of the index, and a place of its own for the objects that it makes."""
    objects = Path(git.directory, git.line("rev-parse", "--git-path", "objects")).resolve()
    index = Path(git.directory, git.line("rev-parse", "--git-path", "index"))
    with TemporaryDirectory(prefix="sizewell-index-") as scratch:
        if index.is_file():
            # With its time, by which git knows that a file of the same moment and size may differ all the same.
            shutil.copy2(index, Path(scratch, "index"))
        Path(scratch, "objects").mkdir()
        yield git.with_variables(
            GIT_INDEX_FILE=str(Path(scratch, "index")),
            GIT_OBJECT_DIRECTORY=str(Path(scratch, "objects")),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=_quoted(str(objects)),
        )


def _quoted(path: str) -> str:
    """Return a path that holds no separator for git, whatever its characters."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _resolve(git: Git, ref: str) -> str:
    """Return the tree of a ref; raises ``SynthesisError`` with what was probably meant."""
    if not ref.startswith("-"):
        try:
            return git.line("rev-parse", "--verify", "--quiet", f"{ref}^{{tree}}")
        except GitError:
            pass
    raise SynthesisError("\n  ".join([f'there is no ref "{ref}" in this repository', *_hints(git, ref)]))


def _oldest(git: Git, ref: str) -> str | None:
    """Return how far back a ref goes; None where there is no such ref."""
    try:
        count = int(git.line("rev-list", "--count", "--first-parent", ref, "--"))
    except GitError:
        return None
    return f"the first commit is {ref}~{count - 1}" if count > 1 else f"{ref} is the first commit"


def _hints(git: Git, ref: str) -> Iterator[str]:
    is_shallow = git.line("rev-parse", "--is-shallow-repository") == "true"
    ancestor = _ANCESTOR.fullmatch(ref)
    if ancestor and not is_shallow and (oldest := _oldest(git, ancestor[1])):
        yield oldest
        return
    names = git.line("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
    known = [name for name in names.splitlines() if name]
    remotes = git.line("remote").splitlines()
    remote, _, branch = ref.partition("/")
    near = [name for name in known if name.rpartition("/")[2] == ref]
    near += [name for name in difflib.get_close_matches(ref, known, cutoff=0.7) if name not in near]
    if near:
        yield f"did you mean {' or '.join(near[:3])}?"
    if not known:
        yield "it has no commit yet"
    if is_shallow:
        yield _SHALLOW
    elif not _MAY_BE_FETCHED.fullmatch(ref):
        return
    elif remote in remotes and branch:
        yield f"if {remote} has it, fetch it: git fetch {remote} {branch}"
    elif remotes and not near:
        yield f"if {remotes[0]} has it, fetch it: git fetch {remotes[0]} {ref}"


def _not_a_repository(project: Path, ref: str | None, message: str) -> str:
    if "not a git repository" not in message:
        return f"git refuses {project}:\n{message}"
    fault = (
        f"{project} is in no git repository, so there is no work tree"
        if ref is None
        else f'there is no directory "{ref}", and this is no git repository'
    )
    return f"{fault}\n  compare two directories that cdk synth wrote: --base DIR --head DIR"
