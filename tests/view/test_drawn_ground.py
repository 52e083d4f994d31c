"""Does the drawn ground agree with the physical ground, inside the map, at its edge and far outside?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.base.records import record
from simulator.view.offscreen import Offscreen
from simulator.view.shot import clip_of_world, rotation
from terrain.ground import GROUND, Ground
from terrain.soil import SOIL
from tests.view.scenes import geometry, readout

FAR = 6000.0
W, H = 320, 180


def hills(mirrored):
    """300 m x 200 m of soft hills, steep at the border."""
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"], p[0]["mirrored"] = (-150.0, -100.0), (1.0, 1.0), mirrored
    p[0]["height"], p[0]["slope"] = 2.0, (0.01, -0.005)
    x, y = np.meshgrid(np.arange(-150.0, 150.0), np.arange(-100.0, 100.0))
    heights = (3.0 * np.sin(x / 31.0) * np.cos(y / 23.0)).astype(np.float32)
    flat = np.zeros(heights.shape)
    return Ground("hills", p, heights, flat.astype(np.float32), flat.astype(np.uint8), record(SOIL), ("loam",), (0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def views():
    made = {}
    try:
        for mirrored in (0, 1):
            ground = hills(mirrored)
            made[mirrored] = (ground, Offscreen(W, H, ground, geometry(), samples=1))
    except DeviceError as error:
        pytest.skip(str(error))
    yield made
    for _, view in made.values():
        view.close()


@pytest.mark.parametrize("mirrored", [0, 1])
@pytest.mark.parametrize("place", [(0.0, 0.0), (-149.0, 20.0), (-215.0, -130.0), (149.5, 99.5), (900.0, 10_000.0), (-10_000.0, 77.0)])
def test_the_drawn_ground_is_the_one_that_is_driven_on(views, mirrored, place):
    ground, view = views[mirrored]
    # off the screen the context of the last surface made is current
    view._window.switch_to()
    view.camera = "chase"
    view.scene.hud.visible = view.scene.grass.shown = False
    state = readout(*place, ground=ground.height(*place))
    for yaw in (0.0, math.pi):
        state[0]["q_WB"], state[0]["yaw"] = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)), yaw
        view.camera = "chase"
        view.render(state)
        points, away = seen(view, view._state)
        assert len(points) > 500, "there is ground in the picture"
        error = np.array([z - ground.height(x, y) for x, y, z in points])
        assert np.abs(error[away < 25.0]).max() < 0.03
        assert np.abs(error[away < 60.0]).max() < 0.15, "crests are drawn a little blunter"
        assert np.abs(error[away < 300.0]).max() < 0.8, "farther away the land is drawn coarser"


def seen(view, state):
    """Points (n, 3) in W of the pixels at the left and right of the last picture, where there is no vehicle, and their distance."""
    from pyglet import gl

    depth = np.empty((H, W), np.float32)
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, view._frame.id)
    gl.glReadPixels(0, 0, W, H, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, depth.ctypes.data)
    shot = view.scene.camera.shot(state[0]["p_WB"], rotation(state[0]["q_WB"]), state, 0.0)
    back = np.linalg.inv(clip_of_world(shot, W / H, FAR))
    row, column = np.mgrid[0:H:3, 0:W:3]
    sideways = (np.abs(column - W / 2) > 0.22 * W) & (depth[row, column] < 1.0)
    row, column = row[sideways], column[sideways]
    clip = np.column_stack((2 * (column + 0.5) / W - 1, 2 * (row + 0.5) / H - 1, 2.0 * depth[row, column] - 1.0, np.ones(len(row))))
    points = clip @ back.T
    points = points[:, :3] / points[:, 3:]
    return points, np.linalg.norm(points - shot.eye, axis=1)
