"""What is found by a name in a file and may live outside the packages: kinds of axles, tread laws.

Three doors, all of them opened by the user, none by a file: `register()` in Python, an entry point of an installed package, and the
option `--plugin PATH` of the command line, a Python file that calls `register()` when it is imported.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from simulator.base.errors import JounceError

Tenant = TypeVar("Tenant")


class Registry(Generic[Tenant]):
    """Tenants of one sort by name.

    Parameters
    ----------
    what : one of them in words, for messages
    group : of the entry points by which installed packages offer theirs; the name of the entry point is that of the tenant
    shipped : those of Jounce itself
    """

    def __init__(self, what: str, group: str, shipped: Mapping[str, Tenant]) -> None:
        self.what, self.group = what, group
        self._found: dict[str, Tenant] = dict(shipped)
        self._looked = False

    def register(self, name: str, tenant: Tenant) -> None:
        """Make a tenant known. The same one may register twice. Raises JounceError when another has the name."""
        if self._found.setdefault(name, tenant) is not tenant:
            raise JounceError(f"there is a {self.what} called {name} already")

    def get(self, name: str) -> Tenant | None:
        """The tenant of a name, or None. Installed packages are asked when nobody else has it. Raises JounceError: one cannot be loaded."""
        if name not in self._found:
            self._look()
        return self._found.get(name)

    def names(self) -> tuple[str, ...]:
        """All names, those of installed packages included. Raises JounceError."""
        self._look()
        return tuple(self._found)

    def _look(self) -> None:
        if self._looked:
            return
        self._looked = True  # looking takes a while, and packages do not come and go
        from importlib import metadata

        for point in metadata.entry_points(group=self.group):
            try:
                tenant = point.load()
            except Exception as error:
                raise JounceError(f"{self.what} {point.name} of {point.value}: {type(error).__name__}: {error}") from error
            self.register(point.name, tenant)


def load_plugins(paths: Iterable[str]) -> None:
    """Import Python files, which may register tenants and import what lies beside them.

    Raises
    ------
    JounceError : a file is missing, does not import, or has the name of a module that is there already
    """
    for written in paths:
        path = Path(written).resolve()
        if not path.exists():
            raise JounceError(f"{written}: no such file")
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
