"""Do the arrows show the forces at the wheels to scale, and the platform camera the platform as it is commanded?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.base.records import record
from simulator.view.force_arrows import SPRING, TIRE, arrow_bars, axes_of_contact, force_arrows, scale_of
from simulator.view.offscreen import Offscreen
from simulator.view.shared_state import STATE, extras
from simulator.view.vehicle_geometry import checked_geometry
from tests.view.scenes import geometry, hilly_terrain, readout

W, H = 320, 180
ANGLES = np.radians([10.0, 50.0, 130.0, 170.0, 250.0, 290.0])
BASE = np.stack((1.2 * np.cos(ANGLES), 1.2 * np.sin(ANGLES), 0.0 * ANGLES), axis=1)
TOP = BASE[[5, 0, 1, 2, 3, 4]] * 0.8
HEXAPOD = {"platform_joints": np.stack((BASE, TOP)), "platform_height": 1.1}


def loaded(load: float = 8000.0, side: float = 0.0, spring: float = 5000.0):
    """State of a vehicle on the road of `hilly_terrain` with forces at its wheels [N]."""
    state, source = record(STATE), readout()
    for name in source.dtype.names:
        state[0][name] = source[0][name]
    s = state[0]
    s["p_WC"] = s["p_WB"] + s["p_BK"] - [0.0, 0.0, 0.46]
    s["F_C"], s["spring_force"] = (0.0, side, load), spring
    return state


def test_an_arrow_has_the_direction_and_the_size_of_its_force():
    arrows = force_arrows(loaded(side=-3000.0), checked_geometry(geometry()), hilly_terrain())
    tires, springs = ([one for one in arrows if one.color == color] for color in (TIRE, SPRING))
    assert len(tires) == len(springs) == 4
    for one in tires:
        assert one.force == pytest.approx([0.0, -3000.0, 8000.0], abs=1.0), "the road is level there"
    for one in springs:
        assert np.linalg.norm(one.force) == pytest.approx(5000.0) and one.force[2] > 4000.0, "the spring carries the body"
    shafts, heads = arrow_bars(tires, 20_000.0)
    assert heads[0, 4:7] - shafts[0, :3] == pytest.approx([0.0, -0.15, 0.4], abs=1e-4)
    assert shafts[0, 4:7] == pytest.approx(heads[0, :3])


def test_the_contact_frame_leans_with_the_ground_and_the_wheel():
    terrain = hilly_terrain()
    terrain.plane = (0.0, 0.1, 0.0)
    axes = axes_of_contact(terrain, np.zeros(3), np.array([-math.sin(0.3), math.cos(0.3), 0.0]))
    assert np.allclose(axes.T @ axes, np.eye(3)) and np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[:, 2] == pytest.approx(np.array([-0.1, 0.0, 1.0]) / math.hypot(0.1, 1.0), abs=1e-6)
    assert math.atan2(axes[1, 0], axes[0, 0]) == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(("load", "scale"), [(8000.0, 20_000.0), (700.0, 2000.0), (40_000.0, 100_000.0), (0.0, 0.0)])
def test_the_scale_is_round_and_fits_the_vehicle(load, scale):
    assert scale_of(force_arrows(loaded(load), checked_geometry(geometry()), hilly_terrain())) == pytest.approx(scale)


def test_missing_points_of_a_log_leave_out_arrows_only():
    state = loaded()
    state[0]["spring_lower_B"] = np.nan
    state[0]["p_WC"][0] = np.nan
    arrows = force_arrows(state, checked_geometry(geometry()), hilly_terrain())
    assert [one.color for one in arrows] == [TIRE] * 3


@pytest.fixture(scope="module")
def view():
    try:
        out = Offscreen(W, H, hilly_terrain(), geometry() | HEXAPOD, samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    yield out
    out.close()


def shown(view, camera: str, state=None, **extra) -> np.ndarray:
    """Picture without instruments."""
    more = extras()
    for name, value in extra.items():
        more[0][name] = value
    view.camera, view.scene.instruments = camera, False
    view.scene.cut()
    return view.render(loaded() if state is None else state, more).astype(int)


def test_the_picture_of_the_suspension_has_the_arrows_and_their_values(view):
    bare, loads = shown(view, "suspension", loaded(0.0, spring=0.0)), shown(view, "suspension")
    red = (loads[..., 0] > 150) & (loads[..., 0] > loads[..., 2] + 60)
    assert (np.abs(loads - bare).max(axis=2) > 60).sum() > 100 and red.sum() > 50
    texts = [text for _, _, text in view.scene.hud.labels]
    assert "8.0 kN" in texts and "1 m = 20 kN" in texts
    assert all(0.0 <= x <= 1.0 and 0.0 <= y <= 1.0 for x, y, _ in view.scene.hud.labels)
    shown(view, "chase")
    assert view.scene.hud.labels == []


def test_the_platform_is_drawn_as_it_is_commanded(view):
    rest = shown(view, "platform")
    assert view.scene.hud.labels == [] and rest.std() > 20
    for change in (
        {"p_platform": (0.0, 0.0, 0.25)},
        {"p_platform": (0.2, 0.0, 0.0)},
        {"q_platform": (math.cos(0.1), 0.0, math.sin(0.1), 0.0)},
    ):
        assert (np.abs(shown(view, "platform", **change) - rest).max(axis=2) > 40).mean() > 0.01, change
    use = np.full(6, 0.5)
    use[1] = 0.99
    at_stop = shown(view, "platform", leg_use=use)
    red = (at_stop[..., 0] > at_stop[..., 1] + 50) & (np.abs(at_stop - rest).max(axis=2) > 30)
    assert red.sum() > 5, "a leg at its stop is red"


def test_the_legs_end_at_the_joints(view):
    platform = view.scene._platform
    top = TOP + [0.1, 0.0, 1.2]
    legs = platform.legs(top, np.full(6, 0.5))
    assert legs[6:, :3] == pytest.approx(BASE, abs=1e-6) and legs[6:, 4:7] == pytest.approx(top, abs=1e-6)


def test_a_drive_without_platform_says_so(view):
    shown(view, "platform", has_platform=0)
    assert [text for _, _, text in view.scene.hud.labels] == ["this drive has no motion platform"]
