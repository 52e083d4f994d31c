"""Where the files of a name lie; docs/files.md says it for users."""

from __future__ import annotations

from itertools import islice
from os.path import isfile
from pathlib import Path

from simulator.base import renamed
from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean, nearest

HERE = Path(__file__).resolve().parents[1]

SUFFIXES = (".yaml", ".yml", ".urdf", ".xml", ".tir")
"""Of files that can be named by their path alone."""


def data_folder(name: str) -> Path:
    """`configs` or `assets`: inside an installed package, or beside it in a checkout."""
    packed = HERE / "_data" / name
    return packed if packed.is_dir() else HERE.parent / name


def find_config(kind: str, name: str, said_by: object = None, key: str = "") -> Path:
    """File of a named thing; docs/files.md says where it is looked for.

    A name that a file says is looked up beside that file, then among the shipped files (`configs/<kind>/<name>.yaml`). A name on the
    command line is that of a shipped file, or the path of a file from the current folder.

    Parameters
    ----------
    kind : folder of `configs`
    name : bare name, or path of a file (it has a suffix or a separator)
    said_by, key : the file and the key that say it; none for the command line

    Raises
    ------
    ConfigError : there is no such file
    """
    shipped = data_folder("configs") / kind
    suffixed = name.lower().endswith(SUFFIXES)
    is_path = suffixed or "/" in name or "\\" in name
    spellings = [Path(name)] if suffixed else [Path(f"{name}.yaml"), Path(name)]
    if said_by is not None:
        places = [folder / written for folder in (Path(str(said_by)).parent, shipped) for written in spellings]
    elif is_path:
        places = spellings
    else:
        places = [shipped / spellings[0], spellings[1]]
    for path in places:  # isfile, unlike the method of paths, takes names that are too long and folders that may not be entered
        if isfile(path) and not _is_same(path, said_by):
            return path
    if (kind, name) in renamed.FILES:
        new = renamed.FILES[kind, name]
        renamed.warn(name, new, said_by, key)
        return shipped / f"{new}.yaml"
    known = sorted(p.stem for p in shipped.glob("*.yaml"))
    if said_by is None:
        raise ConfigError(kind, "", name, _expected_on_the_line(name, is_path, spellings[0], known))
    beside = Path(str(said_by)).parent
    names = {
        *known,
        *(Path(n).stem for n in _names_in(beside) if n.endswith(".yaml") and not is_path and not _is_same(beside / n, said_by)),
    }
    raise ConfigError(said_by, key, name, f"a file beside this one, or one of {', '.join(known)}{did_you_mean(name, names)}")


def _expected_on_the_line(name: str, is_path: bool, written: Path, known: list[str]) -> str:
    """What a name on the command line could have been."""
    if is_path:
        folder = written.parent
        near = nearest(written.name, _names_in(folder))
        return f"a file (did you mean {folder / near}?)" if near else "a file"
    here = f" (the file here is {Path('.', written).as_posix()!r} with its suffix)" if isfile(written) else did_you_mean(name, known)
    return f"a file, or one of {', '.join(known)}{here}"


def _names_in(folder: Path) -> list[str]:
    """Names of the files of a folder, the first thousand; none of one that cannot be read."""
    try:
        return [path.name for path in islice(folder.iterdir(), 1000)]
    except (OSError, ValueError):
        return []


def _is_same(path: Path, other: object) -> bool:
    """A file that says a name does not mean itself."""
    return other is not None and isfile(str(other)) and path.samefile(str(other))
