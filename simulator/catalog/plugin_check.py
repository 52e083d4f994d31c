"""`jounce check --plugin FILE`: the conformance suite for every kind that the plugins register."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, JounceError
from simulator.base.yaml_reader import read_yaml
from simulator.catalog.registries import REGISTRIES, registry_of
from simulator.conformance.check_plugin import check_plugin
from simulator.conformance.findings import WARNING, PluginError

NAME_KEYS = ("type", "suspension", "format")
"""Keys of files that name a kind."""


def check_added_kinds(files: Sequence[str]) -> int:
    """Check all kinds that plugin files have registered, print the results, and return the number of kinds that failed.

    A section of the files that names a kind is the example of its keys. Raises JounceError: no kind is registered.
    """
    added = [(registry, name) for registry in map(registry_of, REGISTRIES) for name in registry.added()]
    if not added:
        raise JounceError("the plugins register no kind; expected a call of `register` when the file is imported")
    contents = [_content(file) for file in files]
    failed = 0
    for registry, name in added:
        example = next((section for content in contents if (section := _section_of(content, name)) is not None), {})
        failed += _is_failed(f"{registry.noun} {name}", registry.get(name), example)
    return failed


def _is_failed(title: str, kind: Any, example: Mapping[str, Any]) -> bool:
    """Check a kind and print the result; return True if the kind failed."""
    try:
        findings = check_plugin(kind, example)
    except PluginError as error:
        faults = str(error).splitlines()
        print_line(f"{title}: failed ({len(faults)} fault{'s' * (len(faults) > 1)})")
        for line in faults:
            print_error(line)
        return True
    except JounceError as error:
        print_error(f"{title}: {error}")
        return True
    print_line(f"{title}: good ({len({one.check for one in findings})} checks)")
    for one in findings:
        if one.outcome == WARNING:
            print_line(f"{title}: {one.check}: warning: {one.message}")
    return False


def _content(file: str) -> Any:
    """Return the content of a file; None for a file that cannot be read, which the check of the files reports."""
    try:
        return read_yaml(Path(file))
    except ConfigError:
        return None


def _section_of(content: Any, name: str) -> Mapping[str, Any] | None:
    """Return the first section of a content that names a kind, without that key; an axle keeps it."""
    if isinstance(content, Mapping):
        if any(content.get(key) == name for key in NAME_KEYS):
            return {key: value for key, value in content.items() if key not in ("type", "format")}
        content = list(content.values())
    if isinstance(content, list):
        return next((section for one in content if (section := _section_of(one, name)) is not None), None)
    return None
