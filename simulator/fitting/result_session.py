"""Fitted values as a session file for any run, and as options of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from simulator.base.errors import ConfigError
from simulator.configuration.configuration import Configuration
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.layers import Layer, Origin, own_copy
from simulator.configuration.overrides import Override
from simulator.configuration.references import kind_at

DIGITS = 7
"""Number of digits of a fitted value."""


def rounded(settings: Sequence[Override]) -> list[Override]:
    """Return the overrides with rounded values."""
    return [one._replace(value=_short(one.value)) for one in settings]


def _short(value: Any) -> Any:
    return (
        [_short(one) for one in value] if isinstance(value, list) else float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
    )


def words_of(settings: Sequence[Override]) -> str:
    """Return the overrides as `--set` options."""
    return " ".join(f"--set {shlex.quote(f'{written(one.path)}={_flow(one.value)}')}" for one in settings)


def session_text(settings: Sequence[Override], base: Configuration, head: Sequence[str]) -> str:
    """Return a session file with the overrides in the sections of their files.

    Parameters
    ----------
    base : configuration that the overrides refer to, with all names as contents
    head : comment lines at the top
    """
    applied = base.with_changes([(one, one.origin) for one in settings])[0]
    content: dict[str, Any] = {}
    for root in dict.fromkeys(one.path[0] for one in settings):
        content[str(root)] = _variant(root, [one for one in settings if one.path[0] == root], applied)
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=130, default_flow_style=None)
    return "".join(f"# {line}\n" for line in head) + text


def _variant(root: str | int, settings: Sequence[Override], applied: Configuration) -> Any:
    """Return the content of a key of a session: bases with differences, or the complete content if bases do not reproduce it."""
    complete = applied.complete().get(str(root))
    tree: dict[Any, Any] = {}
    for one in settings:
        _put(tree, one.path, applied)
    found = tree[root]
    try:
        same = (
            Configuration(Layer({str(root): own_copy(found)}, {(): Origin("fitted", is_file=False)})).complete().get(str(root)) == complete
        )
    except ConfigError:  # the base file no longer exists
        same = False
    return found if same else own_copy(complete)


def _put(tree: dict[Any, Any], path: KeyPath, applied: Configuration) -> None:
    """Insert a value at its path, with the bases of the files on the path. Lists are inserted completely."""
    names = {**applied.layer.recorded.get("names", {}), **applied.named.names}
    node = tree
    for n, part in enumerate(path[:-1]):
        at = path[: n + 1]
        if isinstance(path[n + 1], int):
            node[part] = own_copy(applied.raw(written(at)))
            return
        base = {"base": names[written(at)]} if written(at) in names and kind_at(at) else {}
        node = node.setdefault(part, base)
    node[path[-1]] = own_copy(applied.raw(written(path)))


def _flow(value: Any) -> str:
    """Return a value as one line of YAML."""
    text = yaml.safe_dump(value, default_flow_style=True, width=1e9).strip()
    return text.removesuffix("...").strip() if not isinstance(value, Mapping | list) else text
