"""Does a tire that slides on a pavement leave a mark where it slid, and only there?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.offscreen import Offscreen
from simulator.view.skid_marks import MAX_SEGMENTS, RAISED, SkidMarks
from simulator.view.terrain_data import TerrainData
from tests.view.scenes import corners, geometry, readout

WIDTH = np.full(4, 0.3)


def pavement(name="asphalt", hard=255) -> TerrainData:
    flat = np.zeros((64, 64), np.uint8)
    return TerrainData((-32.0, -32.0), (1.0, 1.0), (0.0, 0.0, 0.0), flat.astype(np.float32), flat + np.uint8(hard), flat, (name,))


def state(t, x, slip=(1.0, 1.0, 0.0, 0.0), load=4000.0, angle=0.0):
    out = readout(x, 0.0)
    s = out[0]
    s["time"], s["slip_ratio"], s["slip_angle"] = t, slip, angle
    s["F_C"][:, 2] = load
    s["p_WC"] = corners("hub") * (1.0, 1.0, 0.0) + (x, 0.0, 0.0)
    return out


def drive(marks, speed=10.0, seconds=1.0, start=0.0, **more):
    for k in range(round(50 * seconds) + 1):
        t = k / 50.0
        marks.update(state(start + t, speed * t, **more))
    return marks.vertices[: marks.count]


def test_a_mark_follows_the_contact_points_of_the_wheels_that_slide():
    found = drive(SkidMarks(pavement(), WIDTH))
    x, y, z = (found[..., k] for k in range(3))
    front = corners("hub")[:2]
    assert abs(x.max() - (front[0, 0] + 10.0)) < 0.5 and x.min() == pytest.approx(front[0, 0], abs=0.5), (
        "over the 10 m, by the front wheels"
    )
    for side in (-1.0, 1.0):
        on_side = y[np.sign(y) == side]
        assert np.abs(on_side).min() > abs(front[0, 1]) - 0.15 and np.abs(on_side).max() < abs(front[0, 1]) + 0.15
    np.testing.assert_allclose(z, RAISED, atol=1e-6)
    assert found[..., 4].max() == 1.0
    # one strip: each segment begins where the previous one of the wheel ended
    left = found[found[:, 0, 1] > 0.0]
    np.testing.assert_allclose(left[1:, 0, :3], left[:-1, 5, :3], atol=1e-5)


@pytest.mark.parametrize(
    ("terrain", "more"),
    [
        (pavement(), {"slip": (0.05,) * 4}), (pavement(), {"load": 0.0}), (pavement("gravel"), {}), (pavement("ice on asphalt"), {}),
        (pavement("sandy_loam", 0), {}), (pavement(), {"speed": 0.0}), (pavement(), {"slip": (np.nan,) * 4}),
    ],
)  # fmt: skip
def test_no_mark_without_sliding_load_pavement_or_travel(terrain, more):
    assert len(drive(SkidMarks(terrain, WIDTH), **more)) == 0


def test_a_drift_leaves_marks_of_all_wheels():
    assert len(np.unique(np.sign(drive(SkidMarks(pavement(), WIDTH), slip=(0.0,) * 4, angle=0.4)[:, 0, :2]), axis=0)) >= 2


def test_a_jump_joins_nothing_and_a_step_back_removes_what_comes_later():
    marks = SkidMarks(pavement(), WIDTH)
    drive(marks)
    marks.update(state(1.02, -20.0))
    marks.update(state(1.04, -19.7))
    lengths = np.ptp(marks.vertices[: marks.count, :, 0], axis=1)
    assert lengths.max() < 1.0
    marks.update(state(0.5, 5.0))
    left = marks.vertices[: marks.count]
    left = left[np.abs(left).max(axis=(1, 2)) > 0.0]
    assert len(left) > 0 and left[..., 5].max() <= 0.5


def test_old_segments_are_replaced():
    marks = SkidMarks(pavement(), WIDTH)
    for k in range(20):
        drive(marks, seconds=1.0, speed=25.0, start=2.0 * k, slip=(1.0,) * 4)
    assert marks.count == MAX_SEGMENTS
    assert marks.vertices[..., 5].min() > 10.0


def test_marks_are_dark_on_the_road_and_the_same_again():
    pictures = []
    for slip in (0.0, 1.0, 1.0):
        try:
            view = Offscreen(320, 180, pavement(), geometry(), samples=1)
        except DeviceError as error:
            pytest.skip(str(error))
        view.scene.instruments = False
        for k in range(40):
            view.draw(state(k / 20.0, 0.4 * k - 8.0, slip=(slip,) * 4))
        pictures.append(view.render(state(2.0, 8.0, slip=(slip,) * 4)).astype(int))
        view.close()
    clean, marked, again = pictures
    np.testing.assert_array_equal(marked, again)
    darker = (clean - marked).mean(axis=2)
    assert (darker > 20).sum() > 150 and darker.min() > -3
    assert not (darker[: 180 // 3] > 3).any(), "nothing in the sky"
