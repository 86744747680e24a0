"""``sizewell add``: one more workload in a platform that is there, as an example to edit."""

import re
from pathlib import Path

from sizewell.cli.errors import exit_with
from sizewell.cli.init_command import check_kind, starter_text
from sizewell.cli.output import echo, tell, write_files
from sizewell.cli.target_starters import free_name, starter_target

#: The files that a starter has parts for.
LAYERS = ("base", "dev")
_INDENT = 2


def add_workload(kind: str, config: Path, target: str | None) -> None:
    """Write the starter of a kind into the configuration, both of its parts or none, and say what to do next.

    ``target`` is a cluster of the configuration, or the type of one: its starter is written, too, where there is none.
    """
    import yaml

    from sizewell.config import ConfigError, environment_names, load_environment
    from sizewell.config.loading import cluster_types, workload_kinds

    check_kind(kind)
    taken, faults = workload_kinds(config)
    if faults:
        raise ConfigError(faults)
    where = starter_target(target, cluster_types(config)[0]) if target else None
    if where:
        where.check_runs(kind)
    texts = {config / f"{layer}.yaml": starter_text(kind, layer) for layer in LAYERS}
    parts = {path: yaml.safe_load(f"workloads:\n{text}")["workloads"] for path, text in texts.items()}
    # The part of a notebook for base.yaml is a comment.
    parts = {path: part for path, part in parts.items() if part}
    names = list(dict.fromkeys(name for part in parts.values() for name in part))
    if not any(path.is_file() for path in parts):
        exit_with(
            f"{' and '.join(path.as_posix() for path in parts)}: there is no such file to add {kind} to"
        )
    free = {name: free_name(name, taken) for name in names}
    contents: dict[Path, bytes] = {}
    shown: dict[Path, list[str]] = {}
    for path in filter(Path.is_file, parts):
        new = [free[name] for name in parts[path]]
        text = _renamed(texts[path], free)
        blocks = [("workloads", new, where.starter(text, kind) if where else text)]
        shown[path] = list(new)
        if where and where.cluster_text and not contents:
            blocks.append(("clusters", [where.cluster], where.cluster_text))
            shown[path].append(f"cluster {where.cluster}")
        content = path.read_bytes().decode()
        for key, added, starter in blocks:
            after = _with_starter(content, key, starter)
            if after is None or not _is_added(content, after, key, added):
                exit_with(
                    f"{path.as_posix()}: its {key} are not written one below the other: add {kind} by hand"
                )
            content = after
        contents[path] = content.encode()
    write_files(contents)
    for path, words in shown.items():
        echo(f"{path.as_posix()}: {', '.join(words)}")
    environments = environment_names(config)
    echo(
        f"\nNext: edit what came as an example, then sizewell plan --env {environments[0] if environments else 'dev'}"
    )
    for name in environments:
        try:
            load_environment(config, name)
        except ConfigError as error:
            tell(error.render())


def _renamed(text: str, names: dict[str, str]) -> str:
    words = "|".join(map(re.escape, names))
    return re.sub(rf"(?<![\w-])({words})(?![\w-])", lambda found: names[found[1]], text)


def _with_starter(text: str, key: str, starter: str) -> str | None:
    """Return the text of a file with a starter at the end of what it has below a key; None where that is no block."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    if not any(re.match(rf"{key}\s*:", line) for line in lines):
        lines += [*([""] if lines else []), f"{key}:"]
    begin = next(
        (number for number, line in enumerate(lines) if re.fullmatch(rf"{key}:\s*(#.*)?", line)), None
    )
    if begin is None:
        return None
    end = next((n for n in range(begin + 1, len(lines)) if re.match(r"[^\s#]", lines[n])), len(lines))
    # What stands before the next key is about that.
    while not lines[end - 1].strip() or (lines[end - 1].startswith("#") and end - 1 > begin):
        end -= 1
    indents = [
        re.match(" *", line) for line in lines[begin + 1 : end] if line.strip() and line.strip()[0] != "#"
    ]
    indent = indents[0][0] if indents and indents[0] else " " * _INDENT
    added = [f"{indent}{line[_INDENT:]}" if line else line for line in starter.splitlines()]
    separator = [""] if indents and "" in lines[begin:end] else []
    return newline.join([*lines[:end], *separator, *added, *lines[end:]]) + newline


def _is_added(before: str, after: str, key: str, names: list[str]) -> bool:
    """Return whether a file has these names more below a key, and everything else as it was."""
    import yaml

    try:
        old, new = yaml.safe_load(before) or {}, yaml.safe_load(after)
    except yaml.YAMLError:
        return False
    kept = {name: one for name, one in (new.get(key) or {}).items() if name not in names}
    return {**new, key: kept} == {**old, key: old.get(key) or {}} and len(new[key]) == len(kept) + len(names)
