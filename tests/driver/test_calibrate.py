"""Does `jounce devices` list the devices, and does the wizard create a working profile?"""

import argparse
import io
import json
import math

import pytest
import yaml

from simulator.driver.input_devices import calibrate, calibration
from simulator.driver.input_devices.calibrate import add_devices_arguments, main_devices
from simulator.driver.input_devices.device_profiles import load_profile


def run(*words):
    parser = argparse.ArgumentParser()
    add_devices_arguments(parser)
    return main_devices(parser.parse_args(words))


@pytest.fixture(autouse=True)
def quick_and_private(monkeypatch, tmp_path):
    """Do not wait, and do not read the profiles of the user."""
    monkeypatch.setattr(calibration, "SETTLE", 0.02)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def sdl_running(hub):
    """SDL kept alive before and after the command, so that virtual devices survive."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibrate.DeviceHub, "close", lambda self: None)
        yield hub


class Person:
    """Standard input whose lines come with a movement: (what to do, what to type)."""

    def __init__(self, story):
        self.story = iter(story)

    def readline(self):
        step = next(self.story, None)
        if step is None:
            return ""
        act, line = step
        act()
        return line + "\n"


def test_no_device_is_reported_and_is_no_error(capsys):
    assert run() == 0
    assert "No wheel" in capsys.readouterr().out
    assert run("--calibrate") == 0
    assert run("--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"devices": []}


def test_listing(sdl_running, plug, capsys):
    plug("Logitech G29 Driving Force Racing Wheel", 2, 4, 12, (0x046D, 0xC24F)).axis(0, -0.5)
    plug("Flight stick", 2, 3, 2)
    assert run() == 0
    text = capsys.readouterr().out
    assert "046d:c24f" in text and "not verified" in text and "none (try --calibrate)" in text
    assert run("--json") == 0
    devices = json.loads(capsys.readouterr().out)["devices"]
    assert [device["kind"] for device in devices] == ["wheel", None]
    assert len(devices[0]["axes"]) == 4 and devices[0]["axes"][0] == pytest.approx(-0.5, abs=1e-3)


def story_of(stick):
    """A wheel on axis 2, reversed; throttle on axis 0, inverted; brake on axis 3; paddles 4 and 5."""

    def put(axis, value):
        return lambda: stick.axis(axis, value)

    def first_reports_too():
        stick.axis(2, 0.9)
        stick.axis(0, 1.0)

    return [
        (first_reports_too, ""),
        (put(2, -0.9), ""),
        (put(2, 0.0), ""),
        (put(0, -1.0), ""),
        (put(0, 1.0), ""),
        (put(3, 0.8), ""),
        (put(3, -1.0), ""),
        (lambda: None, "1080"),
        (lambda: stick.tap(4), ""),
        (lambda: stick.tap(5), ""),
        *[(lambda: None, "")] * 4,
    ]


def test_wizard_makes_a_profile_that_works(sdl_running, plug, monkeypatch, tmp_path, capsys):
    stick = plug("Home-made", 2, 4, 12, (0x1234, 0x5678))
    file = tmp_path / "mine" / "home.yaml"
    monkeypatch.setattr("sys.stdin", Person(story_of(stick)))
    assert run("--calibrate", "--out", str(file.parent), "--name", "home") == 0
    profile = load_profile(file)
    assert profile.kind == "wheel" and profile.rotation == math.radians(1080.0) and profile.match.usb == ("1234:5678",)
    assert (profile.steering.axis, profile.steering.left, profile.steering.right) == (2, 0.9, -0.9)
    assert (profile.throttle.axis, profile.throttle.released, profile.throttle.pressed) == (0, 1.0, -1.0)
    assert (profile.brake.axis, profile.brake.released, profile.brake.pressed) == (3, -1.0, 0.8)
    assert profile.buttons == {"selector_up": (4,), "selector_down": (5,)}
    capsys.readouterr()

    before = file.read_bytes()
    assert run("--calibrate", "--out", str(file.parent), "--name", "home") == 2
    assert "file exists" in capsys.readouterr().err and file.read_bytes() == before


def test_wizard_writes_to_the_users_folder_and_it_is_found(sdl_running, plug, monkeypatch, tmp_path, capsys):
    stick = plug("Home-made", 2, 4, 12, (0x1234, 0x5678))
    monkeypatch.setattr("sys.stdin", Person(story_of(stick)))
    assert run("--calibrate") == 0
    written = tmp_path / "config" / "jounce" / "devices" / "home_made.yaml"
    assert yaml.safe_load(written.read_text())["name"] == "Home-made"
    capsys.readouterr()
    stick.unplug()
    sdl_running.poll()
    again = plug("Home-made", 2, 4, 12, (0x1234, 0x5678))
    again.axis(2, 0.9)
    assert run("--json") == 0
    facts = json.loads(capsys.readouterr().out)["devices"]
    assert facts[0]["file"] == str(written)


@pytest.mark.parametrize("lines", ["", "\n\n\n", "\n" * 7 + "many\n", "\n" * 20])
def test_a_wizard_that_gets_no_answers_writes_nothing(sdl_running, plug, monkeypatch, tmp_path, capsys, lines):
    plug("Home-made", 2, 4, 12)
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert run("--calibrate", "--out", str(tmp_path), "--name", "home") == 2
    error = capsys.readouterr().err
    assert "no file was written" in error and len(error.splitlines()) == 1
    assert not list(tmp_path.glob("home*"))


def test_an_unwritable_place_is_one_line(sdl_running, plug, monkeypatch, tmp_path, capsys):
    stick = plug("Home-made", 2, 4, 12)
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("sys.stdin", Person(story_of(stick)))
    assert run("--calibrate", "--out", str(tmp_path / "file"), "--name", "home") == 2
    assert "cannot write the file" in capsys.readouterr().err


def test_a_broken_user_profile_is_one_line_and_status_2(tmp_path, capsys):
    folder = tmp_path / "config" / "jounce" / "devices"
    folder.mkdir(parents=True)
    (folder / "bad.yaml").write_text("kind: wheel\n")
    assert run() == 2
    assert "bad.yaml" in capsys.readouterr().err
