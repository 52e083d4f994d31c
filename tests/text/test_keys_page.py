"""Do the pages about keys say what the program does?"""

from __future__ import annotations

import re
from pathlib import Path

from simulator.configuration.file_lookup import data_folder
from simulator.view.key_bindings import ACTIONS, DEFAULTS, KEY_NAMES, shown
from simulator.view.user_settings import UserSettings, load_settings

ROOT = Path(__file__).resolve().parents[2]


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_example_of_the_page_is_read(tmp_path):
    (example,) = re.findall(r"```yaml\n# settings\.yaml\n(.*?)```", page("keys.md"), re.DOTALL)
    file = tmp_path / "settings.yaml"
    file.write_text(example, encoding="utf-8")
    settings = load_settings(file)
    assert (settings.speed_unit, settings.text_scale, settings.camera_shake) == ("mph", 1.5, False)
    assert settings.keys == DEFAULTS | {"throttle": ("W", "UP"), "pause": ("F5",), "camera_1": ("1", "NUM_1"), "quit": ()}


def test_the_shipped_file_has_the_usual_settings_and_all_actions():
    file = data_folder("configs") / "settings" / "default.yaml"
    assert load_settings(file) == UserSettings()
    assert all(f"  {action.name}: [" in file.read_text(encoding="utf-8") for action in ACTIONS)


def test_the_page_lists_the_names_of_all_keys():
    table = page("keys.md").partition("| names of keys |")[2]
    listed = set(re.findall(r"`(\w+)`", table))
    ranges = {"A": "Z", "0": "9", "F1": "F12", "NUM_0": "NUM_9"}
    for first, last in ranges.items():
        assert {first, last} <= listed
    others = {name for name in KEY_NAMES if not re.fullmatch(r"[A-Z0-9]|F\d+|NUM_\d", name)}
    assert others <= listed <= set(KEY_NAMES)


def test_the_page_of_the_drive_lists_every_action_with_its_first_key():
    rows = [line.split(" | ") for line in page("driving.md").splitlines() if line.startswith("| ") and line.count(" | ") == 2]
    listed = {name: keys for keys, _, names in rows for name in re.findall(r"`(\w+)`", names)}
    arrows = ("steer_left", "steer_right", "throttle", "brake")
    assert {action.name for action in ACTIONS} <= set(listed)
    assert [
        action.name for action in ACTIONS if action.name not in arrows and f"`{shown(action.keys[0])}`" not in listed[action.name]
    ] == []
