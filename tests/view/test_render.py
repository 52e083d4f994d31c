"""Offscreen images: is the sky above, is the vehicle at its projected position, and does the image follow the state?"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from simulator.base.errors import DeviceError, OutputError
from simulator.run.frames import States, pictures_of
from simulator.view.camera_names import CAMERAS
from simulator.view.launch import start_view_process
from simulator.view.offscreen import Offscreen, png
from simulator.view.shared_keys import KeyReader
from simulator.view.shared_state import ViewWriter, extras
from simulator.view.shot import clip_of_world
from simulator.view.vehicle_states import NO_STATES
from terrain.objects.object_set import NO_OBJECTS
from terrain.rut_memory import SoilMemory
from tests.view.scenes import geometry, hilly_terrain, readout

ROOT = Path(__file__).resolve().parents[2]
W, H = 640, 360


@pytest.fixture(scope="module")
def view():
    try:
        offscreen = Offscreen(W, H, hilly_terrain(), geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    yield offscreen
    offscreen.close()


def picture(view, camera="chase", extra=None, **place):
    view.camera = camera
    view.scene.hud.visible = extra is not None
    return view.render(readout(**place), extra).astype(int)


def pixel_of(view, p_W):
    """Row and column of a point of the world in the last picture."""
    state = view._state
    shot = view.scene.camera.shot(state[0]["p_WB"], np.eye(3), state, 0.0)
    clip = clip_of_world(shot, W / H, 6000.0) @ np.array([*p_W, 1.0])
    x, y = clip[:2] / clip[3]
    return int((0.5 - 0.5 * y) * H), int((0.5 + 0.5 * x) * W)


def test_sky_is_blue_above_and_ground_below_is_not(view):
    image = picture(view)
    top, bottom = image[: H // 12].mean(axis=(0, 1)), image[-H // 6 :].mean(axis=(0, 1))
    assert top[2] > top[0] + 30, "blue sky"
    assert top.mean() > bottom.mean() + 40, "the sky is brighter than the road"
    assert abs(bottom[2] - bottom[0]) < 25, "asphalt is gray"


def test_sky_pales_towards_the_horizon(view):
    image = picture(view)
    row, _ = pixel_of(view, (2000.0, 0.0, 0.0))
    column = slice(W // 2 - 60, W // 2 - 20)
    high, low = image[4, column].mean(axis=0), image[row - 12, column].mean(axis=0)
    assert low[0] - high[0] > 15 and low.mean() > high.mean(), "more red near the horizon than overhead"


def test_vehicle_and_its_wheels_are_where_they_are_projected(view):
    there = picture(view)
    row, column = pixel_of(view, (-2.40, 0.2, 0.59 + 0.42))
    tailgate = there[row, column]
    row, column = pixel_of(view, (-2.40, 2.5, 0.0))
    road = there[row, column]
    assert tailgate[0] - tailgate[2] > 30, "sand-colored paint"
    assert abs(road[0] - road[2]) < 15, "gray asphalt"
    for side in (1.0, -1.0):
        row, column = pixel_of(view, (-1.649 - 0.4, side * 0.92, 0.30))
        patch = there[row - 2 : row + 3, column - 2 : column + 3]
        assert patch.mean() < 75, "rubber is dark"


def test_road_has_a_painted_line_at_its_edge(view):
    image = picture(view)
    row, column = pixel_of(view, (6.0, 4.0 - 0.28, 0.0))
    line = image[row - 1 : row + 2, column - 4 : column + 5].max()
    beside = image[row, column + 14 : column + 24].mean()
    assert line > beside + 50


def test_wheels_turn_when_the_wheel_angle_changes(view):
    view.camera = "suspension"
    view.scene.hud.visible = False
    still = readout()
    first, again = view.render(still).astype(int), view.render(still).astype(int)
    assert np.array_equal(first, again), "the same state gives the same picture"
    turned = readout()
    turned[0]["wheel_angle"] = 0.12
    second = view.render(turned).astype(int)
    changed = np.abs(second - first).max(axis=2) > 20
    assert changed.sum() > 100
    columns = np.nonzero(changed.any(axis=0))[0]
    assert columns.max() - columns.min() < 0.95 * W and changed.mean() < 0.3, "only wheels moved"


def test_front_wheels_steer_in_the_picture(view):
    straight, left = picture(view, "suspension"), picture(view, "suspension", steer=0.4)
    assert (np.abs(left - straight).max(axis=2) > 25).mean() > 0.02


def test_steering_wheel_turns_before_the_driver(view):
    view.camera = "driver"
    view.scene.hud.visible = False
    state = readout()
    straight = view.render(state).astype(int)
    state[0]["steering_wheel_angle"] = 0.8
    turned = view.render(state).astype(int)
    changed = np.abs(turned - straight).max(axis=2) > 25
    assert changed[H // 2 :].sum() > 100 and changed[: H // 2].sum() == 0, "below the windshield, nowhere else"


@pytest.mark.parametrize("camera", [one for one in CAMERAS if one != "platform"])
def test_every_camera_shows_a_varied_picture(view, camera):
    image = picture(view, camera)
    assert image.std() > 25
    assert len(np.unique(image.reshape(-1, 3) // 16, axis=0)) > (40 if camera == "top" else 60)  # a map has no sky


def test_digits_of_the_speed_change(view):
    slow, fast = picture(view, extra=extras(), speed=10.0), picture(view, extra=extras(), speed=17.5)
    slow = picture(view, extra=extras(), speed=10.0)
    changed = np.nonzero(np.abs(slow - fast).max(axis=2) > 60)
    digits = (changed[0] > H - 125) & (np.abs(changed[1] - W / 2) < 60)
    assert digits.sum() > 30


def test_vehicle_casts_a_shadow_away_from_the_sun(view):
    image = picture(view)
    row, column = pixel_of(view, (0.4, 2.0, 0.0))
    shade = image[row, column].mean()
    row, column = pixel_of(view, (0.4, -2.6, 0.0))
    assert image[row, column].mean() > shade + 15, "the sun stands on the right"


def test_png_holds_the_picture(view, tmp_path):
    image = picture(view)
    view.save_png(tmp_path / "frame.png")
    data = (tmp_path / "frame.png").read_bytes()
    assert np.array_equal(decoded(data), image)
    with pytest.raises(OutputError, match="nowhere"):
        view.save_png(tmp_path / "nowhere" / "frame.png")


def test_states_of_a_run_become_pictures_without_instruments(view):
    states = States(1)
    for n in range(21):
        state = readout(x=2.0 * n, speed=10.0)
        state[0]["time"], state[0]["steering_wheel_angle"] = 0.1 * n, -0.5
        states.publish(SimpleNamespace(readout=state, soil=SoilMemory(0), objects=NO_OBJECTS, others=SimpleNamespace(states=NO_STATES)))
    try:
        found = pictures_of(view, states.spread(3))
    finally:
        view.scene.instruments = True
    assert [words for _, words in found] == [f"{t:.1f} s, 36 km/h, steering wheel -29°" for t in (0.0, 1.0, 2.0)]
    shown = [np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), float) for data, _ in found]
    assert all(image.shape == (H, W, 3) and image.std() > 10.0 for image in shown)
    state, dash = states.kept[20], slice(H // 2, H)
    view.scene.hud.visible = True
    with_them = view.render(state).astype(float)
    assert np.abs(with_them[dash, : W // 3] - shown[2][dash, : W // 3]).max() > 100.0
    assert len(states.spread(100)) == 21 and States(1).spread(5) == []


def decoded(data: bytes) -> np.ndarray:
    """Pixels of a PNG with 8-bit RGB and the filters 0 and 2, by the letter of the specification."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body, size = 8, b"", (0, 0)
    while at < len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        chunk = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + chunk) == int.from_bytes(data[at + 8 + length : at + 12 + length], "big")
        size = (int.from_bytes(chunk[:4], "big"), int.from_bytes(chunk[4:8], "big")) if kind == b"IHDR" else size
        body += chunk if kind == b"IDAT" else b""
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(size[1], 1 + 3 * size[0])
    assert rows[0, 0] == 0 and (rows[1:, 0] == 2).all()
    return np.cumsum(rows[:, 1:].astype(np.uint8), axis=0, dtype=np.uint8).reshape(size[1], size[0], 3)


def test_png_of_noise_comes_back():
    noise = np.random.default_rng(4).integers(0, 256, (17, 23, 3)).astype(np.uint8)
    assert np.array_equal(decoded(png(noise)), noise)


def test_without_egl_one_line_names_the_packages():
    code = (
        "import ctypes.util, pyglet.lib\n"
        "def missing(*names, **more): raise ImportError('Library \"EGL\" not found.')\n"
        "pyglet.lib.load_library = missing\n"
        "from simulator.base.errors import DeviceError\n"
        "from simulator.view.gl_context import offscreen_context\n"
        "try:\n    offscreen_context()\nexcept DeviceError as error:\n    print(error)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert "libegl1" in out.stdout and len(out.stdout.strip().splitlines()) == 1, out.stderr


def test_systems_without_egl_take_a_hidden_window_of_the_desktop():
    code = (
        "import sys\nfrom simulator.view import gl_context\nfrom simulator.base.errors import DeviceError\n"
        "gl_context.DESKTOP_SYSTEMS = (sys.platform,)\n"
        "try:\n    window = gl_context.offscreen_context()\n    print('hidden', type(window).__name__, window.visible)\n"
        "except DeviceError as error:\n    print(error)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    said = out.stdout.strip()
    assert "Headless" not in said and (re.fullmatch(r"hidden \w+Window False", said) or "expected a desktop" in said), out.stderr


def test_without_a_display_the_window_says_so(monkeypatch):
    if sys.platform in ("win32", "darwin"):
        pytest.skip("this system always has a display")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(DeviceError, match="no display"):
        start_view_process("a", "b", hilly_terrain(), geometry())


def test_view_process_that_cannot_open_its_window_complains_in_one_line(monkeypatch):
    if sys.platform in ("win32", "darwin"):
        pytest.skip("this system always has a display")
    monkeypatch.setenv("DISPLAY", ":987")
    block, keys = ViewWriter(), KeyReader()
    process = start_view_process(block.name, keys.name, hilly_terrain(), geometry())
    end = time.perf_counter() + 30.0
    while process.alive and time.perf_counter() < end:
        time.sleep(0.05)
    assert not process.alive and process.complaint.startswith("window:")
    process.close()
    keys.close()
    block.close()
