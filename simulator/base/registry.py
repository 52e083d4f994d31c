"""Registries of the kinds that a file or the command line names and a plugin may add, such as axles, tire models and sensors.

A plugin registers a kind in one of three ways: `register()` in Python, an entry point of an installed package, or the option `--plugin PATH`
of the command line with a Python file that calls `register()` on import. A configuration file never loads code.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar, cast

from simulator.base.call_checks import NAMES, checks
from simulator.base.errors import ConfigError, JounceError
from simulator.base.suggestions import article, did_you_mean, nearest

Kind = TypeVar("Kind")

BUILTIN = "Jounce"
"""Source of the built-in kinds."""

_PACKAGES = ("simulator", "vehicles", "terrain", "washout")


class Registry(Generic[Kind]):
    """Registered kinds by name. Reading the names loads no kind.

    Parameters
    ----------
    noun : noun for one kind in messages, for example "sensor"
    group : group of the entry points of installed packages; the name of an entry point is the name of the kind
    builtin : built-in kinds by name; a kind given as "module:attribute" is loaded on demand
    contract : module with CONTRACT, the version for which a kind is written, and LAYOUT if kinds have tables; empty: no versions
    max_state : maximum of `numbers` of a kind, which are those of its state; 0: kinds have no such state
    problem : function of a kind of a plugin that returns why it cannot be used, empty if it can
    """

    def __init__(
        self,
        noun: str,
        group: str,
        builtin: Mapping[str, Kind | str],
        contract: str = "",
        max_state: int = 0,
        problem: Callable[[Any], str] = lambda _: "",
    ) -> None:
        self.noun, self.group = noun, group
        self._contract, self._max_state, self._problem = contract, max_state, problem
        self._kinds: dict[str, Any] = dict(builtin)
        self._sources = dict.fromkeys(builtin, BUILTIN)
        self._entry_points: dict[str, Any] | None = None

    def add(self, kind: Kind) -> None:
        """Register a kind by its attribute `name`. Raises JounceError as `register`."""
        self.register(cast(Any, kind).name, kind)

    def register(self, name: str, kind: Kind) -> None:
        """Register a kind. The same kind may be registered twice. Raises JounceError if another kind has the name, its table of keys has other
        rows than `Field`, or it does not match the contract (`check`)."""
        self._check_rows(name, kind)
        self.check(name, kind)
        self._add(name, kind, _caller())

    def check(self, name: str, kind: Kind) -> None:
        """Raise JounceError for a kind of a plugin that is written for another contract, has a too large state or another problem. The kinds of
        installed packages are not registered through `register`: `need` and `named` check them."""
        if self.is_builtin(name) and self.get(name) is kind:
            return
        if problem := self._mismatch(kind) or self._problem(kind):
            raise JounceError(f"{self.noun} {name}: {problem}")

    def _mismatch(self, kind: Any) -> str:
        """Return the difference between a kind and the contract, empty if there is none."""
        if not self._contract:
            return ""
        contract, version = importlib.import_module(self._contract), getattr(kind, "contract", None)
        if version != contract.CONTRACT:
            return f"written for version {version} of the contract; expected version {contract.CONTRACT}"
        if hasattr(contract, "LAYOUT") and kind.layout != contract.LAYOUT:
            return f"written for other tables; expected LAYOUT of {self._contract}"
        if self._max_state and kind.numbers > self._max_state:
            return f"its state has {kind.numbers} numbers; expected at most {self._max_state}"
        return ""

    def get(self, name: str) -> Kind | None:
        """Return the kind of a name, or None. Entry points are read only for a name that is not registered.

        Raises JounceError: a kind cannot be loaded, or two kinds have the same name.
        """
        if name not in self._kinds and name in self._installed():
            self._load(self._installed()[name])
        kind = self._kinds.get(name)
        if isinstance(kind, str) and self.is_builtin(name) and ":" in kind:
            kind = self._kinds[name] = load_attribute(kind)
        return cast("Kind | None", kind)

    def named(self, name: object, file: object, key: str) -> Kind:
        """Return the kind that an entry of a file names. Raises ConfigError for an unknown name; JounceError as `get` and `check`."""
        found = self.get(name) if isinstance(name, str) else None
        if found is None:
            known = self.names()
            one = f"{article(self.noun)} {self.noun}"
            none_yet = f"{one} of a plugin (is --plugin missing?)"
            expected = f"{one}: {' or '.join(known)}{did_you_mean(name, known)}" if known else none_yet
            raise ConfigError(file, key, name, expected)
        self.check(str(name), found)
        return found

    def need(self, name: object) -> Kind:
        """Return the kind of a name. Raises JounceError for an unknown name, with the known names and the nearest one; also as `check`."""
        found = self.get(name) if isinstance(name, str) else None
        if found is None:
            hint = nearest(name, self.names())
            raise JounceError(
                f"unknown {self.noun}; expected {' or '.join(self.names())}; got {name!r}{f'; hint: did you mean {hint}?' if hint else ''}"
            )
        self.check(str(name), found)
        return found

    def has(self, name: str) -> bool:
        """Return True if a kind has the name; no kind is loaded."""
        return name in self._kinds or name in self._installed()

    def names(self) -> tuple[str, ...]:
        """Return all names, including those of installed packages. Raises JounceError if two kinds have the same name."""
        return tuple(dict.fromkeys((*self._kinds, *self._installed())))

    def added(self) -> tuple[str, ...]:
        """Return the names that were registered in Python in this process: those of plugin files, without installed packages."""
        return tuple(name for name in self._kinds if not self.is_builtin(name) and name not in self._installed())

    def is_builtin(self, name: str) -> bool:
        """Return True if the kind of the name is part of Jounce."""
        return self._sources.get(name) == BUILTIN

    def _check_rows(self, name: str, kind: Kind) -> None:
        from simulator.base.fields import Field  # loads numpy, which the help of a command does not need

        table = "fields" if hasattr(kind, "fields") else "parameters"
        rows = getattr(kind, table, ())
        if isinstance(rows, tuple | list) and (row := next((row for row in rows if not isinstance(row, Field)), None)) is not None:
            raise JounceError(f"{self.noun} {name}: {table}: invalid row; expected a Field (simulator.base.fields); got {row!r}")

    def _add(self, name: str, kind: Kind, source: str) -> None:
        if self._kinds.setdefault(name, kind) is not kind:
            raise self._duplicate(name, self._sources[name], source)
        self._sources.setdefault(name, source)

    def _duplicate(self, name: str, *sources: str) -> JounceError:
        """Return the error about two kinds of the same name."""
        return JounceError(f"duplicate {self.noun} {name}; registered by {' and by '.join(sources)}")

    def _load(self, point: Any) -> None:
        try:
            kind = point.load()
        except Exception as error:
            raise JounceError(f"{self.noun} {point.name} of {point.value}: {type(error).__name__}: {error}") from error
        self._check_rows(point.name, kind)
        self._add(point.name, kind, point.value)

    def _installed(self) -> dict[str, Any]:
        """Return the entry points of installed packages by name."""
        if self._entry_points is None:
            self._entry_points = {}  # read once: reading takes time, and the installed packages do not change
            for point in entry_points(self.group):
                other = self._entry_points.get(point.name)
                source = other.value if other is not None else self._sources.get(point.name)
                if source is not None and source != point.value:
                    raise self._duplicate(point.name, source, point.value)
                self._entry_points[point.name] = point
        return self._entry_points


class KindChoice(NamedTuple):
    """Name of a registered kind with values of its parameters."""

    name: str
    parameters: Mapping[str, Any] = MappingProxyType({})
    """Values of the kind's own parameters, in SI units; missing parameters have their defaults."""

    @classmethod
    def of(cls, entry: str | Mapping[str, Any]) -> KindChoice:
        """Return the choice of an entry: a name, or a mapping of `type` and parameters."""
        if isinstance(entry, str):
            return cls(entry)
        return cls(entry["type"], {key: value for key, value in entry.items() if key != "type"})


@contextlib.contextmanager
def making(name: str) -> Iterator[None]:
    """Turn any exception of a plugin's factory into a JounceError; `name` is noun and name for the message, for example "sensor lidar"."""
    try:
        yield
    except JounceError:
        raise
    except Exception as error:
        raise JounceError(f"{name}: cannot be created: {type(error).__name__}: {error}") from error


class Choices:
    """Names of registries as choices of a command-line option. The registries are read on demand.

    Parameters
    ----------
    registries : registries with the names
    more : further choices of the option, in front of the names
    """

    def __init__(self, *registries: Registry, more: tuple[str, ...] = ()) -> None:
        self._registries, self._more = registries, more

    def __contains__(self, name: object) -> bool:
        return name in self._more or (isinstance(name, str) and any(registry.has(name) for registry in self._registries))

    def __iter__(self) -> Iterator[str]:
        return iter((*self._more, *(name for registry in self._registries for name in registry.names())))


def entry_points(group: str) -> Iterable[Any]:
    """Return the entry points of a group in installed packages.

    Parsing the metadata of all packages is too slow for a help text, so the files are first searched for the name of the group.
    """
    if group not in _entry_point_text():
        return ()
    from importlib import metadata

    return metadata.entry_points(group=group)


@cache
def _entry_point_text() -> str:
    """Return the text of all entry-point files of installed packages that contain the word jounce."""
    found = []
    for folder in map(Path, dict.fromkeys(sys.path)):
        for pattern in ("*.dist-info/entry_points.txt", "*.egg-info/entry_points.txt"):
            with contextlib.suppress(OSError):
                found += [file.read_text(encoding="utf-8", errors="replace") for file in folder.glob(pattern)]
    return "\n".join(text for text in found if "jounce" in text)


def load_attribute(path: str) -> Any:
    """Return the object at "module:attribute"."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _caller() -> str:
    """Return the file or module that registers a kind: the first one in the call stack outside Jounce."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES:
        frame = frame.f_back
    return str(frame.f_globals.get("__file__") or frame.f_globals.get("__name__", "?"))


@checks(paths=NAMES)
def load_plugins(paths: Iterable[str]) -> None:
    """Import plugin files. A plugin may import modules of its own folder.

    Raises
    ------
    JounceError : a file is missing, cannot be imported, or has the name of another module
    """
    for name in paths:
        path = Path(os.path.realpath(name))
        if not path.exists():
            raise JounceError(f"{name}: file not found; expected a plugin, a Python file")
        if path.suffix != ".py" or not path.is_file():
            raise JounceError(f"{name}: not a plugin; expected a Python file")
        known = sys.modules.get(path.stem)
        if known is not None and Path(known.__file__ or "") != path:
            raise JounceError(f"{name}: a module with the name {path.stem} exists; hint: rename the file")
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))
        try:
            module = importlib.import_module(path.stem)
        except JounceError:
            raise
        except Exception as error:
            raise JounceError(f"{name}: {type(error).__name__}: {error}") from error
        if Path(module.__file__ or "") != path:
            raise JounceError(f"{name}: a module with the name {path.stem} exists ({module.__file__}); hint: rename the file")
