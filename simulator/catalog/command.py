"""The commands list, check and schema."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, JounceError, OutputError
from simulator.base.headline import headline
from simulator.base.suggestions import did_you_mean, listed
from simulator.catalog.file_kinds import KINDS, OTHER_SUFFIXES, SUFFIXES, FileKind, kind_named, kind_of
from simulator.catalog.registries import REGISTRIES, meaning_of, registry_of

FILE_SUFFIXES = (".yaml", ".yml", *SUFFIXES)


def main_list(name: str | None, as_json: bool) -> int:
    """List all kinds, or the files or names of one kind, each with a description. Raises ConfigError."""
    if name is None:
        descriptions = {kind.name: kind.description for kind in KINDS} | {key: text for key, (text, _) in REGISTRIES.items()}
    else:
        descriptions = _listed(name)
    if as_json:
        from simulator.base.json_output import json_text

        print_line(json_text(descriptions))
        return 0
    width = max(map(len, descriptions), default=0)
    for entry, description in descriptions.items():
        print_line(f"{entry:{width}}  {description}".rstrip())
    if not descriptions:
        print_line("empty; plugins (--plugin) and installed packages add names")
    if name is None:
        print_line("\njounce list KIND lists the files or names of a kind")
    return 0


def _listed(name: str) -> dict[str, str]:
    """Return the names of a kind with their descriptions. Raises ConfigError."""
    if name in REGISTRIES:
        registry = registry_of(name)
        return {entry: meaning_of(registry.get(entry)) for entry in registry.names()}
    names = [*(kind.name for kind in KINDS), *REGISTRIES]
    if name not in names:
        raise ConfigError("list", "", name, f"one of {listed(names, 'jounce list')}{did_you_mean(name, names)}")
    return {file.stem: headline(file) for file in kind_named(name).files()}


def main_check(files: Sequence[str], kind: str | None, with_plugins: bool = False) -> int:
    """Check files and the files that they name, and the kinds of plugins; return exit code 2 if one has an error.

    Raises ConfigError: unknown kind; JounceError: the plugins register no kind.
    """
    given = None if kind is None else kind_named(kind)
    failed = _failed_plugins(files) if with_plugins else 0
    for file in files:
        try:
            for file_kind, path in _shipped(file, given) or [(given or kind_of(file), file)]:
                plain = not path.lower().endswith(FILE_SUFFIXES)
                for remark in file_kind.remarks(
                    file_kind.check(os.path.join(".", path) if plain else path)
                ):  # a path, not the name of a shipped file
                    print_line(f"{file}: warning: {remark}")
                print_line(f"{file}: good ({file_kind.name})")
        except ConfigError as error:
            print_error(str(error))
            failed += 1
        except JounceError as error:  # without file and key, for example a vehicle without equilibrium
            print_error(f"{file}: {error}")
            failed += 1
    return 2 if failed else 0


def _shipped(name: str, kind: FileKind | None) -> list[tuple[FileKind, str]]:
    """Return the shipped files of a name, each with its kind; none for the path of a file. Raises ConfigError: no file has the name."""
    if os.path.basename(name) != name or name.lower().endswith((*FILE_SUFFIXES, *OTHER_SUFFIXES)):
        return []
    shipped = [(one, file) for one in ([kind] if kind else KINDS) for file in one.files()]
    found = [(one, str(file)) for one, file in shipped if file.stem == name]
    if not found and not os.path.exists(name):
        expected = f"a file, or the name of a shipped file (`jounce list KIND`){did_you_mean(name, [file.stem for _, file in shipped])}"
        raise ConfigError("check", "", name, expected)
    return found


def _failed_plugins(files: Sequence[str]) -> int:
    """Check the kinds of the plugins and return the number of kinds that failed. Raises JounceError: the plugins register no kind."""
    from simulator.catalog.plugin_check import check_added_kinds

    return check_added_kinds(files)


def main_schema(name: str | None, out: str | None, markdown: bool) -> int:
    """Write JSON Schemas or reference pages to a folder or the standard output. Raises ConfigError, OutputError."""
    kinds = KINDS if name is None else [kind_named(name)]
    if markdown:
        from simulator.catalog.pages import pages

        texts = pages() if name is None else {f"{name}.md": pages()[f"{name}.md"]}
    else:
        texts = {f"{kind.name}.schema.json": _schema_text(kind) for kind in kinds}
    if out is None:
        for text in texts.values():
            print_line(text.rstrip("\n"))
        return 0
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
            print_line(str(folder / file))
    except OSError as error:
        raise OutputError(f"{error.filename or folder}: cannot write: {error.strerror or error}") from None
    return 0


def _schema_text(kind: FileKind) -> str:
    from simulator.base.json_output import json_text
    from simulator.catalog.json_schema import file_schema

    return json_text(file_schema(kind.name, kind.description, kind.table, kind.based), indent=1) + "\n"
