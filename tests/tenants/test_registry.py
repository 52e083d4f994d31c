"""Tenants by name: registered, offered by an installed package, or in a file named on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from simulator.__main__ import main
from simulator.base.errors import JounceError
from simulator.base.tenants import Registry, load_plugins


@pytest.fixture
def registry() -> Registry[str]:
    return Registry("kind of axle", "jounce.test_axles", {"wishbone": "ours"})


@pytest.fixture
def modules(tmp_path: Path) -> Iterator[Path]:
    """A folder for plugins; what was imported from it is forgotten."""
    before, paths = set(sys.modules), list(sys.path)
    yield tmp_path
    sys.path[:] = paths
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == tmp_path:
            del sys.modules[name]


def test_a_name_has_one_tenant(registry: Registry[str]) -> None:
    registry.register("swing", "mine")
    registry.register("swing", "mine")
    assert (registry.get("swing"), registry.get("wishbone"), registry.get("sliding")) == ("mine", "ours", None)
    with pytest.raises(JounceError, match="there is a kind of axle called wishbone already"):
        registry.register("wishbone", "mine")
    assert registry.names() == ("wishbone", "swing")


class Point:
    """Entry point of a package that is not installed."""

    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value

    def load(self) -> object:
        if self.value == "broken":
            raise ImportError("no such thing")
        return self.value


def test_installed_packages_are_asked_for_names_that_nobody_has(registry: Registry[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def entry_points(group: str) -> list[Point]:
        asked.append(group)
        return [Point("trailing_arm", "theirs")]

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    assert registry.get("wishbone") == "ours"
    assert asked == []
    assert registry.get("trailing_arm") == "theirs"
    assert registry.get("sliding") is None
    assert asked == ["jounce.test_axles"]


def test_a_package_that_cannot_be_loaded_is_named(registry: Registry[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "entry_points", lambda group: [Point("trailing_arm", "broken")])
    with pytest.raises(JounceError, match=r"kind of axle trailing_arm of broken: ImportError: no such thing"):
        registry.names()


def test_a_plugin_imports_what_lies_beside_it(modules: Path) -> None:
    (modules / "beside_the_plugin.py").write_text("VALUE = 3\n")
    (modules / "my_plugin.py").write_text("from beside_the_plugin import VALUE\nSEEN = VALUE + 1\n")
    for _ in range(2):
        load_plugins([str(modules / "my_plugin.py")])
    assert sys.modules["my_plugin"].SEEN == 4


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("plugin_absent.py", None, "no such file"),
        ("plugin.yaml", "a: 1\n", "a plugin is a Python file"),
        ("plugin_broken.py", "1 +\n", "SyntaxError"),
        ("plugin_raising.py", "raise ValueError('no')\n", "ValueError: no"),
        ("json.py", "A = 1\n", "there is a module called json already"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named(
    modules: Path, capsys: pytest.CaptureFixture[str], name: str, text: str | None, complaint: str
) -> None:
    path = modules / name
    if text is not None:
        path.write_text(text)
    assert main(["run", "double_lane_change", "--plugin", str(path)]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
