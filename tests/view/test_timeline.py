"""Time line and ghost of the window: does the bar show events and position, and when does a ghost begin to move?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.records import record
from simulator.cli.commands.replays import CAMERAS as CAMERAS_OF_THE_COMMAND
from simulator.view.camera_names import CAMERAS
from simulator.view.ghost import FIELDS, GhostClock, GhostTrack
from simulator.view.instrument_layout import EDGE, Box, arrange, place_insets
from simulator.view.instruments import AMBER, INK, RED, SMALL, Canvas, Font, asset, clock_text
from simulator.view.shared_keys import KeyReader, KeyWriter
from simulator.view.shared_state import STATE
from simulator.view.timeline import LABEL, PLOTS, Timeline, bar_of, timeline_bar, timeline_plots
from tests.view.scenes import geometry


def timeline(tmp_path=None):
    positions = np.linspace(0.0, 40.0, 401)
    return Timeline(positions, ("speed [km/h]",), np.array([positions]), np.array([10.0]), ("collision",))


def quads(canvas, color):
    found = np.concatenate(canvas._quads)
    return found[np.all(np.abs(found[:, 0, 8:] - np.array(color)) < 1e-6, axis=1)]


def test_the_time_line_survives_its_file(tmp_path):
    timeline().save(tmp_path)
    again = Timeline.of_drive(tmp_path)
    assert again is not None and again.names == ("speed [km/h]",) and again.event_kinds == ("collision",)
    np.testing.assert_array_equal(again.values, timeline().values)
    assert Timeline.of_drive(tmp_path / "other") is None


def test_the_bar_shows_position_and_events():
    canvas, state = Canvas(Font(asset("fonts/hud.npz"))), record(STATE)
    state[0]["replay_position"], state[0]["replay_duration"] = 20.0, 40.0
    box = bar_of(1280.0, 720.0)
    timeline_bar(canvas, box, state[0], timeline())
    done = quads(canvas, AMBER)[..., 0]
    assert done.max() == pytest.approx(box.x + 0.5 * box.width, abs=2.0)
    mark = quads(canvas, RED)[..., 0]
    assert mark.mean() == pytest.approx(box.x + 0.25 * box.width, abs=2.0)


@pytest.mark.parametrize("duration", [84.3, 3599.9, 5999.0])
def test_the_times_do_not_overlap_the_bar(duration):
    canvas, state, box = Canvas(Font(asset("fonts/hud.npz"))), record(STATE), bar_of(400.0, 300.0)
    state[0]["replay_duration"] = state[0]["replay_position"] = duration
    times = f"{clock_text(duration)} / {clock_text(duration)}"
    timeline_bar(canvas, box, state[0], None)
    assert box.x + box.width + LABEL - canvas.font.width(times, SMALL) > box.x + box.width + 8.0
    assert box.x + box.width + LABEL <= 400.0 - EDGE


@pytest.mark.parametrize(("low", "high", "text"), [(0.0, 0.0, "0.000"), (-0.004, 100.0, "0"), (-0.0, 3.0, "0.00"), (-40.0, 40.0, "-40.0")])
def test_the_value_of_a_plot_has_few_digits_and_no_negative_zero(low, high, text, monkeypatch):
    canvas, texts = Canvas(Font(asset("fonts/hud.npz"))), []
    monkeypatch.setattr(canvas, "text", lambda x, y, text, *rest: texts.append(text))
    plotted = Timeline(np.array([0.0, 40.0]), ("value",), np.array([[low, high]]), np.array([]), ())
    timeline_plots(canvas, Box(0.0, 0.0, 300.0, 120.0), 0.0, plotted)
    assert texts == ["value", text]


def test_the_plots_need_no_values_beyond_the_recording():
    canvas = Canvas(Font(asset("fonts/hud.npz")))
    timeline_plots(canvas, Box(0.0, 0.0, *PLOTS[0]), 39.0, timeline())
    assert np.isfinite(canvas.vertices()).all()


@pytest.mark.parametrize(("text_scale", "number"), [(1.0, 4), (1.5, 3)])
def test_large_text_leaves_some_plots(text_scale, number):
    width, height = 1280.0 / text_scale, 720.0 / text_scale
    panels = arrange(width, bar_of(width, height).y, None).values()
    fits = [place_insets(width, bar_of(width, height).y, panels, (size,))[0] is not None for size in PLOTS]
    assert fits.index(True) == len(PLOTS) - number
    canvas = Canvas(Font(asset("fonts/hud.npz")))
    names = tuple(f"series {k}" for k in range(4))
    timeline_plots(canvas, Box(0.0, 0.0, *PLOTS[len(PLOTS) - number]), 20.0, timeline()._replace(names=names, values=np.zeros((4, 401))))
    assert (
        len(quads(canvas, (*INK[:3], 1.0))) >= number and np.concatenate(canvas._quads)[..., 1].max() <= PLOTS[len(PLOTS) - number][1] + 1.0
    )


def test_the_mouse_selects_a_place_once():
    reader = KeyReader()
    writer = KeyWriter(reader.name)
    assert reader.pointed() is None
    writer.point(0.25)
    assert reader.pointed() == 0.25 and reader.pointed() is None
    writer.point(0.25)
    assert reader.pointed() == 0.25, "a second click at the same place"
    writer.close()
    reader.close()


def track(waits: bool) -> GhostTrack:
    times = np.arange(0.0, 10.0, 0.02)
    shapes = {name: np.zeros((len(times), *(int(n) for n in next(row[1] for row in STATE if row[0] == name)))) for name in FIELDS}
    shapes["p_WB"][:, 0] = np.maximum(times - 2.0, 0.0)
    shapes["q_WB"][:, 0] = 1.0
    return GhostTrack(times, np.zeros(len(times), bool), shapes, geometry(), 2.0, waits)


def state_at(time: float, speed: float):
    state = record(STATE)
    state[0]["time"], state[0]["v_WB_B"][0] = time, speed
    return state


def test_a_ghost_begins_with_the_drive():
    clock = GhostClock(track(False))
    assert clock.time(state_at(3.5, 0.0)) == 3.5


def test_a_ghost_waits_for_the_motion_of_the_drive_and_again_after_a_restart():
    clock = GhostClock(track(True))
    assert clock.time(state_at(1.0, 0.0)) == 2.0, "just before it moves"
    assert clock.time(state_at(5.0, 0.0)) == 2.0
    assert clock.time(state_at(5.1, 1.0)) == pytest.approx(2.0)
    assert clock.time(state_at(6.1, 1.0)) == pytest.approx(3.0)
    assert clock.time(state_at(0.0, 0.0)) == 2.0, "restart"


def test_a_track_survives_its_file(tmp_path):
    assert GhostTrack.load(tmp_path) is None
    track(True).save(tmp_path)
    again = GhostTrack.load(tmp_path)
    assert again is not None and again.waits_for_motion and again.begins_moving == 2.0
    for name in FIELDS:
        np.testing.assert_array_equal(again.fields[name], track(True).fields[name])


def test_the_command_offers_the_cameras_of_the_window():
    assert CAMERAS_OF_THE_COMMAND == CAMERAS
