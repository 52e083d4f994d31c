"""What is found by a name in a file or on the command line and may live outside the packages: kinds of axles, tread laws, washouts, sensors,
protocols, outlets, input sources, drivers, terrain readers.

Three doors, all of them opened by the user, none by a file: `register()` in Python, an entry point of an installed package, and the
option `--plugin PATH` of the command line, a Python file that calls `register()` when it is imported.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar, cast

from simulator.base import renamed
from simulator.base.errors import ConfigError, JounceError
from simulator.base.suggestions import article, did_you_mean

Kind = TypeVar("Kind")

BUILTIN = "Jounce"
"""Where the shipped tenants are from."""

_PACKAGES = ("simulator", "vehicles", "terrain", "washout")


class Registry(Generic[Kind]):
    """Tenants of one sort by name. Looking at the names loads nobody.

    Parameters
    ----------
    what : one of them in words, for messages
    group : of the entry points by which installed packages offer theirs; the name of the entry point is that of the tenant
    shipped : those of Jounce itself; one may be given as "module:attribute", and is then loaded when somebody wants it
    """

    def __init__(self, what: str, group: str, shipped: Mapping[str, Kind | str]) -> None:
        self.what, self.group = what, group
        self._one = f"{article(what)} {what}"
        self._found: dict[str, Any] = dict(shipped)
        self._from = dict.fromkeys(shipped, BUILTIN)
        self._offered: dict[str, Any] | None = None

    def register(self, name: str, tenant: Kind) -> None:
        """Make a tenant known. The same one may register twice. Raises JounceError when another has the name."""
        self._take(name, tenant, _caller())

    def get(self, name: str) -> Kind | None:
        """The tenant of a name, or None. Installed packages are asked when nobody else has it. Raises JounceError: one cannot be loaded, or
        two have the name."""
        if name not in self._found and name in self._look():
            self._load(self._look()[name])
        tenant = self._found.get(name)
        if isinstance(tenant, str) and self.is_builtin(name) and ":" in tenant:
            tenant = self._found[name] = loaded(tenant)
        return cast("Kind | None", tenant)

    def named(self, name: object, file: object, key: str) -> Kind:
        """The tenant that an entry of a file names. Raises ConfigError: there is none of that name; JounceError as `get`."""
        found = self.get(name) if isinstance(name, str) else None
        if found is None:
            known = self.names()
            nobody = f"nothing: no plugin has brought {self._one}"
            there = f"{self._one}: {' or '.join(known)}{did_you_mean(name, known)}" if known else nobody
            raise ConfigError(file, key, name, there)
        return found

    def need(self, name: object) -> Kind:
        """The tenant of a name. Raises JounceError when there is none: with the names there are, and the nearest one."""
        found = self.get(name) if isinstance(name, str) else None
        if found is None:
            raise JounceError(
                f"there is no {self.what} called {name!r}{did_you_mean(name, self.names())}, there are {', '.join(self.names())}"
            )
        return found

    def has(self, name: str) -> bool:
        """Whether there is one of that name; nobody is loaded."""
        return name in self._found or name in self._look()

    def names(self) -> tuple[str, ...]:
        """All names, those of installed packages included. Raises JounceError when two have one name."""
        return tuple(dict.fromkeys((*self._found, *self._look())))

    def is_builtin(self, name: str) -> bool:
        """Whether the tenant of that name comes with Jounce."""
        return self._from.get(name) == BUILTIN

    def _take(self, name: str, tenant: Kind, source: str) -> None:
        if self._found.setdefault(name, tenant) is not tenant:
            raise self._taken(name, self._from[name], source)
        self._from.setdefault(name, source)

    def _taken(self, name: str, *sources: str) -> JounceError:
        return JounceError(f"there is {self._one} called {name} already: {', '.join(f'one of {source}' for source in sources)}")

    def _load(self, point: Any) -> None:
        try:
            tenant = point.load()
        except Exception as error:
            raise JounceError(f"{self.what} {point.name} of {point.value}: {type(error).__name__}: {error}") from error
        self._take(point.name, tenant, point.value)

    def _look(self) -> dict[str, Any]:
        """What installed packages offer, by name."""
        if self._offered is None:
            self._offered = {}  # looking takes a while, and packages do not come and go
            for point in self._points():
                other = self._offered.get(point.name)
                source = other.value if other is not None else self._from.get(point.name)
                if source is not None and source != point.value:
                    raise self._taken(point.name, source, point.value)
                self._offered[point.name] = point
        return self._offered

    def _points(self) -> Iterator[Any]:
        """Yield the entry points of the group, and those of its old name, which give a warning."""
        yield from entry_points(self.group)
        for old, new in renamed.GROUPS.items():
            if new == self.group:
                for point in entry_points(old):
                    renamed.warn(f"entry-point group {old} of {point.value}", new)
                    yield point


class Chosen(NamedTuple):
    """A tenant that somebody asks for, with what he says of it."""

    name: str
    parameters: Mapping[str, Any] = MappingProxyType({})
    """Of its own, in SI units; those that are not said have their defaults."""

    @classmethod
    def of(cls, said: str | Mapping[str, Any]) -> Chosen:
        """From a name, or a mapping of `type` and parameters."""
        if isinstance(said, str):
            return cls(said)
        return cls(said["type"], {key: value for key, value in said.items() if key != "type"})


@contextlib.contextmanager
def making(what: str) -> Iterator[None]:
    """Around the making of a tenant, which may be anybody's code; `what` it is, with its name. Raises JounceError: it cannot be made."""
    try:
        yield
    except JounceError:
        raise
    except Exception as error:
        raise JounceError(f"{what}: it cannot be made: {type(error).__name__}: {error}") from error


class Choices:
    """The names of registries as the choices of an option; nobody is looked for before somebody has to be.

    Parameters
    ----------
    registries : whose names
    more : names that mean something to the option itself, before the others
    """

    def __init__(self, *registries: Registry, more: tuple[str, ...] = ()) -> None:
        self._registries, self._more = registries, more

    def __contains__(self, name: object) -> bool:
        return name in self._more or (isinstance(name, str) and any(registry.has(name) for registry in self._registries))

    def __iter__(self) -> Iterator[str]:
        return iter((*self._more, *(name for registry in self._registries for name in registry.names())))


def entry_points(group: str) -> Iterable[Any]:
    """Of a group, those of installed packages. Reading all that packages say of themselves takes longer than a help text may, so their
    files are looked through for the group's name first."""
    if group not in _mentioned():
        return ()
    from importlib import metadata

    return metadata.entry_points(group=group)


@cache
def _mentioned() -> str:
    """The text of all files of entry points of installed packages that speak of Jounce."""
    found = []
    for folder in map(Path, dict.fromkeys(sys.path)):
        for pattern in ("*.dist-info/entry_points.txt", "*.egg-info/entry_points.txt"):
            with contextlib.suppress(OSError):
                found += [file.read_text(encoding="utf-8", errors="replace") for file in folder.glob(pattern)]
    return "\n".join(text for text in found if "jounce" in text)


def loaded(where: str) -> Any:
    """What stands at "module:attribute"."""
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _caller() -> str:
    """The file, or the module, that is registering: the first one outside the packages."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES:
        frame = frame.f_back
    return str(frame.f_globals.get("__file__") or frame.f_globals.get("__name__", "?"))


def load_plugins(paths: Iterable[str]) -> None:
    """Import Python files, which may register tenants and import what lies beside them.

    Raises
    ------
    JounceError : a file is missing, does not import, or has the name of a module that is there already
    """
    for written in paths:
        path = Path(written).resolve()
        if not path.exists():
            raise JounceError(f"{written}: no such file, expected a plugin: a Python file")
        if path.suffix != ".py" or not path.is_file():
            raise JounceError(f"{written}: a plugin is a Python file, and this is none")
        known = sys.modules.get(path.stem)
        if known is not None and Path(known.__file__ or "") != path:
            raise JounceError(f"{written}: there is a module called {path.stem} already; rename the file")
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))
        try:
            module = importlib.import_module(path.stem)
        except JounceError:
            raise
        except Exception as error:
            raise JounceError(f"{written}: {type(error).__name__}: {error}") from error
        if Path(module.__file__ or "") != path:
            raise JounceError(f"{written}: there is a module called {path.stem} already ({module.__file__}); rename the file")
