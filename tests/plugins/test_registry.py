"""Kinds by name: registered, provided by an installed package, or in a file named on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator.base import registry as registry_module
from simulator.base.errors import JounceError
from simulator.base.fields import Field, Number
from simulator.base.registry import Registry, load_plugins
from simulator.catalog.registries import REGISTRIES, registry_of
from simulator.cli.main import main
from vehicles.tires.contract import CONTRACT, LAYOUT


@pytest.fixture
def registry() -> Registry[str]:
    return Registry("kind of axle", "jounce.test_axles", {"wishbone": "ours"})


@pytest.fixture
def modules(tmp_path: Path) -> Iterator[Path]:
    """Return a folder for plugins; its modules are unloaded afterwards."""
    before, paths = set(sys.modules), list(sys.path)
    yield tmp_path
    sys.path[:] = paths
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == tmp_path:
            del sys.modules[name]


def test_a_name_has_one_kind(registry: Registry[str]) -> None:
    registry.register("swing", "mine")
    registry.register("swing", "mine")
    assert (registry.get("swing"), registry.get("wishbone"), registry.get("sliding")) == ("mine", "ours", None)
    with pytest.raises(JounceError, match=r"duplicate kind of axle wishbone; registered by Jounce and by .*test_registry\.py"):
        registry.register("wishbone", "mine")
    assert registry.names() == ("wishbone", "swing")


@pytest.mark.parametrize("table", ["fields", "parameters"])
def test_a_table_of_keys_has_fields(table: str) -> None:
    registry: Registry[object] = Registry("sensor", "jounce.test_sensors", {})
    good = SimpleNamespace(**{table: (Field("gain", Number("m"), "a gain"),)})
    registry.register("good", good)
    with pytest.raises(
        JounceError, match=rf"^sensor rows: {table}: invalid row; expected a Field .*; got \('gain', \(\), 'm', 'a gain'\)$"
    ):
        registry.register("rows", SimpleNamespace(**{table: (*getattr(good, table), ("gain", (), "m", "a gain"))}))
    assert registry.names() == ("good",)


@pytest.mark.parametrize("name", [name for name in REGISTRIES if name != "axles"])  # the contract of an axle is that of its kernels
def test_each_registry_refuses_a_kind_for_another_contract(name: str) -> None:
    registry = registry_of(name)
    for kind in (SimpleNamespace(contract=99), SimpleNamespace()):
        with pytest.raises(
            JounceError, match=rf"^{registry.noun} other: written for version (99|None) of the contract; expected version \d$"
        ):
            registry.register("other", kind)
    assert not registry.has("other")


def test_a_name_in_a_file_needs_a_kind_for_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    registry: Registry[object] = Registry("tire", "jounce.test_tires", {}, "vehicles.tires.contract", 4, lambda kind: kind.trouble)
    kind = SimpleNamespace(contract=CONTRACT, layout=LAYOUT, numbers=4, trouble="")
    monkeypatch.setattr(registry_module, "entry_points", lambda group: [Point("mine", kind)])
    assert registry.need("mine") is registry.named("mine", "a.yaml", "type") is kind
    for change, problem in (
        ({"layout": 1}, "written for other tables; expected LAYOUT of vehicles.tires.contract"),
        ({"numbers": 5}, "its state has 5 numbers; expected at most 4"),
        ({"trouble": "it has no kernel"}, "it has no kernel"),
    ):
        with monkeypatch.context() as patch:
            for attribute, value in change.items():
                patch.setattr(kind, attribute, value)
            for use in (registry.need, lambda name: registry.named(name, "a.yaml", "type")):
                with pytest.raises(JounceError, match=f"^tire mine: {problem}$"):
                    use("mine")


class Point:
    """Entry point of a simulated package."""

    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value

    def load(self) -> object:
        if self.value == "broken":
            raise ImportError("no such thing")
        return self.value


def test_installed_packages_are_searched_for_unknown_names(registry: Registry[str], monkeypatch: pytest.MonkeyPatch) -> None:
    requested = []

    def entry_points(group: str) -> list[Point]:
        requested.append(group)
        return [Point("trailing_arm", "theirs")]

    monkeypatch.setattr(registry_module, "entry_points", entry_points)
    assert registry.get("wishbone") == "ours"
    assert requested == []
    assert registry.get("trailing_arm") == "theirs"
    assert registry.get("sliding") is None
    assert requested == ["jounce.test_axles"]


def test_a_package_that_cannot_be_loaded_is_named(registry: Registry[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "entry_points", lambda group: [Point("trailing_arm", "broken")])
    assert registry.names() == ("wishbone", "trailing_arm")
    with pytest.raises(JounceError, match=r"kind of axle trailing_arm of broken: ImportError: no such thing"):
        registry.get("trailing_arm")


@pytest.mark.parametrize("points", [[Point("wishbone", "theirs")], [Point("swing", "theirs"), Point("swing", "of others")]])
def test_two_packages_or_a_package_and_jounce_may_not_share_a_name(
    registry: Registry[str], monkeypatch: pytest.MonkeyPatch, points: list[Point]
) -> None:
    monkeypatch.setattr(registry_module, "entry_points", lambda group: points)
    with pytest.raises(
        JounceError, match=r"duplicate kind of axle (wishbone|swing); registered by (Jounce|theirs) and by (theirs|of others)"
    ):
        registry.names()


def test_an_installed_package_is_found_by_its_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = tmp_path / "theirs-1.0.dist-info"
    said.mkdir()
    (said / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (said / "entry_points.txt").write_text("[jounce.test_axles]\nswing = json:dumps\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry_module._entry_point_text.cache_clear()
    try:
        registry: Registry[object] = Registry("kind of axle", "jounce.test_axles", {})
        assert registry.names() == ("swing",)
        assert registry.get("swing") is json.dumps
        assert registry.get("slide") is None
    finally:
        registry_module._entry_point_text.cache_clear()


def test_a_builtin_kind_is_loaded_on_demand() -> None:
    registry: Registry[object] = Registry("decoder", "jounce.test_decoders", {"json": "json:loads", "none": "no_such_module:thing"})
    assert registry.names() == ("json", "none")
    assert registry.need("json") is json.loads
    assert registry.is_builtin("json")
    assert not registry.is_builtin("swing")


def test_an_unknown_name_is_refused_with_the_known_names(registry: Registry[str]) -> None:
    with pytest.raises(JounceError, match=r"^unknown kind of axle; expected wishbone; got 'wishbnoe'; hint: did you mean wishbone\?$"):
        registry.need("wishbnoe")


def test_a_plugin_imports_modules_of_its_folder(modules: Path) -> None:
    (modules / "next_to_the_plugin.py").write_text("VALUE = 3\n")
    (modules / "my_plugin.py").write_text("from next_to_the_plugin import VALUE\nSEEN = VALUE + 1\n")
    for _ in range(2):
        load_plugins([str(modules / "my_plugin.py")])
    assert sys.modules["my_plugin"].SEEN == 4


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("plugin_absent.py", None, "file not found; expected a plugin, a Python file"),
        ("plugin.yaml", "a: 1\n", "not a plugin; expected a Python file"),
        ("plugin_broken.py", "1 +\n", "SyntaxError"),
        ("plugin_raising.py", "raise ValueError('no')\n", "ValueError: no"),
        ("json.py", "A = 1\n", "a module with the name json exists"),
    ],
)
def test_an_unusable_plugin_is_named(
    modules: Path, capsys: pytest.CaptureFixture[str], name: str, text: str | None, complaint: str
) -> None:
    path = modules / name
    if text is not None:
        path.write_text(text)
    assert main(["run", "double_lane_change", "--plugin", str(path)]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
