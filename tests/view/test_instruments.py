"""Do the instruments agree with the state?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.view.adaptive_resolution import FAST_FRAME, SCALES, SLOW_FRAME, WINDOW, FrameRate, Quality
from simulator.view.instruments import (
    AMBER,
    CAR,
    DIM,
    GREEN,
    INK,
    LARGE,
    NORMAL,
    RED,
    Canvas,
    Font,
    InstrumentInputs,
    asset,
    clock_text,
    dials,
    gear_name,
    hexapod,
    instruments,
    leg_color,
)
from simulator.view.key_bindings import DEFAULTS
from simulator.view.motion_strip_chart import MotionStripChart
from simulator.view.shared_state import EXTRAS, MOTION_BLOCKS, STATE, extras
from simulator.view.vehicle_geometry import bars, checked_geometry
from tests.view.scenes import DIALS, geometry, readout
from vehicles.readout import READOUT


class Listener(Canvas):
    """A canvas that remembers the texts."""

    def __init__(self) -> None:
        super().__init__(Font(asset("fonts/hud.npz")))
        self.texts: list[str] = []
        self.written: list[tuple[str, int, tuple]] = []

    def text(self, x, y, text, size=NORMAL, color=INK, *rest):
        self.texts.append(text)
        self.written.append((text, size, color))
        super().text(x, y, text, size, color, *rest)


def drawn(manual=False, size=(1280.0, 720.0), shown=None, **changes):
    state = record(STATE)
    for table, source in ((READOUT, readout()), (EXTRAS, extras())):
        for row in table:
            state[0][row[0]] = source[0][row[0]]
    for name, value in changes.items():
        state[0][name] = value
    canvas = Listener()
    shown = InstrumentInputs(58.6, "chase", DIALS) if shown is None else shown
    instruments(canvas, state, *size, shown._replace(dials=DIALS._replace(manual=manual)))
    return canvas


def test_the_panel_of_the_dashboard_can_be_left_to_the_gauges_of_the_car():
    full = drawn(v_WB_B=(20.0, 0.0, 0.0))
    bare = drawn(shown=InstrumentInputs(58.6, "driver", DIALS, dashboard=False), v_WB_B=(20.0, 0.0, 0.0))
    assert {"72", "throttle"} <= set(full.texts) and not {"72", "throttle"} & set(bare.texts)
    assert "driver" in bare.texts, "the other panels stay"


def test_speed_gear_and_engine_are_written():
    texts = drawn(
        v_WB_B=(20.0, 0.0, 0.0), gear=3, engine_speed=2000.0 * math.pi / 30.0, real_time_factor=0.87, overruns=12, time=75.26
    ).texts
    for text in ("72", "km/h", "D3", "2000 rpm", "real time x 0.87", "late ticks 12", "59 fps", "1:15.3"):
        assert text in texts


def test_backwards_is_shown_as_speed_in_reverse():
    texts = drawn(v_WB_B=(-5.0, 0.0, 0.0), gear=-1, selector=-1).texts
    assert "18" in texts and "R" in texts
    assert gear_name(2, 0) == "N" and gear_name(0, 1) == "N" and gear_name(6, 1) == "D6"
    assert gear_name(3, 1, manual=True) == "3" and gear_name(0, 1, manual=True) == "N" and gear_name(-1, 1, manual=True) == "R"


def test_a_drive_that_waits_shows_the_selected_position_and_no_fault():
    """Before the first tick no gear is engaged; a large orange N beside a lit D would look like a fault."""
    for manual in (False, True):
        canvas = drawn(gear=0, selector=1, waits=1, manual=manual)
        large = [(text, color) for text, size, color in canvas.written if size == LARGE][1]
        assert large == ("D", DIM)


def test_a_menu_hides_the_key_that_continues():
    """In a menu, the keys of a drive do nothing."""
    menu = InstrumentInputs(58.6, "chase", DIALS, in_menu=True)
    assert "paused - press P to continue" in drawn(paused=1).texts
    assert not any("press" in text for text in drawn(paused=1, shown=menu).texts)
    assert "no data" in drawn(paused=1, shown=menu, message=b"no data").texts


def test_a_replay_of_the_last_seconds_names_the_key_that_ends_it():
    keys = InstrumentInputs(58.6, "chase", DIALS, keys={**DEFAULTS, "last_seconds": ("F7",)})
    assert "the last 30 s - press F7 for the present" in drawn(replays=2, replay_duration=30.0, shown=keys).texts
    assert not any("press" in text for text in drawn(replays=1, replay_duration=30.0).texts)


def test_a_strip_chart_without_space_says_so():
    chart = InstrumentInputs(58.6, "chase", DIALS, MotionStripChart())
    assert not any("no space" in text for text in drawn(shown=chart).texts)
    assert any("no space" in text for text in drawn(shown=chart, size=(640.0, 360.0)).texts)
    assert not any("no space" in text for text in drawn(size=(640.0, 360.0)).texts)


def test_a_drive_without_a_platform_shows_none():
    assert "platform" in drawn().texts
    assert "platform" not in drawn(has_platform=0).texts


@pytest.mark.parametrize(("governed_rpm", "full"), [(3663.0, 4000.0), (7143.0, 7500.0), (900.0, 1000.0), (18000.0, 19000.0)])
def test_the_scale_of_revolutions_is_the_engines(governed_rpm, full):
    of = dials(governed_rpm * math.pi / 30.0, False)
    assert of.full == full and 0.8 * full < of.red < governed_rpm and of.ticks < full + 1.0


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0.0, "0:00.0"),
        (0.3, "0:00.3"),
        (59.94, "0:59.9"),
        (59.96, "1:00.0"),
        (5999.97, "100:00.0"),
        (math.nan, "0:00.0"),
        (math.inf, "0:00.0"),
    ],
)
def test_no_minute_has_sixty_seconds_and_more(time, text):
    assert clock_text(time) == text


def test_messages_and_pause_are_shown():
    assert "Straße" in drawn(message="Straße".encode()).texts
    assert any("paused" in text for text in drawn(paused=1).texts)
    assert not any("paused" in text for text in drawn().texts)
    assert drawn(message=b"\xff\xfe broken").texts, "a broken text does not stop the picture"


def test_pedals_and_legs_move_the_picture():
    calm = drawn().vertices()
    for change in ({"throttle": 0.5}, {"brake": 1.0}, {"steering": -0.4}, {"leg_use": 0.9}, {"p_platform": (0.0, 0.1, 0.0)}):
        other = drawn(**change).vertices()
        assert other.shape != calm.shape or not np.array_equal(other, calm), change


@pytest.mark.parametrize("value", [1e9, -1e9])
def test_wild_values_stay_on_the_panel(value):
    canvas = drawn(throttle=value, brake=value, steering=value, engine_speed=value, leg_use=value)
    assert np.isfinite(canvas.vertices()).all()
    shapes = canvas.vertices()[canvas.vertices()[:, 4] > 0.5]
    assert shapes[:, 0].min() > 0.0 and shapes[:, 0].max() < 1280.0


def test_the_strip_shows_what_is_felt_over_what_the_car_does():
    """Each in its row and color, as high as it is large, the latest at the right end; what is no number is left out."""
    motion_chart, state = MotionStripChart(), extras()
    for k in range(40):
        state[0]["car_feels"], state[0]["cab_feels"] = (4.0, 0, 0, 0, 0, 0.2), (1.0, 0, math.nan, 0, 0, 0.1)
        motion_chart.add(state[0], 0.1 * k)
    assert [motion_chart.scale(k) for k in range(6)] == [5.0, 1.0, 1.0, 3.0, 3.0, 15.0]
    assert motion_chart.high[5, :, -1] == pytest.approx(np.degrees((0.2, 0.1)))
    assert np.isnan(motion_chart.low[..., 0]).all(), "nothing is known of before"
    canvas, whole = Listener(), record(STATE)
    whole[0]["intensity"] = 0.7
    instruments(canvas, whole, 1280.0, 720.0, InstrumentInputs(60.0, "chase", DIALS, motion_chart))
    assert {"surge", "yaw", "intensity 70 %", "\u00b15 m/s\u00b2", "\u00b115 \u00b0/s"} <= set(canvas.texts)
    vertices = canvas.vertices()
    middle, half = 14.0 + 72.0 + 8.0 + 26.0 + 18.0, 15.0
    for color, share in ((CAR, 0.8), (AMBER, 0.2)):
        row = vertices[np.isclose(vertices[:, 8:], color).all(axis=1) & (vertices[:, 1] < middle + half) & (vertices[:, 1] > middle - half)]
        assert row[:, 1].mean() == pytest.approx(middle - share * half, abs=0.5)
    motion_chart.add(state[0], 1000.0)
    assert np.isfinite(motion_chart.high[0, 0]).sum() == 1, "a gap begins anew"


def test_the_strip_shows_the_peaks_between_two_frames():
    """A frame sees few of the ticks: here a blow of one publication, and one between two frames of the same point."""
    motion_chart, state = MotionStripChart(), extras()
    s = state[0]

    def frame(now, *blows):
        for blow in blows:
            row = int(s["motion_blocks"]) % MOTION_BLOCKS
            s["motion_low"][row], s["motion_high"][row] = 0.0, 0.0
            s["motion_low"][row, 0, 2], s["motion_high"][row, 1, 3] = -blow, blow
            s["motion_blocks"] += 1
        motion_chart.add(s, now)

    frame(0.0, 0.0)
    for now, blows in ((0.02, (0.0, 9.0, 0.0)), (0.04, (1.0, 2.0)), (0.06, (0.0,)), (0.11, (3.0,) * 40), (0.16, ())):
        frame(now, *blows)
    assert motion_chart.low[2, 0, -4:].tolist() == [0.0, -9.0, -3.0, 0.0]
    assert motion_chart.high[3, 1, -3] == pytest.approx(math.degrees(9.0))
    assert motion_chart.high[2, 0, -3] == motion_chart.low[3, 1, -3] == 0.0
    assert motion_chart.scale(2) == 10.0
    assert {-9.0, 0.0} <= set(motion_chart.track(2, 0)[-6:])


def test_leg_colors_warn_near_the_stops():
    assert leg_color(0.5) == GREEN
    assert leg_color(0.9) == leg_color(0.1) == AMBER
    assert leg_color(0.98) == leg_color(-0.2) == RED


def test_hexapod_moves_as_the_platform_does():
    _, level = hexapod(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    _, risen = hexapod(np.array([0.0, 0.0, 0.1]), np.array([1.0, 0.0, 0.0, 0.0]))
    assert risen - level == pytest.approx(np.tile([0.0, 0.0, 0.1], (6, 1)))
    _, pitched = hexapod(np.zeros(3), np.array([math.cos(0.05), 0.0, math.sin(0.05), 0.0]))
    front = level[:, 0] > 0.4
    assert (pitched[front, 2] < level[front, 2]).all(), "positive pitch is nose down"


def test_text_is_as_wide_as_its_glyphs():
    font = Font(asset("fonts/hud.npz"))
    assert font.width("88", 50) == pytest.approx(2 * font.width("8", 50))
    quads = font.quads("km/h", 17)
    assert quads.shape == (4, 4, 4) and (quads[..., 2:] >= 0.0).all() and (quads[..., 2:] <= 1.0).all()
    assert font.quads("\u4e2d", 17).shape == (1, 4, 4), "an unknown letter becomes a gap"


def test_frame_rate_counts_frames_per_second():
    now = [0.0]
    rate = FrameRate(lambda: now[0])
    for k in range(1, 61):
        now[0] = k * 0.02
        value = rate.frame()
    assert value == pytest.approx(50.0, rel=0.05)


def test_picture_gets_smaller_when_slow_and_larger_again():
    quality = Quality()
    for _ in range(WINDOW * 10):
        quality.frame(2.0 * SLOW_FRAME)
    assert quality.scale == SCALES[-1]
    for _ in range(WINDOW * 10):
        quality.frame(0.2 * FAST_FRAME)
    assert quality.scale == 1.0
    for _ in range(WINDOW * 10):
        quality.frame(0.5 * (SLOW_FRAME + FAST_FRAME))
    assert quality.scale == 1.0, "good enough stays"


def test_picture_does_not_flicker_between_two_sizes():
    quality, changes, last = Quality(), 0, 1.0
    for _ in range(WINDOW * 40):
        scale = quality.frame(0.045 * quality.scale**2)
        changes += scale != last
        last = scale
    assert changes <= 2


def test_links_hang_between_the_points_of_the_dynamics():
    g, state = checked_geometry(geometry()), readout()
    rods, springs = bars(g, state)
    ends = np.vstack((rods[:, :3], rods[:, 4:7]))
    for name in ("lower_ball_B", "upper_ball_B", "tierod_inner_B", "tierod_outer_B", "shock_lower_B"):
        for point in state[0][name]:
            assert np.abs(ends - point).max(axis=1).min() < 1e-6, name
    assert springs[:, :3] == pytest.approx(state[0]["spring_lower_B"]) and springs[:, 4:7] == pytest.approx(g["spring_upper_B"])
    moved = readout()
    moved[0]["lower_ball_B"][2] += [0.0, 0.0, 0.05]
    other, _ = bars(g, moved)
    assert not np.allclose(other, rods)


def test_geometry_is_checked():
    broken = geometry()
    del broken["p_BH"]
    with pytest.raises(ConfigError, match="p_BH"):
        checked_geometry(broken)
    broken = geometry()
    broken["lca_rear_B"] = np.full((4, 3), np.nan)
    with pytest.raises(ConfigError, match="lca_rear_B"):
        checked_geometry(broken)
    with pytest.raises(ConfigError, match=r"drawn_as.*one of car, electric_car, hatchback, suv, van, pickup, hmmwv"):
        checked_geometry(geometry() | {"drawn_as": "boat"})
    with pytest.raises(ConfigError, match="links_as"):
        checked_geometry(geometry() | {"links_as": ("arms", "strut")})


@pytest.mark.parametrize("kind", ["strut", "trailing_arm"])
def test_links_of_other_axles_end_on_their_points(kind):
    g, state = checked_geometry(geometry() | {"links_as": ("arms", "arms", kind, kind)}), readout()
    rods, _ = bars(g, state)
    ends = np.vstack((rods[:, :3], rods[:, 4:7]))
    assert np.isfinite(rods).all()
    for points in (g["lca_front_B"], g["shock_upper_B"], state[0]["shock_lower_B"]):
        for point in points[2:]:
            assert np.abs(ends - point).max(axis=1).min() < 1e-6
    upper = np.abs(ends[:, None] - g["uca_front_B"][None]).max(axis=2).min(axis=0)
    assert (upper[:2] < 1e-6).all() and (upper[2:] > 1e-3).all()
