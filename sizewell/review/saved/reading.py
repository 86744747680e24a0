"""Read what ``cdk synth`` wrote: of Sizewell or of any other app, for one environment or for several."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from sizewell.planning.saved_files import CONFIGURATION_FILE, PLAN_FILE
from sizewell.planning.saved_plan import SavedPlan, UnreadablePlanError, read_saved_plan
from sizewell.review.garbage_collection import without_garbage_collection
from sizewell.review.saved.assets import asset_digests, nested_template
from sizewell.review.saved.errors import SavedOutputError
from sizewell.review.saved.inside import is_inside, leads_out
from sizewell.review.saved.manifests import manifest_stacks
from sizewell.review.saved.output import UNNAMED, Assembly, SavedOutput
from sizewell.templates.canonical import mark_assets
from sizewell.templates.template import Acknowledgements, Stack

MANIFEST = "manifest.json"
_ACKNOWLEDGED = "aws:cdk:acknowledged-rules"
_LOGICAL_ID = "aws:cdk:logicalId"


class OutputReader:
    """Reads outputs, and the templates that two of them share only once."""

    def __init__(self) -> None:
        self._parsed: dict[bytes, Mapping[str, Any]] = {}
        self._plans: dict[bytes, SavedPlan] = {}

    @without_garbage_collection()
    def read(self, directory: Path, label: str) -> SavedOutput:
        """Return the output in a directory: a ``cdk.out``, or a directory with one for each environment.

        Raises ``SavedOutputError`` with every file that cannot be read.
        """
        assemblies: dict[str, Assembly] = {}
        faults: list[str] = []
        for place, name in _assembly_directories(directory):
            try:
                assembly = self.read_assembly(place, name)
            except SavedOutputError as error:
                faults += error.faults
                continue
            if assembly.environment in assemblies:
                faults.append(f"{place}: the environment {assembly.environment} is there twice")
            assemblies[assembly.environment] = assembly
        if faults:
            raise SavedOutputError(faults)
        return SavedOutput(label, dict(sorted(assemblies.items())))

    def read_assembly(self, directory: Path, name: str) -> Assembly:
        """Return one ``cdk.out``; ``name`` is that of its environment where no plan says it."""
        stacks: dict[str, Stack] = {}
        faults: list[str] = []
        for stack in self._stacks(directory, directory, faults):
            stacks[_free_name(stack, stacks)] = stack
        stacks = {
            name: stack if stack.name == name else replace(stack, name=name) for name, stack in stacks.items()
        }
        if faults:
            raise SavedOutputError(faults)
        if not stacks:
            raise SavedOutputError([f"{directory}: the output is empty: no stack in {MANIFEST}"])
        beside = (directory / PLAN_FILE, directory / CONFIGURATION_FILE)
        if outside := [leads_out(path) for path in beside if not is_inside(path, directory)]:
            raise SavedOutputError(outside)
        plan, plan_notes = self._plan(directory / PLAN_FILE)
        config, config_notes = _config(directory / CONFIGURATION_FILE)
        stacks |= {stack.name: stack for stack in manifest_stacks(directory, plan, faults)}
        if faults:
            raise SavedOutputError(faults)
        return Assembly(
            directory=directory,
            environment=plan.environment if plan else name,
            stacks=dict(sorted(stacks.items())),
            plan=plan,
            config=config,
            notes=(*plan_notes, *config_notes),
        )

    def _stacks(self, directory: Path, output: Path, faults: list[str]) -> Iterator[Stack]:
        """Yield the stacks of an assembly, which is an output or lies in one."""
        if not is_inside(directory / MANIFEST, output):
            faults.append(leads_out(directory / MANIFEST))
            return
        manifest = _read_json(directory / MANIFEST, faults)
        if manifest is None:
            return
        digests = asset_digests(directory, output)
        artifacts = manifest.get("artifacts")
        for artifact_id, artifact in artifacts.items() if isinstance(artifacts, Mapping) else ():
            if not isinstance(artifact, Mapping):
                continue
            properties = artifact.get("properties")
            properties = properties if isinstance(properties, Mapping) else {}
            if artifact.get("type") == "cdk:cloud-assembly":
                yield from self._stacks(directory / str(properties.get("directoryName")), output, faults)
            elif artifact.get("type") == "aws:cloudformation:stack":
                path = directory / str(properties.get("templateFile"))
                template = self._template(path, output, digests, faults)
                if template is not None:
                    account, region = _target(str(artifact.get("environment", "")))
                    metadata = _metadata(directory, output, artifact)
                    stack = Stack(
                        name=str(properties.get("stackName") or artifact_id),
                        account=account,
                        region=region,
                        template=template,
                        acknowledgements=_acknowledgements(metadata),
                        construct_paths=_construct_paths(metadata),
                        termination_protection=properties.get("terminationProtection") is True,
                    )
                    yield stack
                    yield from self._nested(stack, directory, output, digests, faults)

    def _nested(
        self, parent: Stack, directory: Path, output: Path, digests: Mapping[str, str], faults: list[str]
    ) -> Iterator[Stack]:
        resources = parent.template.get("Resources")
        for logical_id, body in resources.items() if isinstance(resources, Mapping) else ():
            if not isinstance(body, Mapping) or body.get("Type") != "AWS::CloudFormation::Stack":
                continue
            file = _nested_file(body)
            if file is None or not (directory / file).is_file():
                continue
            template = self._template(directory / file, output, digests, faults)
            if template is None:
                continue
            nested = replace(
                parent,
                name=f"{parent.name}/{logical_id}",
                template=template,
                acknowledgements={},
                construct_paths={},
                parent=parent.name,
                nested_id=logical_id,
            )
            yield nested
            yield from self._nested(nested, directory, output, digests, faults)

    def _template(
        self, path: Path, output: Path, digests: Mapping[str, str], faults: list[str]
    ) -> Mapping[str, Any] | None:
        if not is_inside(path, output):
            faults.append(leads_out(path))
            return None
        try:
            text = mark_assets(path.read_text("utf-8"), digests)
        except (OSError, UnicodeDecodeError) as error:
            faults.append(f"{path}: cannot be read: {_reason(error)}")
            return None
        key = sha256(text.encode()).digest()
        if key not in self._parsed:
            try:
                template = from_json(text)
            except ValueError as error:
                faults.append(f"{path}: is not JSON: {error}")
                return None
            if not isinstance(template, dict):
                faults.append(f"{path}: is no template: a map was expected")
                return None
            self._parsed[key] = template
        return self._parsed[key]

    def _plan(self, path: Path) -> tuple[SavedPlan | None, tuple[str, ...]]:
        if not path.is_file():
            return None, ()
        content = path.read_bytes()
        key = sha256(content).digest()
        if key in self._plans:
            return self._plans[key], ()
        try:
            plan = read_saved_plan(content)
        except UnreadablePlanError as error:
            return None, (f"{path}: {error}; what depends on it is left out: selection, traffic, workloads",)
        self._plans[key] = plan
        return plan, ()


def _assembly_directories(directory: Path) -> tuple[tuple[Path, str], ...]:
    """Return each ``cdk.out`` with the name that its environment has where no plan says it."""
    if not directory.is_dir():
        raise SavedOutputError([f"{directory}: there is no such directory"])
    if (directory / MANIFEST).is_file():
        return ((directory, UNNAMED),)
    found = tuple(
        (path.parent, path.parent.name) for path in sorted(directory.glob(f"*/{MANIFEST}")) if path.is_file()
    )
    if not found:
        raise SavedOutputError(
            [
                f"{directory}: is no output of cdk synth: there is no {MANIFEST}, neither in it nor in a directory below"
            ]
        )
    return found


def _read_json(path: Path, faults: list[str]) -> Mapping[str, Any] | None:
    try:
        data = from_json(path.read_bytes())
    except OSError as error:
        faults.append(f"{path}: cannot be read: {_reason(error)}")
        return None
    except ValueError as error:
        faults.append(f"{path}: is not JSON: {error}")
        return None
    if not isinstance(data, dict):
        faults.append(f"{path}: a map was expected")
        return None
    return data


def _config(path: Path) -> tuple[Mapping[str, Any] | None, tuple[str, ...]]:
    if not path.is_file():
        return None, ()
    faults: list[str] = []
    data = _read_json(path, faults)
    return data, tuple(f"{fault}; what the change means in the configuration is left out" for fault in faults)


def _free_name(stack: Stack, taken: Mapping[str, Stack]) -> str:
    """Return the name of a stack; where another account or region has one of that name, with its own."""
    if stack.name not in taken:
        return stack.name
    return f"{stack.name} ({stack.account or 'account'}/{stack.region or 'region'})"


def _nested_file(body: Mapping[str, Any]) -> str | None:
    """Return the file of a nested template: the CLI has it written down, else its address names it."""
    metadata, properties = body.get("Metadata"), body.get("Properties")
    file = metadata.get("aws:asset:path") if isinstance(metadata, Mapping) else None
    if isinstance(file, str):
        return file
    return nested_template(str(properties.get("TemplateURL"))) if isinstance(properties, Mapping) else None


def _target(environment: str) -> tuple[str | None, str | None]:
    """Return account and region of ``aws://123456789012/us-east-1``; None for what the app leaves open."""
    parts = environment.removeprefix("aws://").split("/")
    if len(parts) != 2:
        return None, None
    account, region = parts
    return (
        account if account.isdigit() else None,
        region if region and not region.startswith("unknown") else None,
    )


def _metadata(directory: Path, output: Path, artifact: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what CDK says of the constructs of a stack, by path."""
    written = artifact.get("metadata")
    metadata = dict(written) if isinstance(written, Mapping) else {}
    file = artifact.get("additionalMetadataFile")
    if isinstance(file, str) and (directory / file).is_file() and is_inside(directory / file, output):
        try:
            more = from_json((directory / file).read_bytes())
        except ValueError:
            return {}
        metadata |= more if isinstance(more, dict) else {}
    return metadata


def _construct_paths(metadata: Mapping[str, Any]) -> Mapping[str, str]:
    return {
        str(entry["data"]): path.strip("/")
        for path, entries in metadata.items()
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, Mapping) and entry.get("type") == _LOGICAL_ID and "data" in entry
    }


def _acknowledgements(metadata: Mapping[str, Any]) -> Acknowledgements:
    found: dict[str, dict[str, str]] = {}
    for path, entries in sorted(metadata.items()):
        for entry in entries if isinstance(entries, list) else ():
            data = entry.get("data") if isinstance(entry, Mapping) else None
            if isinstance(data, Mapping) and entry.get("type") == _ACKNOWLEDGED:
                found.setdefault(path.strip("/"), {}).update(
                    {str(rule): str(reason) for rule, reason in data.items()}
                )
    return found


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"
