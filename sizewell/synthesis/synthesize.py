"""The sides of a comparison: refs and the work tree, synthesized by the CDK CLI."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile

from sizewell.facts.environment_files import environment_names
from sizewell.synthesis.cache import OutputCache, output_key
from sizewell.synthesis.environments import (
    PLACE,
    InstallationError,
    Requirements,
    programs_of,
    read_requirements,
)
from sizewell.synthesis.git import Tree, open_tree
from sizewell.synthesis.installed import installed_packages
from sizewell.synthesis.processes import (
    SynthesisError,
    Work,
    search_path,
    side_by_side,
    started,
    termination_as_exit,
    variables,
)

#: What the side is called whose files are those on the disk.
WORK_TREE = "worktree"
#: The only output of an app without a configuration directory.
UNNAMED = "app"
#: Where the CDK CLI, Node.js and Python of this environment are: they come first on PATH.
TOOLS = Path(sys.executable).parent
DEFAULT_CONFIG = "config"
SYNTH = ("cdk", "synth", "--quiet", "--no-notices")
#: Synths that run at once, where there are as many processors: each takes a gigabyte of memory.
MAX_AT_ONCE = 4
#: PYTHONSAFEPATH would hide the modules beside app.py, and find those of the installed project instead. Where no compiled
#: files are written, each synth compiles the bindings of the CDK again, which is half of its time.
_NOT_FOR_SYNTH = ("PYTHONSAFEPATH", "PYTHONDONTWRITEBYTECODE", "FORCE_COLOR", "CLICOLOR_FORCE", "GIT_")
#: The last line of the CDK CLI, which names its subprocess: nothing that the reader could mend.
_EXITED = re.compile(r"\n?[^\n]*: Subprocess exited with error \d+$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

#: So many packages stand in a note.
_MAX_NAMED = 3

#: Takes a line.
Progress = Callable[[str], None]


@dataclass(frozen=True)
class SynthesizedSide:
    """The outputs of a side, and what did not become one."""

    label: str
    """The ref, or ``worktree``."""
    directory: Path | None
    """With one ``cdk.out`` for each environment, by name; None where nothing was synthesized."""
    errors: Mapping[str, str]
    """By environment: what synth printed before it failed."""
    notes: tuple[str, ...]
    """What the reader must know about the way it was synthesized."""


def synthesize_sides(
    project: Path,
    refs: Sequence[str | None],
    environments: Sequence[str] | None,
    *,
    config: str = DEFAULT_CONFIG,
    progress: Progress,
) -> tuple[SynthesizedSide, ...]:
    """Synthesize environments of a project at refs, or with None those of its work tree; saved outputs are reused.

    All that is missing is synthesized side by side, whichever side it is of, and the same content once.
    ``environments`` that a side does not have are left out; None means all that it has. An app without the
    configuration directory has one environment without a name. Raises ``SynthesisError`` when the files cannot
    be had; what synth says against them is part of the result.
    """
    config = _inside(config)
    project = project.resolve()
    with termination_as_exit(), ExitStack() as stack:
        cache = OutputCache(project)
        if cache.refusal:
            progress(f"{cache.refusal}.\n")
        sides: list[tuple[_Synth, str, dict[str, str]]] = []
        missing: dict[str, Work[str | None]] = {}
        for ref in refs:
            tree = stack.enter_context(open_tree(project, ref))
            names = _environments(tree.names(config), environments)
            label = WORK_TREE if ref is None else ref
            synth = _Synth(tree, cache, project, label, config, progress, own_requirements(tree), stack)
            synth, note = synth.as_required(names)
            keys = synth.keys(names)
            sides.append((synth, note, keys))
            for name in synth.missing(keys):
                missing.setdefault(keys[name], synth.synthesize(name, keys[name]))
        failed = {
            key: error
            for key, error in side_by_side(missing, at_once=_at_once()).items()
            if error is not None
        }
        # Neither side must push out what the other one needs.
        cache.prune(at_least=2 * sum(len(keys) for _, _, keys in sides))
        return tuple(synth.side(keys, failed, note) for synth, note, keys in sides)


def synthesize_side(
    project: Path,
    ref: str | None,
    environments: Sequence[str] | None,
    *,
    config: str = DEFAULT_CONFIG,
    progress: Progress,
) -> SynthesizedSide:
    """Synthesize one side, as ``synthesize_sides`` does."""
    return synthesize_sides(project, [ref], environments, config=config, progress=progress)[0]


def _at_once() -> int:
    """Return how many synths run at once: as many as this process may use processors."""
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(usable, MAX_AT_ONCE)


def environments_at(
    project: Path, ref: str | None, *, config: str = DEFAULT_CONFIG
) -> tuple[str, ...] | None:
    """Return the environments that a project has at a ref, or with None in its work tree, sorted.

    None means that it has no configuration directory. Nothing is synthesized. Raises ``SynthesisError``.
    """
    config = _inside(config)
    with open_tree(project.resolve(), ref) as tree:
        files = tree.names(config)
    return None if files is None else environment_names(files)


@dataclass(frozen=True)
class _Synth:
    """Synthesizes the environments of one tree."""

    tree: Tree
    cache: OutputCache
    project: Path
    label: str
    config: str
    progress: Progress
    requirements: Requirements | None
    """What it is synthesized with; None where that is what is installed."""
    checkout: ExitStack
    """What removes the files again, if they were needed."""

    def as_required(self, names: Sequence[str]) -> tuple["_Synth", str]:
        """Return this with the packages that can be had, and a note where those that are installed are not those required."""
        if self.requirements is None:
            return self, ""
        file, packages = self.requirements.file, _some(self.requirements.unmet())
        try:
            if self.missing(self.keys(names)):
                self._install()
        except InstallationError as error:
            note = (
                f"{self.label} was synthesized with the packages that are installed, because those of its {file} could not "
                f"be: {packages}; {error}"
            )
            return replace(self, requirements=None), note
        return self, f"{self.label} was synthesized with the packages of its own {file}: {packages}"

    def keys(self, names: Sequence[str]) -> dict[str, str]:
        """Return the key of the output of each environment."""
        own = self.requirements
        packages = (f"{own.file} {own.digest}",) if own else installed_packages(self.project)
        return {
            name: output_key(self.tree.id, None if name == UNNAMED else name, self._context(name), packages)
            for name in names
        }

    def missing(self, keys: Mapping[str, str]) -> tuple[str, ...]:
        """Return the environments to synthesize."""
        return () if self._no_app else tuple(name for name, key in keys.items() if not self.cache.find(key))

    def side(self, keys: Mapping[str, str], failed: Mapping[str, str], note: str) -> SynthesizedSide:
        """Return what there is now, given what was printed by keys where a synth failed."""
        errors = {
            name: self._no_app or failed[key] for name, key in keys.items() if self._no_app or key in failed
        }
        there = {name: key for name, key in keys.items() if name not in errors}
        directory = self.cache.assemble(there) if there else None
        return SynthesizedSide(self.label, directory, errors, (note,) if note else ())

    @cached_property
    def _no_app(self) -> str:
        """Why there is nothing to synthesize; empty where there is."""
        found = self.tree.read("cdk.json") is not None
        return "" if found else f"there is no cdk.json at {self.label}: no app to synthesize"

    def _context(self, name: str) -> dict[str, str]:
        context = {} if name == UNNAMED else {"env": name}
        return context if self.config == DEFAULT_CONFIG else {**context, "config": self.config}

    def synthesize(self, name: str, key: str) -> Work[str | None]:
        """Save the output of an environment; return what was printed when there is none."""
        context = [f"--context={name}={value}" for name, value in self._context(name).items()]
        self.progress(f"Synthesizing {name} at {self.label} ...\n")
        start = time.monotonic()
        try:
            with self.cache.new_output(key) as output, TemporaryFile() as printed:
                with started(
                    [*SYNTH, *context, "--output", str(output.resolve())],
                    cwd=self._files,
                    env=self._variables,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.STDOUT,
                ) as process:
                    while process.poll() is None:
                        yield
                self.progress(f"{name} at {self.label}: {time.monotonic() - start:.1f} s\n")
                if process.returncode:
                    printed.seek(0)
                    raise _SynthFailedError(printed.read())
        except _SynthFailedError as error:
            return self._readable(error.printed) or "cdk synth failed and printed nothing"
        except FileNotFoundError:
            raise SynthesisError("cdk is not on PATH; set the project up with make, then try again") from None
        return None

    @cached_property
    def _files(self) -> Path:
        temporary = self.checkout.enter_context(TemporaryDirectory(prefix="sizewell-files-"))
        return self.tree.write(Path(temporary))

    @cached_property
    def _variables(self) -> dict[str, str]:
        return variables(
            {"PATH": self._path, "NO_COLOR": "1", "CDK_DISABLE_CLI_TELEMETRY": "true"},
            without=_NOT_FOR_SYNTH,
        )

    @cached_property
    def _path(self) -> str:
        return search_path(TOOLS) if self.requirements is None else search_path(self._install(), TOOLS)

    def _install(self) -> Path:
        """Return the directory of programs of the packages that are required; raises ``InstallationError``."""
        assert self.requirements is not None
        place = self.project / PLACE / self.requirements.digest
        if not place.is_dir():
            self.progress(f"Installing {self.requirements.file} of {self.label} (once, about a minute) ...\n")
        return programs_of(self.project, self.requirements, self._files)

    def _readable(self, printed: bytes) -> str:
        """Return what was printed with the paths of the project instead of those of its copy."""
        text = _COLOUR.sub("", printed.decode(errors="replace"))
        text = text.replace(f"{self._files}/", "").replace(str(self._files), ".").strip()
        return _EXITED.sub("", text).strip()


class _SynthFailedError(Exception):
    def __init__(self, printed: bytes) -> None:
        self.printed = printed


def _environments(files: Iterable[str] | None, wanted: Sequence[str] | None) -> tuple[str, ...]:
    if files is None:
        return tuple(dict.fromkeys(wanted)) if wanted else (UNNAMED,)
    names = environment_names(files)
    return names if wanted is None else tuple(name for name in names if name in wanted)


def _inside(config: str) -> str:
    """Return the path of the configuration directory in the project."""
    path = PurePosixPath(config)
    if path.is_absolute() or ".." in path.parts:
        raise SynthesisError(
            f"{config} is outside of the project, so git does not know what it was; "
            "name a configuration directory inside"
        )
    return str(path)


def own_requirements(tree: Tree) -> Requirements | None:
    """Return what a project requires; None where that is what is installed, or where it does not say."""
    requirements = read_requirements(tree.read)
    return requirements if requirements is not None and requirements.unmet() else None


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MAX_NAMED} more" if len(texts) > _MAX_NAMED else ""
    return ", ".join(texts[:_MAX_NAMED]) + more
