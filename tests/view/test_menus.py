"""Do menus work by keyboard alone and by mouse, at every text size, and does a change take effect and stay?"""

from __future__ import annotations

import math

import pytest

from simulator.view import user_settings
from simulator.view.guide import CARD_TIME, Guide
from simulator.view.instruments import Canvas, Font, asset
from simulator.view.key_bindings import ACTIONS, DEFAULTS, double_keys, help_rows
from simulator.view.menu import Bar, Menu, Option, PlainPage, Row, menu_scale
from simulator.view.pause_menu import REACTION, PauseMenu, PauseSwitch
from simulator.view.settings_pages import KeysPage, LiveSettings, SettingsPage
from simulator.view.user_settings import UserSettings, load_settings

FONT = Font(asset("fonts/hud.npz"))
SIZES = [(1280, 720), (640, 360), (1920, 1080), (430, 300)]


class Texts(Canvas):
    """Canvas that lists the texts and boxes that were drawn."""

    def __init__(self) -> None:
        super().__init__(FONT)
        self.texts: list[str] = []
        self.boxes: list[tuple[float, float, float, float]] = []

    def text(self, x, y, text, size=17, color=(1.0, 1.0, 1.0, 1.0), align=0.0) -> None:
        super().text(x, y, text, size, color, align)
        self.texts.append(text)
        width = self.font.width(text, size)
        self.boxes.append((x - align * width, y, width, float(size)))


class Page(PlainPage):
    title = "Test"

    def __init__(self) -> None:
        self.chosen: list[str] = []
        self.value = "b"

    def rows(self) -> list[Row]:
        return [
            Row("heading", selectable=False),
            Row("first", choose=lambda: self.chosen.append("first")),
            Row("value", self.value, "a note", step=self.step),
            Row("live", bar=Bar(-0.5, signed=True), selectable=False),
            *(Row(f"row {k}", choose=lambda k=k: self.chosen.append(f"row {k}")) for k in range(30)),
        ]

    def step(self, way: int) -> None:
        self.value = chr(ord(self.value) + way)


def press(menu: Menu, *keys: str) -> None:
    for key in keys:
        assert menu.key(key), key


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "jounce" / "settings.yaml"


def test_keyboard_alone_reaches_every_row():
    page, left = Page(), []
    menu = Menu(page, lambda: left.append(True))
    press(menu, "ENTER", "DOWN", "RIGHT", "LEFT", "LEFT", "DOWN", "ENTER", "UP", "UP", "UP", "ENTER")
    assert page.chosen == ["first", "row 0", "row 29"] and page.value == "a"
    press(menu, "ESCAPE")
    assert left == [True] and not menu.key("F5")


def test_buttons_of_devices_act_on_a_menu_unless_it_waits_for_a_key(config):
    live = LiveSettings(UserSettings())
    menu = Menu(KeysPage(live, lambda: menu), lambda: None)
    for key in ("DOWN", "ENTER", "ENTER", "DOWN"):
        menu.button(key)
    assert menu.selected == 2 and menu.page.listens and live.value.keys == DEFAULTS
    press(menu, "F9")
    assert live.value.keys[ACTIONS[1].name] == ("F9",) and not menu.page.listens


def test_mouse_chooses_rows_and_arrows_where_they_are_drawn():
    page = Page()
    menu, c = Menu(page, lambda: None), Texts()
    menu.draw(c, 1280.0, 720.0)
    at = dict(zip(c.texts, c.boxes, strict=True))
    x, y, _, h = at["row 3"]
    menu.point(x + 1.0, y + 0.5 * h)
    assert page.rows()[menu.selected].label == "row 3"
    menu.click(x + 1.0, y + 0.5 * h)
    assert page.chosen == ["row 3"]
    arrows = [
        box for text, box in zip(c.texts, c.boxes, strict=True) if text in ("\u00ab", "\u00bb") and abs(box[1] - at["value"][1]) < 2.0
    ]
    for arrow, value in zip(sorted(arrows), ("a", "b"), strict=True):
        menu.click(arrow[0] + 2.0, arrow[1] + 5.0)
        assert page.value == value
    menu.click(1.0, 1.0)
    assert page.chosen == ["row 3"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("text_scale", [1.0, 1.5, 2.0])
def test_every_text_is_inside_the_image_and_the_selected_row_is_drawn(size, text_scale):
    menu = Menu(Page(), lambda: None)
    scale = menu_scale(*size, 1.0, text_scale)
    width, height = size[0] / scale, size[1] / scale
    for _ in range(40):
        c = Texts()
        menu.draw(c, width, height)
        assert menu.page.rows()[menu.selected].label in c.texts
        assert all(x >= 0.0 and y >= 0.0 and x + w <= width and y + h <= height for x, y, w, h in c.boxes)
        press(menu, "DOWN")


def test_text_scale_enlarges_the_text():
    assert menu_scale(1280, 720, 1.0, 2.0) == 2.0 * menu_scale(1280, 720, 1.0, 1.0)


def test_options_open_at_the_current_one():
    menu, taken = Menu(Page(), lambda: None), []
    menu.open_options("Letters", [Option(name, f"note of {name}") for name in "abc"], "b", taken.append)
    assert menu.selected == 1
    press(menu, "DOWN", "ENTER")
    assert taken == ["c"] and menu.page.title == "Test"


def test_settings_take_effect_and_are_saved(config):
    seen = []
    live = LiveSettings(UserSettings(), seen.append)
    menu = Menu(SettingsPage(live, lambda: menu), lambda: None)
    press(menu, "RIGHT", "DOWN", "LEFT", "DOWN", "ENTER")
    saved = load_settings()
    assert (saved.speed_unit, saved.text_scale, saved.camera_shake) == ("mph", 2.0, False)
    assert seen[-1] == saved and live.trouble == ""


def test_a_file_that_cannot_be_written_is_a_line_in_the_menu(config, monkeypatch):
    config.parent.write_text("a file where the folder should be")
    live = LiveSettings(UserSettings())
    live.change(text_scale=1.5)
    page = SettingsPage(live, lambda: menu)
    menu = Menu(page, lambda: None)
    assert live.value.text_scale == 1.5
    assert page.rows()[-1].warns and "cannot write" in page.rows()[-1].label


def test_a_new_key_takes_the_key_from_its_action(config):
    live = LiveSettings(UserSettings())
    menu = Menu(KeysPage(live, lambda: menu), lambda: None)
    number = [action.name for action in ACTIONS].index("pause")
    press(menu, *["DOWN"] * number, "ENTER", "H")
    assert live.value.keys["pause"] == ("H",) and live.value.keys["help"] == ("F1",)
    assert load_settings().keys == live.value.keys and not double_keys(live.value.keys)
    press(menu, "ENTER", "ESCAPE")
    assert live.value.keys["pause"] == ("H",)
    press(menu, "DELETE")
    assert live.value.keys["pause"] == ()
    press(menu, "BACKSPACE")
    assert live.value.keys["pause"] == ("P",)
    press(menu, *["UP"] * (number + 1), "ENTER")
    assert live.value.keys == DEFAULTS and load_settings().keys == DEFAULTS


def test_list_of_keys_shows_the_keys_of_the_user():
    rows = {meaning: keys for keys, meaning in help_rows(DEFAULTS | {"pause": ("F5",), "throttle": ("I", "U"), "reset": ()})}
    assert rows["pause, continue"] == "F5" and rows["back to the start"] == "-"
    assert rows["steer, throttle, brake; reverse at rest"] == "Left Right I Down"


class Drive:
    """Drive that publishes its pause later than the window sends it."""

    def __init__(self) -> None:
        self.time, self.paused, self.taps = 0.0, False, []
        self.switch = PauseSwitch(self.tap, lambda: self.time)

    def tap(self, key: str) -> None:
        self.taps.append(key)
        self.paused ^= key == "pause"

    def publish(self) -> None:
        self.switch.see(self.paused)


def test_a_menu_that_opens_and_closes_before_the_host_reacts_leaves_the_drive_running():
    drive = Drive()
    for paused in (True, False, True, False):
        drive.switch.set(paused)
        assert drive.paused == paused
    drive.time += 2.0 * REACTION
    drive.publish()
    assert not drive.switch.paused and len(drive.taps) == 4


def test_a_host_that_did_not_react_gets_the_key_again():
    drive = Drive()
    drive.switch.set(True)
    drive.paused = False
    drive.time += 2.0 * REACTION
    drive.publish()
    drive.switch.set(True)
    assert drive.taps == ["pause", "pause"]


@pytest.mark.parametrize(("keys", "paused", "taps"), [
    (["ESCAPE"], False, ["pause", "pause"]),
    (["ENTER"], False, ["pause", "pause"]),
    (["DOWN", "ENTER"], False, ["pause", "reset", "pause"]),
    (["UP", "ENTER"], True, ["pause", "end"]),
])  # fmt: skip
def test_pause_menu(config, keys, paused, taps):
    done: list[str] = []
    pause = PauseMenu(LiveSettings(UserSettings()), done.append, lambda: done.append("end"))
    pause.open()
    press(pause.need_menu(), *keys)
    assert done == taps and pause.menu is None and pause.switch.paused == paused


def test_esc_keeps_a_pause_that_was_there_before(config):
    done: list[str] = []
    pause = PauseMenu(LiveSettings(UserSettings()), done.append, lambda: None)
    pause.switch.see(True)
    pause.open()
    press(pause.need_menu(), "ESCAPE")
    assert done == []
    pause.open()
    press(pause.need_menu(), "ENTER")
    assert done == ["pause"]


def test_a_further_window_does_not_pause_the_drive(config):
    done: list[str] = []
    pause = PauseMenu(LiveSettings(UserSettings()), done.append, lambda: done.append("end"), read_only=True)
    pause.open()
    assert not {"Restart", "End the drive"} & {row.label for row in pause.need_menu().page.rows()}
    press(pause.need_menu(), "ESCAPE")
    assert done == []


def test_guide_takes_thirty_seconds_and_names_the_keys_of_the_user():
    guide = Guide(DEFAULTS | {"menu": ("F9",)})
    assert len(guide.cards) * CARD_TIME == 30.0 and any("F9" in card for card in guide.cards)
    shown = set()
    for _ in range(239):
        c = Texts()
        guide.draw(c, 640.0, 360.0)
        shown |= set(c.texts)
        guide.advance(0.125)
    assert not guide.over and {f"First drive {k}/5" for k in range(1, 6)} <= shown
    guide.advance(0.125)
    assert guide.over and not guide.take_key("ENTER")


def test_guide_ends_at_a_key_and_leaves_other_keys_to_the_drive():
    guide = Guide(DEFAULTS)
    assert not guide.take_key("UP") and guide.take_key("ENTER") and not guide.over
    assert guide.take_key("BACKSPACE") and guide.over


def test_messages_name_the_key_of_the_user(config):
    user_settings.users_keys.cache_clear()
    user_settings.save_settings(UserSettings(keys=DEFAULTS | {"pause": ("F5",)}))
    try:
        assert user_settings.users_key("pause") == "F5"
    finally:
        user_settings.users_keys.cache_clear()


def settings_menu(live: LiveSettings) -> Menu:
    menu = Menu(SettingsPage(live, lambda: menu), lambda: None)
    return menu


def go_to(menu: Menu, label: str) -> None:
    """Select a row by its label."""
    number = [row.label for row in menu.page.rows()].index(label)
    press(menu, *["DOWN" if number > menu.selected else "UP"] * abs(number - menu.selected))


@pytest.mark.parametrize(
    ("label", "key", "name", "value"),
    [
        ("Volume", "LEFT", "volume", 0.4),
        ("Full screen", "ENTER", "full_screen", True),
        ("Graphics", "RIGHT", "graphics", "low"),
        ("Field of view", "RIGHT", "field_of_view", math.radians(60.0)),
        ("Look with the mouse", "ENTER", "mouse_look", False),
        ("Dashboard in the car", "ENTER", "dashboard_in_car", False),
        ("Seat height", "RIGHT", "seat_height", 0.01),
        ("Seat forward", "LEFT", "seat_forward", -0.01),
        ("Steering speed", "RIGHT", "steering_speed", 1.1),
    ],
)
def test_each_setting_is_changed_saved_and_stays_in_its_range(config, label, key, name, value):
    seen: list[UserSettings] = []
    live = LiveSettings(UserSettings(), seen.append)
    menu = settings_menu(live)
    go_to(menu, label)
    assert menu.page.rows()[menu.selected].note
    press(menu, key)
    assert getattr(seen[-1], name) == pytest.approx(value) and load_settings() == seen[-1]
    press(menu, *[key] * 60)
    assert load_settings() == live.value and live.trouble == "", "a value out of its range could not be read"


def test_volume_of_a_drive_by_keys_is_saved_and_that_of_the_command_line_is_not(config):
    live = LiveSettings(UserSettings())
    live.follow_volume(0.2, in_menu=False)
    assert live.volume == 0.2 and not config.exists()
    live.follow_volume(0.3, in_menu=False)
    assert load_settings().volume == 0.3


def test_volume_of_the_menu_does_not_come_back_from_the_drive(config):
    """The drive publishes each step later than the menu sends it."""
    sent: list[float] = []
    live = LiveSettings(UserSettings(), lambda settings: sent.append(live.volume))
    live.follow_volume(0.5, in_menu=False)
    menu = settings_menu(live)
    go_to(menu, "Volume")
    press(menu, "RIGHT", "RIGHT", "RIGHT")
    for published in (0.5, 0.6, 0.7, 0.8):
        live.follow_volume(published, in_menu=True)
    live.follow_volume(0.8, in_menu=False)
    assert sent == [0.6, 0.7, 0.8] and live.volume == load_settings().volume == 0.8


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("text_scale", [1.0, 1.5, 2.0])
def test_texts_of_the_settings_do_not_overlap_and_are_inside_the_image(config, size, text_scale):
    menu = settings_menu(LiveSettings(UserSettings(text_scale=text_scale, seat_height=-0.15, field_of_view=math.radians(100.0))))
    scale = menu_scale(*size, 1.0, text_scale)
    width, height = size[0] / scale, size[1] / scale
    for _ in menu.page.rows():
        c = Texts()
        menu.draw(c, width, height)
        assert all(x >= 0.0 and y >= 0.0 and x + w <= width and y + h <= height for x, y, w, h in c.boxes)
        row = menu.page.rows()[menu.selected]
        assert row.label in c.texts and row.value in c.texts, "no text is shortened"
        press(menu, "DOWN")
