"""Are the shipped profiles valid, do they match their devices, and do errors name the fault?"""

import math

import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.driver.input_devices import device_profiles as module
from simulator.driver.input_devices.device_profiles import (
    choose_profile,
    load_profile,
    load_profiles,
    read_profile,
    shipped_profiles_folder,
    usb_id,
)

G29 = "030000006d0400004fc2000011010000"
GOOD = {
    "name": "Test wheel",
    "kind": "wheel",
    "verified": False,
    "source": "test",
    "match": {"names": ["*test*"]},
    "steering": {"axis": 0},
    "throttle": {"axis": 1, "released": 1.0, "pressed": -1.0},
}


def test_every_shipped_profile_is_read_and_marks_untested_devices(profiles, keyboard_profile):
    kinds = {profile.kind for profile in profiles}
    assert kinds == {"wheel", "gamepad"}
    assert not any(profile.verified for profile in profiles)
    for profile in profiles:
        assert profile.steering is not None and profile.throttle is not None and profile.brake is not None
        assert len(set(profile.axes)) == len(profile.axes) == 3 + (profile.clutch is not None)
    assert keyboard_profile.steering.time_to_full > keyboard_profile.steering.time_to_center


@pytest.mark.parametrize(
    ("name", "guid", "system", "expected"),
    [
        ("Logitech G29 Driving Force Racing Wheel", G29, "linux", "on Linux"),
        ("Logitech G29 Driving Force Racing Wheel", G29, "windows", "on Windows"),
        ("anything", "030000004f0400006eb6000000010000", "linux", "Thrustmaster T300"),
        ("anything", "030000004f04000077b6000000010000", "linux", "Thrustmaster T150"),
        ("anything", "03000000b70e00002000000000010000", "linux", "Fanatec"),
        ("Some Racing Wheel", "03000000341200007856000000010000", "linux", "Unknown wheel"),
    ],
)
def test_devices_find_their_profile(profiles, monkeypatch, name, guid, system, expected):
    monkeypatch.setattr(module, "system", lambda: system)
    found = choose_profile(profiles, name, guid, is_gamepad=False)
    assert found is not None and expected in found.name


def test_any_game_controller_is_known_and_a_strange_joystick_is_not(profiles):
    pad = choose_profile(profiles, "Wireless Controller", "0" * 32, is_gamepad=True)
    assert pad is not None and pad.kind == "gamepad"
    assert choose_profile(profiles, "Flight stick", "0" * 32, is_gamepad=False) is None


def test_usb_id_out_of_a_guid():
    assert usb_id(G29) == "046d:c24f"
    assert usb_id("ff00d3535669727475616c2057007602") == "", "a GUID that holds a name"


def test_a_users_profile_wins(tmp_path):
    mine = GOOD | {"name": "Mine", "match": {"usb": ["046d:c24f"]}}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(mine))
    found = choose_profile(load_profiles((tmp_path, shipped_profiles_folder()))[0], "G29", G29, is_gamepad=False)
    assert found is not None and found.name == "Mine"


def change(path, value):
    data = yaml.safe_load(yaml.safe_dump(GOOD))
    *parents, last = path.split(".")
    place = data
    for part in parents:
        place = place.setdefault(part, {})
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ("steering.axis", True, "steering.axis"),
        ("steering.axis", -1, "steering.axis"),
        ("steering.axis", "leftx", "axis"),
        ("steering.left", 3.0, "steering.left"),
        ("steering.left", math.nan, "steering.left"),
        ("steering.left", 0.5, "steering"),
        ("steering.dead_zone", 0.9, "steering.dead_zone"),
        ("steering.invert", True, "steering.invert"),
        ("throttle.pressed", KeyError, "throttle.pressed"),
        ("throttle.pressed", 0.95, "throttle.pressed"),
        ("throttle.pressed", "1e0", "throttle.pressed"),
        ("buttons.fire", [1], "buttons"),
        ("buttons.reset", ["a"], "buttons.reset"),
        ("match.usb", ["46d:c24f"], "match.usb"),
        ("match", {}, "match"),
        ("match.systems", ["amiga"], "match.systems[0]"),
        ("kind", "boat", "kind"),
        ("verified", 1, "verified"),
        ("steering", KeyError, "steering"),
        ("rotation_deg", 0.0, "rotation_deg"),
        ("file", "x", "file"),
    ],
)
def test_a_broken_profile_names_file_key_and_expectation(path, value, key):
    with pytest.raises(ConfigError) as caught:
        read_profile(change(path, value), "wheel.yaml")
    assert caught.value.file == "wheel.yaml"
    assert caught.value.key.startswith(key)
    assert "\n" not in str(caught.value) and caught.value.expected


@pytest.mark.parametrize("text", ["", "- 1", "kind: [", "kind: wheel\nkind: \x00", "\xff"])
def test_a_file_that_is_no_profile(tmp_path, text):
    file = tmp_path / "bad.yaml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"bad\.yaml"):
        load_profile(file)


def test_a_keyboard_profile_is_checked_too():
    with pytest.raises(ConfigError, match=r"throttle\.press"):
        read_profile({"name": "k", "kind": "keyboard", "throttle": {"press": 0.0}}, "keys.yaml")


def test_no_keyboard_profile_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="kind: keyboard"):
        load_profiles((tmp_path,))
