"""Commands with plugins in the process of the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.catalog.registries import REGISTRIES, registry_of
from tests.end_to_end.program import call

HERE = Path(__file__).parent


@pytest.fixture
def jounce(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """`jounce(ARGUMENTS, plugins=FILES)`: as `call`, in a process that has no kinds but those of Jounce and of these plugins."""

    def jounce(*arguments: object, plugins: tuple[str | Path, ...] = ()) -> tuple[int, str, str]:
        files = [HERE / (plugin if isinstance(plugin, Path) else f"{plugin}.py") for plugin in plugins]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "path", list(sys.path))
            for registry in map(registry_of, REGISTRIES):
                shipped = list(filter(registry.is_builtin, registry._kinds))
                for table in ("_kinds", "_sources"):
                    patch.setattr(registry, table, {name: getattr(registry, table)[name] for name in shipped})
            for file in files:
                patch.setitem(sys.modules, file.stem, None)  # afterwards, this is undone
                del sys.modules[file.stem]
            return call(capsys, *arguments, *(word for file in files for word in ("--plugin", file)))

    return jounce
