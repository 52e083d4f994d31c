"""Does the start screen lead to the drive that was chosen, and does it show and calibrate devices?"""

from __future__ import annotations

import time

import pytest
from PIL import Image

from simulator.base.errors import DeviceError
from simulator.cli.commands import driving
from simulator.cli.main import main
from simulator.cli.parser import parser_of
from simulator.configuration.from_arguments import session_of
from simulator.configuration.session_file import read_session
from simulator.driver.input_devices import calibration
from simulator.driver.input_devices.device_profiles import load_profile
from simulator.host import drive_command
from simulator.host.drive_command import DriveResult
from simulator.host.trip import Trip
from simulator.start_screen import open_start_screen, pages
from simulator.start_screen.choice import (
    CARS,
    COURSES,
    FREE,
    OF_MANEUVER,
    ROWS,
    USUAL,
    WEATHER,
    WORLDS,
    drive_options,
    initial_choice,
    options_of,
    shown_rows,
)
from simulator.start_screen.last_drive import LastDrivePages, Rendering, VideoPage, free_file
from simulator.start_screen.open_start_screen import CHOICE, NO_DRIVE, WATCH, LastDrive
from simulator.start_screen.pages import CalibrationPage, Devices, DevicesPage, StartPage
from simulator.view.instruments import asset
from simulator.view.menu import Menu
from simulator.view.settings_pages import LiveSettings
from simulator.view.user_settings import UserSettings
from simulator.weather import CLEAR


@pytest.fixture(autouse=True)
def private(monkeypatch, tmp_path):
    monkeypatch.setattr(calibration, "SETTLE", 0.02)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


class NoDevices:
    trouble = ""

    def found(self) -> list:
        return []


def start_page(choice=USUAL) -> tuple[StartPage, Menu, list[bool]]:
    drives: list[bool] = []
    page = StartPage(choice, LiveSettings(UserSettings()), NoDevices(), lambda: menu, lambda: drives.append(True))
    menu = Menu(page, lambda: None)
    return page, menu, drives


def press(menu: Menu, *keys: str) -> None:
    for key in keys:
        assert menu.key(key), key


def labels(menu: Menu) -> list[str]:
    return [row.label for row in menu.page.rows()]


@pytest.mark.parametrize("row", ROWS)
def test_every_usual_value_is_among_the_options_and_each_has_a_note(row):
    options = options_of(row, USUAL[row])
    assert USUAL[row] in [option.name for option in options] and all(option.note for option in options)
    assert options_of(row, "my_own.yaml")[0].name == "my_own.yaml"


def test_enter_drives_at_once():
    _, menu, drives = start_page()
    press(menu, "ENTER")
    assert drives == [True]


def test_keyboard_alone_chooses_another_vehicle_and_a_maneuver():
    page, menu, drives = start_page()
    press(menu, "DOWN", "DOWN", "DOWN", "RIGHT")
    assert page.choice["vehicle"] == CARS[CARS.index("hmmwv") + 1]
    press(menu, "UP", "LEFT")
    assert page.choice["driver"] == "scripted" and labels(menu)[1:5] == ["Course", "Driver", "Maneuver", "Vehicle"]
    press(menu, "DOWN", "ENTER")
    assert menu.page.title == "Maneuver"
    press(menu, "DOWN", "ENTER", "UP", "UP", "UP", "ENTER")
    maneuvers = [option.name for option in options_of("maneuver", "scripted_drive")]
    assert page.choice["maneuver"] == maneuvers[maneuvers.index("scripted_drive") + 1] and drives == [True]


@pytest.mark.parametrize(("row", "names"), [("vehicle", CARS), ("terrain", WORLDS)])
def test_the_first_vehicles_and_worlds_have_pictures_and_the_others_are_behind_more(row, names):
    page, menu, _ = start_page(USUAL | {row: names[0]})
    down = shown_rows(USUAL).index(row) + 1
    press(menu, *["DOWN"] * down, "ENTER")
    rows = menu.page.rows()
    assert [one.label for one in rows] == [*names, "more \u2026"]
    for one in rows[:-1]:
        with Image.open(asset(f"pictures/{one.picture}.jpg")) as image:
            assert image.width > image.height > 100
    press(menu, "UP", "ENTER")  # around to the last row
    everything = [option.name for option in options_of(row, names[0])]
    assert [one.label for one in menu.page.rows()] == everything and len(everything) > len(names) + 5
    press(menu, "DOWN", "ENTER")
    assert page.choice[row] == everything[everything.index(names[0]) + 1] and labels(menu)[2] == "Driver"


def test_text_next_to_a_picture_is_not_repeated_below_the_rows():
    _, menu, _ = start_page()
    rows = {row.label: row for row in menu.page.rows()}
    for label in ("Vehicle", "Terrain"):
        assert rows[label].text and "Enter: all" in rows[label].note
    assert rows["Weather"].note and not rows["Weather"].text
    press(menu, "DOWN", "DOWN", "DOWN", "ENTER")
    for row in menu.page.rows():
        assert (row.text if row.picture else row.note) and not (row.text and row.note)


def test_a_variant_keeps_its_place_before_the_first_vehicles():
    _, menu, _ = start_page(USUAL | {"vehicle": "hmmwv_manual"})
    press(menu, "DOWN", "DOWN", "DOWN", "ENTER")
    assert labels(menu) == ["hmmwv_manual", *CARS, "more \u2026"]


def test_options_of_the_drive():
    own = drive_options(USUAL | {"vehicle": "sedan", "terrain": "flat", "weather": "rain"})
    assert own == {
        "vehicle": "sedan",
        "terrain": "flat",
        "driver": "auto",
        "maneuver": None,
        "set": ["weather.rain_mmph=5", "weather.visibility=5000"],
    }
    scripted = drive_options(USUAL | {"driver": "scripted", "vehicle": "sedan", "maneuver_terrain": "flat"})
    assert (scripted["vehicle"], scripted["terrain"], scripted["maneuver"]) == (None, "flat", "scripted_drive")
    assert shown_rows(USUAL)[:2] == ("course", "driver")


def test_a_course_replaces_vehicle_terrain_and_maneuver():
    page, menu, _ = start_page()
    press(menu, "DOWN", "ENTER")
    rows = menu.page.rows()
    assert [row.label for row in rows] == [FREE, *COURSES]
    for row in rows[1:]:
        with Image.open(asset(f"pictures/{row.picture}.jpg")) as image:
            assert image.width > image.height > 100
    press(menu, "DOWN", "ENTER")
    assert labels(menu)[1:5] == ["Course", "Driver", "Vehicle", "Weather"]
    assert drive_options(page.choice) == {
        "vehicle": None,
        "terrain": None,
        "driver": "auto",
        "maneuver": None,
        "session": COURSES[0],
        "set": [],
    }
    own = drive_options(page.choice | {"course_vehicle": "sedan", "driver": "scripted"})
    assert (own["vehicle"], own["driver"], own["maneuver"]) == ("sedan", "scripted", None)
    assert "session" not in drive_options(USUAL)  # a session of the command line stays


def test_the_command_line_wins_over_the_last_start():
    saved = {"vehicle": "sedan", "terrain": "flat", "driver": "scripted", "unknown": "row"}
    choice = initial_choice(saved, {"vehicle": "my.yaml"})
    assert (choice["vehicle"], choice["terrain"], choice["maneuver_vehicle"], choice["maneuver_terrain"]) == (
        "my.yaml", "flat", "my.yaml", OF_MANEUVER,
    )  # fmt: skip
    assert "unknown" not in choice


def test_values_of_the_last_start_that_do_not_exist_any_more_are_left_out(tmp_path):
    """Otherwise every start ends with an error about a value that the user did not give."""
    (tmp_path / "mine.yaml").write_text("base: sedan\n")
    gone = {"vehicle": "gone.yaml", "terrain": "/gone/hill.yaml", "weather": "sun", "driver": "pedalo", "maneuver": "gone"}
    assert initial_choice(gone, {}, str(tmp_path)) == USUAL
    there = {
        "vehicle": "mine.yaml",
        "maneuver_vehicle": str(tmp_path / "mine.yaml"),
        "terrain": "flat",
        "weather": "fog",
        "driver": "planner",
    }
    assert initial_choice(there, {}, str(tmp_path)) == USUAL | there
    assert initial_choice(gone, {"vehicle": "gone.yaml"}, str(tmp_path))["vehicle"] == "gone.yaml"


@pytest.mark.parametrize("preset", WEATHER, ids=lambda preset: preset.name)
def test_weather_is_accepted_by_a_session(preset):
    arguments = parser_of("drive").parse_args(["drive", *(word for value in preset.overrides for word in ("--set", value))])
    weather = read_session(session_of(arguments, [])).weather
    assert sum(value != usual for value, usual in zip(weather, CLEAR, strict=True)) == len(preset.overrides)


def test_menu_sets_the_options_and_quit_drives_nothing(monkeypatch):
    arguments = parser_of("drive").parse_args(["drive", "--menu", "--vehicle", "sedan", "--set", "seed=3"])
    given = []
    answers = [drive_options(USUAL | {"vehicle": "light_truck", "weather": "fog"}), None]
    monkeypatch.setattr(open_start_screen, "open_start_screen", lambda values, last: (given.append(values), answers.pop(0))[1])
    assert driving._choose(arguments, driving._given(arguments), NO_DRIVE) and given == [{"vehicle": "sedan"}]
    assert (arguments.vehicle, arguments.terrain, arguments.set) == ("light_truck", "hills", ["weather.visibility=100", "seed=3"])
    assert main(["drive", "--menu"]) == 0


def test_without_a_display_the_menu_is_refused_and_jounce_prints_the_commands(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DeviceError, match="no display"):
        open_start_screen.open_start_screen({})
    assert main([]) == 0 and "commands:" in capsys.readouterr().out


def test_in_a_pipe_jounce_prints_the_commands(monkeypatch, capsys):
    monkeypatch.setenv("DISPLAY", ":1")
    assert main([]) == 0 and "commands:" in capsys.readouterr().out


def test_a_broken_settings_file_is_reported_before_a_window_opens(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("DISPLAY", ":1")
    file = tmp_path / "config" / "jounce" / "settings.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("text_scale: 5\nkeys: {puase: P}\n")
    assert main(["drive", "--menu"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and all(line.startswith(f"jounce: {file}:") for line in said)


def test_without_devices_a_line_says_so():
    page = DevicesPage(NoDevices(), lambda: menu)
    menu = Menu(page, lambda: None)
    assert "keyboard" in labels(menu)[1].lower()


def test_devices_show_live_values_and_can_be_calibrated(hub, plug, monkeypatch, tmp_path):
    monkeypatch.setattr(pages, "DeviceHub", lambda profiles: hub)
    monkeypatch.setattr(hub, "close", lambda: None)
    devices = Devices()
    stick = plug("Bench wheel", 2, 3, 4, (0x1234, 0x5678))
    devices.poll()
    page = DevicesPage(devices, lambda: menu)
    menu = Menu(page, lambda: None)
    assert labels(menu)[1] == "Bench wheel" and page.rows()[1].warns
    stick.axis(0, 0.5)
    devices.poll()
    (axis,) = [row for row in page.rows() if row.label.strip() == "axis 0"]
    assert axis.bar is not None and axis.bar.value == pytest.approx(-0.5, abs=0.01) and axis.value == "+0.50"

    press(menu, "DOWN", "ENTER")
    assert isinstance(menu.page, CalibrationPage)
    moves = [(0, -1.0), (0, 1.0), (0, 0.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)]
    stick.axis(1, -1.0)
    stick.axis(2, -1.0)
    for axis_number, value in moves:
        stick.axis(axis_number, value)
        devices.poll()
        press(menu, "ENTER")
    assert labels(menu)[0].startswith("Degrees")
    press(menu, "5", "4", "1", "BACKSPACE", "0", "ENTER")
    for number in (2, 3):  # the window polls between the press and Enter, and a wrong press can be corrected
        stick.tap(number)
        devices.poll()
        devices.poll()
        assert next(row.value for row in menu.page.rows() if row.label == "Next") == f"button {number}"
    press(menu, *["ENTER"] * len(calibration.BUTTONS))
    assert labels(menu)[0].startswith("saved in")
    profile = load_profile(tmp_path / "config" / "jounce" / "devices" / "bench_wheel.yaml")
    assert profile.rotation == pytest.approx(9.42478, abs=1e-4) and profile.buttons == {"selector_up": (3,)}
    assert (profile.steering.left, profile.steering.right, profile.throttle.axis, profile.brake.axis) == (-1.0, 1.0, 1, 2)


def answer(choice, watch=False) -> dict:
    """What the start screen returns."""
    return {**drive_options(choice), CHOICE: choice, WATCH: watch}


def test_a_drive_ends_on_the_start_screen_until_the_user_quits(monkeypatch, tmp_path):
    """Drive, drive again in another car, watch, a choice that is refused, quit."""
    truck, pad = USUAL | {"vehicle": "light_truck"}, USUAL | {"driver": "gamepad"}
    answers = [answer(USUAL), answer(truck), answer(truck, watch=True), answer(pad), None]
    opened, driven, watched = [], [], []

    def drive(arguments, began):
        if arguments.driver == "gamepad":
            raise DeviceError("driver gamepad: no such device")
        driven.append((arguments.vehicle, arguments.out))
        trip = Trip()
        trip.distance, trip.top_speed, trip.duration = 1500.0, 20.0, 100.0
        return DriveResult(1 - len(driven), tmp_path / f"run_{len(driven)}", trip, ())

    monkeypatch.setattr(open_start_screen, "open_start_screen", lambda given, last: (opened.append((given, last)), answers.pop(0))[1])
    monkeypatch.setattr(drive_command, "run_drive", drive)
    monkeypatch.setattr(driving, "_watch", lambda folder: watched.append(folder) or 0)
    out = tmp_path / "out"
    out.mkdir()
    assert main(["drive", "--menu", "--vehicle", "sedan", "--out", str(out)]) == 2, "the code of the last choice"
    assert driven == [("hmmwv", str(out)), ("light_truck", str(tmp_path / "out_2"))] and watched == [str(tmp_path / "run_2")]
    assert opened[0] == ({"vehicle": "sedan"}, NO_DRIVE)
    assert opened[1] == (USUAL, LastDrive(str(tmp_path / "run_1"), "1.50 km in 1:40 min, top speed 72 km/h"))
    assert opened[3][1].folder == str(tmp_path / "run_2") and opened[3][1].trouble == ""
    assert opened[4] == (pad, opened[3][1]._replace(trouble="driver gamepad: no such device"))


def test_the_choice_of_a_maneuver_comes_back_unchanged():
    choice = USUAL | {"driver": "scripted", "maneuver_vehicle": "sedan", "vehicle": "light_truck"}
    assert initial_choice({}, choice) == choice


def test_rows_of_the_last_drive():
    watched = []
    last = LastDrive("runs/one", "80 m in 0:10 min, top speed 49 km/h", "the virtual platform has ended")
    pages = LastDrivePages(last, lambda: watched.append(True), lambda: menu)
    page = StartPage(USUAL, LiveSettings(UserSettings()), NoDevices(), lambda: menu, lambda: None, pages)
    menu = Menu(page, lambda: None)
    rows = page.rows()
    assert rows[0].warns and rows[0].note == last.trouble and (rows[1].label, rows[1].value) == ("Last drive", last.text)
    assert rows[menu.selected].label == "Drive again", "Enter drives again"
    press(menu, "DOWN", "ENTER")
    assert watched == [True]
    press(menu, "DOWN", "ENTER")
    assert isinstance(menu.page, VideoPage)
    press(menu, "ESCAPE", "DOWN", "RIGHT")
    assert page.rows()[2].label == "Drive", "another driver is not the same drive again"
    assert LastDrivePages(NO_DRIVE, lambda: None, lambda: menu).rows() == []


def wait_for_end(rendering: Rendering) -> None:
    end = time.monotonic() + 60.0
    while not rendering.ended:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_video_that_cannot_be_rendered_is_one_line(tmp_path):
    page = VideoPage(tmp_path, lambda: menu)
    menu = Menu(page, lambda: None)
    press(menu, "ENTER")
    wait_for_end(page._rendering)
    row = page.rows()[0]
    assert row.warns and str(tmp_path) in row.label and "Traceback" not in row.label
    assert list(tmp_path.iterdir()) == []


def test_leaving_the_page_ends_the_rendering(tmp_path):
    page = VideoPage(tmp_path, lambda: menu)
    menu = Menu(StartPage(USUAL, LiveSettings(UserSettings()), NoDevices(), lambda: menu, lambda: None), lambda: None)
    menu.open(page)
    press(menu, "ENTER")
    rendering, began = page._rendering, time.monotonic()
    press(menu, "ESCAPE")
    assert menu.page is not page and time.monotonic() - began < 1.0, "the window does not wait"
    wait_for_end(rendering)
    assert rendering.error and list(tmp_path.iterdir()) == []


def test_a_video_does_not_replace_an_earlier_one(tmp_path):
    assert free_file(tmp_path).name == "drive.mp4"
    for name in ("drive.mp4", "drive_2.mp4"):
        (tmp_path / name).touch()
    assert free_file(tmp_path).name == "drive_3.mp4"
