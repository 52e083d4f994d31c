"""Does each old name of version 0.2 still work, with one warning that names the new one, and each new name without a warning?"""

from __future__ import annotations

import importlib
import warnings

import pytest

from simulator.base import renamed, renamed_modules
from simulator.base.errors import DeprecatedNameWarning
from simulator.base.registry import Registry
from simulator.catalog.file_kinds import KINDS, kind_named, kind_of
from simulator.catalog.registries import REGISTRIES
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import find_config
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override
from simulator.configuration.renamed_keys import modernized
from simulator.telemetry.channels import chosen
from vehicles.command import COMMAND

PARTS = {"**": "any"}


def warned(call, *arguments):
    """Result of a call, and the old names of which it warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*arguments)
    return result, [str(one.message) for one in caught if issubclass(one.category, DeprecatedNameWarning)]


def nested(section, content):
    """A content with a section at a path; "*" is an item of a list, but a name below `figures`."""
    for part in reversed(section):
        content = [content] if part == "*" and section[0] != "figures" else {("mass" if part == "*" else PARTS.get(part, part)): content}
    return content


@pytest.mark.parametrize("row", renamed.KEYS, ids=lambda row: f"{row.kind}-{'.'.join(row.section)}-{row.old}")
def test_an_old_key_is_read(row):
    more = {"type": row.types[0]} if row.types else {}
    old, new = (nested(row.section, {**more, key: 1.0}) for key in (row.old, row.new))
    (content, _), told = warned(modernized, row.kind, old, "mine.yaml")
    assert content == new
    assert len(told) == 1 and told[0].endswith(f"{row.old}: deprecated; use {row.new}") and told[0].startswith("mine.yaml: ")
    assert warned(modernized, row.kind, new, "mine.yaml")[0][0] == new
    assert warned(modernized, row.kind, new, "mine.yaml")[1] == []


def test_an_old_key_with_a_unit_is_read_and_another_key_is_left_alone():
    (content, _), told = warned(modernized, "maneuvers", {"phases": [{"within_s": 3}], "within_s": 4}, None)
    assert content == {"phases": [{"timeout_s": 3}], "within_s": 4}
    assert told == ["within_s: deprecated; use timeout_s"]


def test_a_key_of_a_third_party_controller_is_left_alone():
    content = {"controllers": [{"type": "mine", "least_speed": 3.0, "least": 1.0}]}
    assert warned(modernized, "vehicles", content, None) == ((content, []), [])


@pytest.mark.parametrize("row", renamed.VALUES, ids=lambda row: f"{row.kind}-{row.key}-{row.old}")
def test_an_old_value_is_read(row):
    (content, _), told = warned(modernized, row.kind, nested(row.section, {row.key: row.old}), None)
    assert content == nested(row.section, {row.key: row.new})
    assert told == [f"{row.old}: deprecated; use {row.new}"]
    assert warned(modernized, row.kind, content, None)[1] == []


@pytest.mark.parametrize(("old", "new"), renamed.FILES.items(), ids=str)
def test_an_old_name_of_a_shipped_file_is_found(old, new):
    kind, name = old
    assert warned(find_config, kind, name) == (find_config(kind, new), [f"{name}: deprecated; use {new}"])
    assert warned(find_config, kind, new)[1] == []


@pytest.mark.parametrize(
    ("old", "new"), [(old, new) for old, new in renamed.KINDS.items() if new in ("drivetrains", "datasheets", "optimizations")]
)
def test_an_old_kind_of_files_is_found(old, new):
    kind, told = warned(kind_named, old)
    assert (kind.name, told) == (new, [f"{old}: deprecated; use {new}"])
    assert warned(kind_named, new)[1] == []


@pytest.mark.parametrize(("old", "new"), renamed.KINDS.items())
def test_an_old_kind_of_a_list_is_found(old, new):
    assert warned(renamed.kind, old) == (new, [f"{old}: deprecated; use {new}"])
    assert warned(renamed.kind, new) == (new, [])
    assert new in {*REGISTRIES, *(kind.name for kind in KINDS)}


@pytest.mark.parametrize(("old", "new"), renamed.FOLDERS.items())
def test_an_old_folder_has_files_of_its_kind(old, new):
    assert kind_of(f"somewhere/{old}/any.yaml") == kind_named(new)


@pytest.mark.parametrize(("old", "new"), renamed.COMMAND_FIELDS.items())
def test_an_old_field_of_the_command_is_found(old, new):
    assert new in {row[0] for row in COMMAND} and old not in {row[0] for row in COMMAND}
    assert warned(renamed.command_field, old) == (new, [f"{old}: deprecated; use {new}"])
    assert warned(renamed.command_field, new) == (new, [])


@pytest.mark.parametrize(("old", "new"), renamed.COLUMNS.items())
def test_an_old_column_is_found(old, new):
    assert warned(chosen, {new: new, "time": "time"}, [old]) == ([new], [f"{old}: deprecated; use {new}"])
    assert warned(chosen, {new: new, "time": "time"}, [new]) == ([new], [])


@pytest.mark.parametrize(("old", "new"), renamed.GROUPS.items())
def test_an_old_entry_point_group_is_read(old, new, monkeypatch):
    class Point:
        name, value = "mine", "mine:KIND"

        def load(self):
            return self

    point = Point()
    monkeypatch.setattr("simulator.base.registry.entry_points", lambda group: [point] if group == old else [])
    registry = Registry("kind", new, {})
    found, told = warned(registry.get, "mine")
    assert found is point and len(told) == 1 and told[0].endswith(f"deprecated; use {new}")


SETTINGS = [
    ("platform.cushion", 0.006, "platform.stroke_margin"),
    ("outlets.feel", False, "outlets.force_feedback"),
    ("vehicle.tires.window_spacing", 0.02, "vehicle.tires.contact_grid_spacing"),
]


@pytest.mark.parametrize(("old", "value", "new"), SETTINGS)
def test_a_setting_by_an_old_key_path_takes_effect(old, value, new):
    one, other = Configuration(), Configuration()
    _, told = warned(one.put, old, value, Origin("--set", is_file=False))
    assert len(told) == 1 and told[0].endswith(f"deprecated; use {new}")
    assert warned(other.put, new, value, Origin("--set", is_file=False))[1] == []
    assert one.raw(new) == other.raw(new) == value
    assert one.raw(old) is None


def test_an_old_value_in_a_setting_takes_effect():
    one = Configuration()
    _, told = warned(one.set, Override(("vehicle", "tires", "combination"), "normalised", "--set"), Origin("--set", is_file=False))
    assert one.raw("vehicle.tires.combination") == "normalized" and len(told) == 1


@pytest.mark.parametrize("old", renamed_modules.MODULES)
def test_an_old_module_has_its_names(old):
    import sys

    sys.modules.pop(old, None)
    module, told = warned(importlib.import_module, old)
    assert sum(text.startswith(f"module {old}: deprecated; use ") for text in told) == 1
    for new in renamed_modules.MODULES[old]:
        present = importlib.import_module(new)
        for name, now in renamed_modules.NAMES.get(new, {}).items():
            assert warned(getattr, module, name)[0] is vars(present)[now]


@pytest.mark.parametrize("module", [one for one in renamed_modules.NAMES if "__getattr__" in vars(importlib.import_module(one))])
def test_an_old_name_in_a_module_that_stays_is_found(module):
    found = importlib.import_module(module)
    for old, new in renamed_modules.NAMES[module].items():
        value, told = warned(getattr, found, old)
        assert value is getattr(found, new)
        assert told == [f"{module}.{old}: deprecated; use {module}.{new}"]
