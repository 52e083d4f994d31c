"""Is a settings file read, checked with one line for each mistake, and written completely?"""

from __future__ import annotations

import os

import pytest

from simulator.base.errors import ConfigError, OutputError
from simulator.view.key_bindings import ACTIONS, DEFAULTS, KEY_NAMES, double_keys, name_of, pyglet_name
from simulator.view.user_settings import UserSettings, load_settings, save_settings, settings_file


def written(tmp_path, text: str):
    file = tmp_path / "settings.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_a_file_the_usual_settings_hold(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load_settings() == UserSettings() and settings_file() == tmp_path / "jounce" / "settings.yaml"


def test_a_file_is_read_and_other_keys_stay(tmp_path):
    file = written(tmp_path, "speed_unit: mph\ntext_scale: 1.5\nkeys: {pause: F5, camera_1: [7, num_7], quit: []}\n")
    settings = load_settings(file)
    assert (settings.speed_unit, settings.text_scale, settings.camera_shake) == ("mph", 1.5, True)
    assert settings.keys == DEFAULTS | {"pause": ("F5",), "camera_1": ("7", "NUM_7"), "quit": ()}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("keys: {puase: F5}", ["settings.yaml:1: keys.puase: invalid value; expected an action...; hint: did you mean pause?"]),
        ("keys:\n  pause: FOO", ["settings.yaml:2: keys.pause: invalid value; expected the name of a key...; got 'FOO'"]),
        ("keys: {pause: true}", ["keys.pause: invalid value; expected the name of a key...; got "]),
        ("keys: {pause: W}", ["keys.pause: invalid value; expected a key that throttle does not have...; got 'W'"]),
        ("keys: {pause: F5, camera: F5}", ["keys.camera: invalid value; expected a key that pause does not have...; got 'F5'"]),
        (
            "keys:\n  pause: [W, 1]\n  puase: F2\n",
            ["2: keys.pause...throttle...'W'", "2: keys.pause...camera_1...'1'", "3: keys.puase..."],
        ),
        ("text_scale: 3\nspeed_unit: mhp\n", ["1: text_scale: ...from 1 to 2; got 3", "2: speed_unit: ...did you mean mph?"]),
        ("text_size: 2\n", ["text_size: unknown key; ..."]),
        ("- a\n- b\n", ["settings.yaml...expected a mapping..."]),
        ("keys: {pause: [\n", ["settings.yaml..."]),
    ],
)
def test_each_mistake_is_one_line(tmp_path, text, lines):
    with pytest.raises(ConfigError) as caught:
        load_settings(written(tmp_path, text))
    said = str(caught.value).splitlines()
    assert len(said) == len(lines), said
    for line, expected in zip(said, lines, strict=True):
        position = 0
        for part in expected.split("..."):
            position = line.index(part, position) + len(part)


def test_settings_are_written_and_read_again(tmp_path):
    file = tmp_path / "new" / "settings.yaml"
    settings = UserSettings("mph", 1.25, False, False, DEFAULTS | {"neutral": ("F7", "N"), "pause": ()}, {"vehicle": "sedan"})
    save_settings(settings, file)
    assert load_settings(file) == settings and os.listdir(file.parent) == ["settings.yaml"]
    save_settings(UserSettings(), file)
    assert load_settings(file) == UserSettings()


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "jounce").write_text("no folder")
    with pytest.raises(OutputError, match="cannot write the file"):
        save_settings(UserSettings(), tmp_path / "jounce" / "settings.yaml")


def test_usual_keys_exist_and_belong_to_one_action():
    assert not double_keys(DEFAULTS)
    assert {key for action in ACTIONS for key in action.keys} <= set(KEY_NAMES)


def test_every_key_is_known_to_pyglet():
    pyglet = pytest.importorskip("pyglet")
    pyglet.options.headless = True
    from pyglet.window import key

    assert [name for name in KEY_NAMES if not hasattr(key, pyglet_name(name))] == []
    assert [name for name in KEY_NAMES if name_of(key.symbol_string(getattr(key, pyglet_name(name)))) != name] == []


def test_screens_in_the_folder_of_an_unknown_user_give_one_line(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("displays: ~nouser99/displays.yaml\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="nouser99"):
        load_settings(file)
