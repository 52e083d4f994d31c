"""Lookup of files by name; docs/files.md describes the rules for users."""

from __future__ import annotations

from itertools import islice
from os.path import isfile
from pathlib import Path

from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean, listed, nearest

HERE = Path(__file__).resolve().parents[1]

SUFFIXES = (".yaml", ".yml", ".urdf", ".xml", ".tir")
"""Suffixes by which a name is a path of a file."""


def data_folder(name: str) -> Path:
    """Return the folder `configs` or `assets`: in the installed package, or in the root folder of a checkout."""
    packed = HERE / "_data" / name
    return packed if packed.is_dir() else HERE.parent / name


def is_shipped(file: str | Path) -> bool:
    """Return True for a file in the folder `configs`."""
    return Path(file).resolve().is_relative_to(data_folder("configs").resolve())


def is_session(name: str) -> bool:
    """Return whether a name of the command line is that of a shipped session, or a file has keys that only a session has."""
    if name.lower().endswith((".yaml", ".yml")):
        from simulator.base.yaml_reader import read_yaml  # imported here, because lists of files read none

        content = read_yaml(Path(name)) if isfile(name) else None
        return (
            isinstance(content, dict)
            and bool({"maneuver", "outlets", "vehicles"} & set(content))
            and not {"series", "search"} & set(content)
        )
    return isfile(data_folder("configs") / "sessions" / f"{name}.yaml")


def find_config(kind: str, name: str, source: object = None, key: str = "", shipped: Path | None = None) -> Path:
    """Return the file of a name.

    A name in a file is looked up in the folder of that file, then among the shipped files (`configs/<kind>/<name>.yaml`). A name on the
    command line is the name of a shipped file, or the path of a file relative to the current folder.

    Parameters
    ----------
    kind : folder of `configs`
    name : name, or path of a file (with a suffix or a separator)
    source, key : file and key that contain the name; None for the command line
    shipped : folder of the shipped files; default: that of the kind in `configs`

    Raises
    ------
    ConfigError : file not found
    """
    shipped = shipped or data_folder("configs") / kind
    suffixed = name.lower().endswith(SUFFIXES)
    is_path = suffixed or "/" in name or "\\" in name
    spellings = [Path(name)] if suffixed else [Path(f"{name}.yaml"), Path(name)]
    if source is not None:
        places = [folder / written for folder in (Path(str(source)).parent, shipped) for written in spellings]
    elif is_path:
        places = spellings
    else:
        places = [shipped / spellings[0], spellings[1]]
    for path in places:  # os.path.isfile, unlike Path.is_file, returns False for too long names and inaccessible folders
        if isfile(path) and not _is_same(path, source):
            return path
    known = sorted(p.stem for p in shipped.glob("[!.]*.yaml"))
    if source is None:
        raise ConfigError(kind, "", name, _expected_on_command_line(kind, name, is_path, spellings[0], known))
    folder = Path(str(source)).parent
    shown = f", or one of {listed(known, f'jounce list {kind}')}" if known else ""
    names = {
        *known,
        *(Path(n).stem for n in _names_in(folder) if n.endswith(".yaml") and not is_path and not _is_same(folder / n, source)),
    }
    raise ConfigError(source, key, name, f"a file in the same folder{shown}{did_you_mean(name, names)}")


def _expected_on_command_line(kind: str, name: str, is_path: bool, written: Path, known: list[str]) -> str:
    """Return the expectation for a name on the command line, with a hint."""
    if is_path:
        folder = written.parent
        near = nearest(written.name, _names_in(folder))
        return f"a file (did you mean {folder / near}?)" if near else "a file"
    here = f" (is {Path('.', written).as_posix()} in this folder meant?)" if isfile(written) else did_you_mean(name, known)
    return f"a file{here}" if not known else f"a file, or one of {listed(known, f'jounce list {kind}')}{here}"


def _names_in(folder: Path) -> list[str]:
    """Return the names of the first 1000 files of a folder, without hidden files such as locks of editors; none if the folder cannot be read."""
    try:
        return [path.name for path in islice(folder.iterdir(), 1000) if not path.name.startswith(".")]
    except (OSError, ValueError):
        return []


def _is_same(path: Path, other: object) -> bool:
    """Return True if a path is the file that contains the name: a file never names itself."""
    return other is not None and isfile(path) and isfile(str(other)) and path.samefile(str(other))
