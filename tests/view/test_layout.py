"""Instruments at every window size: no overlap, nothing outside, readable letters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from simulator.base.records import record
from simulator.view.instrument_layout import HELP, HELP_COLUMN, HELP_MEANING, MAX_LINES, arrange, canvas_scale, help_size, wrapped
from simulator.view.instruments import AMBER, GREEN, NORMAL, RED, SMALL, Canvas, Font, InstrumentInputs, asset, instruments, keys_help
from simulator.view.key_bindings import DEFAULTS, meanings
from simulator.view.key_bindings import shown as key_label
from simulator.view.shared_state import EXTRAS, STATE, extras
from tests.view.scenes import DIALS, readout
from vehicles.readout import READOUT

FONT = Font(asset("fonts/hud.npz"))
SIZES = [(640, 360), (360, 640), (320, 200), (800, 600), (1024, 768), (1280, 720), (720, 1280), (1920, 1080), (3840, 2160), (2160, 3840), (5120, 1440),
         (200, 150), (64, 64), (1, 1)]  # fmt: skip
LONG = "steering wheel 'Logitech G29 Driving Force Racing Wheel' was unplugged: the throttle is released"


def boxes_apart(panels, width, height):
    for box in panels.values():
        assert box.x >= -1e-6 and box.y >= -1e-6
        assert box.x + box.width <= width + 1e-6 and box.y + box.height <= height + 1e-6
    for a, b in itertools.combinations(panels.values(), 2):
        assert a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y


@pytest.mark.parametrize("message", ["", "paused", LONG, "Pneumonoultramicroscopicsilicovolcanoconiosis" * 2])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_panels_never_overlap_at_any_size(message, ratio):
    sizes = SIZES + [(int(w), int(h)) for w, h in np.random.default_rng(3).uniform(150, 4000, (150, 2))]
    for size in sizes:
        scale = canvas_scale(*size, ratio, show_help=False)
        width, height = size[0] / scale, size[1] / scale
        lines = wrapped(message, lambda text: FONT.width(text, NORMAL), width - 72.0)
        assert len(lines) <= MAX_LINES
        room = (max(FONT.width(line, NORMAL) for line in lines) + 44.0, 24.0 * len(lines) + 14.0) if lines else None
        panels = arrange(width, height, room)
        boxes_apart(panels, width, height)
        more = arrange(width, height, room, motion_chart=True)
        boxes_apart(more, width, height)
        assert {name: box for name, box in more.items() if name != "motion_chart"} == panels, "it takes no other panel's place"
        assert {"wide", "narrow"} & set(panels), "the speed is always there"
        assert ("message" in panels) == bool(message)


def test_a_usual_message_moves_nothing():
    for width, height in ((1280.0, 720.0), (640.0, 360.0), (360.0, 640.0), (800.0, 600.0)):
        before = arrange(width, height, None)
        after = arrange(width, height, (min(300.0, width - 28.0), 38.0))
        assert {name: box for name, box in after.items() if name != "message"} == before


def test_the_larger_the_picture_the_more_is_shown():
    assert set(arrange(1280.0, 720.0, None)) == {"wide", "session", "platform"}
    assert set(arrange(640.0, 360.0, None)) == {"narrow", "session", "platform"}
    assert set(arrange(360.0, 640.0, None)) == {"narrow", "session", "platform"}
    assert "motion_chart" in arrange(1280.0, 720.0, None, motion_chart=True) and "motion_chart" in arrange(
        800.0, 600.0, None, motion_chart=True
    )


def test_letters_keep_their_size_on_dense_and_on_large_screens():
    assert canvas_scale(1280, 720, 1.0, False) == 1.0 and canvas_scale(640, 360, 1.0, False) == 1.0
    assert canvas_scale(2560, 1440, 2.0, False) == 2.0 and canvas_scale(1280, 720, 2.0, False) == 2.0
    assert canvas_scale(3840, 2160, 1.0, False) == 3.0


def test_the_list_of_keys_fits_and_names_every_key():
    for w, h in SIZES:
        scale = canvas_scale(w, h, 1.0, True)
        _, (across, high) = help_size(w / scale, h / scale)
        assert across <= w / scale and high <= h / scale
    listed = " ".join(key for key, _ in HELP)
    second = {"EQUAL": "+", "NUM_ADD": "+", "NUM_SUBTRACT": "-"}
    for key in meanings(DEFAULTS):
        name = second.get(key, key_label(key))
        arrows = key in ("LEFT", "RIGHT", "UP", "DOWN", "W", "A", "S", "D", "PAGEUP", "PAGEDOWN")
        assert arrows or name in listed.split() or f"{name}," in listed, key


@pytest.mark.parametrize("size", [(1280.0, 720.0), (640.0, 360.0), (360.0, 640.0), (272.0, 232.0)])
def test_everything_that_is_drawn_lies_in_the_picture(size):
    state = shown(message=LONG.encode()[:95], speed=55.0, gear=6, engine_speed=419.0, time=5999.9, overruns=123456)
    for draw in (
        lambda c: instruments(c, state, *size, InstrumentInputs(144.0, "suspension", DIALS)),
        lambda c: keys_help(c, 1280.0, 720.0),
    ):
        canvas = Canvas(FONT)
        draw(canvas)
        corners = canvas.vertices()[:, :2]
        assert corners.min() > -2.0 and (corners.max(axis=0) < np.maximum(size, (1280.0, 720.0)) + 2.0).all()
    canvas = Canvas(FONT)
    instruments(canvas, state, *size, InstrumentInputs(144.0, "suspension", DIALS))
    assert (canvas.vertices()[:, :2].max(axis=0) < np.array(size) + 2.0).all()


class Places(Canvas):
    """A canvas that remembers where words and lamps are: left, top, right and bottom of each."""

    def __init__(self):
        super().__init__(FONT)
        self.words, self.lamps = {}, []

    def text(self, x, y, text, *rest, **more):
        super().text(x, y, text, *rest, **more)
        if text != "P":  # inside its lamp
            self.words[text] = (*self._quads[-1][..., :2].min(axis=(0, 1)), *self._quads[-1][..., :2].max(axis=(0, 1)))

    def ring(self, center, radius, width, color):
        super().ring(center, radius, width, color)
        reach = radius + 0.5 * width
        self.lamps.append((center[0] - reach, center[1] - reach, center[0] + reach, center[1] + reach))


@pytest.mark.parametrize("size", [(1280.0, 720.0), (360.0, 640.0)])
@pytest.mark.parametrize(("gear", "selector"), [(3, 1), (0, 0), (-1, -1)])
def test_words_and_lamps_of_the_dashboard_are_apart(size, gear, selector):
    for speed in (0.0, 22.0, 55.0):
        canvas = Places()
        instruments(
            canvas,
            shown(speed=speed, gear=gear, selector=selector, engine_speed=419.0, overruns=123456),
            *size,
            InstrumentInputs(144.0, "suspension", DIALS),
        )
        (lamp,) = canvas.lamps[:1]
        roomy = (lamp[0] - 6.0, lamp[1], lamp[2] + 6.0, lamp[3])
        places = [*canvas.words.values(), roomy]
        assert len(places) > 10
        for a, b in itertools.combinations(places, 2):
            across, down = max(a[0], b[0]) - min(a[2], b[2]), max(a[1], b[1]) - min(a[3], b[3])
            assert across >= 4.0 or down >= -8.0, (canvas.words, a, b)  # glyphs have air above and below


def shown(speed=0.0, **changes):
    state = record(STATE)
    for table, source in ((READOUT, readout(speed=speed)), (EXTRAS, extras())):
        for row in table:
            state[0][row[0]] = source[0][row[0]]
    for name, value in changes.items():
        state[0][name] = value
    return state


def drawn_in(color, **changes):
    """Number of vertices of a color."""
    canvas = Canvas(FONT)
    instruments(canvas, shown(**changes), 1280.0, 720.0, InstrumentInputs(0.0, "chase", DIALS))
    return int((np.abs(canvas.vertices()[:, 8:11] - np.array(color[:3], np.float32)).max(axis=1) < 1e-3).sum())


def test_lamps_of_parking_brake_and_selector():
    forward, neutral, reverse = {"selector": 1, "gear": 1}, {"selector": 0, "gear": 0}, {"selector": -1, "gear": -1}
    assert drawn_in(RED, **forward, parking_brake=1) > drawn_in(RED, **forward)
    assert drawn_in(AMBER, **reverse) > drawn_in(AMBER, **forward)
    assert drawn_in(GREEN, **forward) > drawn_in(GREEN, **neutral)


def test_texts_are_broken_between_words_and_cut_where_there_is_no_end():
    def width(text):
        return 10.0 * len(text)

    assert wrapped("", width, 100.0) == []
    assert wrapped("one two three", width, 80.0) == ["one two", "three"]
    assert wrapped("abcdefghijkl", width, 50.0) == ["abcde", "fghij", "kl"]
    assert wrapped("one two three four five six", width, 50.0) == ["one", "two", "th..."]
    assert wrapped("x" * 500, width, 3.0), "even where nothing fits"


def test_the_words_of_the_keys_stay_in_their_column():
    gap = 16.0
    assert max(FONT.width(key, SMALL) for key, _ in HELP) <= HELP_MEANING - 0.5 * gap
    assert max(FONT.width(meaning, SMALL) for _, meaning in HELP) <= HELP_COLUMN - HELP_MEANING - gap
