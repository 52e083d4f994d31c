"""Several screens around the driver: the views join, files are checked, warp meshes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.errors import ConfigError, DeviceError
from simulator.view.displays import Display, check_screens, load_displays, load_warp, plain_warp, shot_through, warp_triangles
from simulator.view.shot import Shot, clip_of_world, look_at

ASPECT, FAR = 16.0 / 9.0, 1000.0
SHOT = Shot(np.array((3.0, -2.0, 1.5)), look_at(np.zeros(3), np.array((1.0, 0.7, -0.1))), 1.0, 0.1, inside=True)


def display(yaw: float = 0.0, distance: float = 0.8, width: float = 0.6, bezel: float = 0.0, pitch: float = 0.0) -> Display:
    return Display(0, False, yaw, pitch, distance, width, bezel, None, True)


def in_image(one: Display, point_S: np.ndarray, head: np.ndarray | None = None) -> np.ndarray:
    """Return the place of a point of the seat's axes in the image of a screen, -1 to 1."""
    R_WS = np.column_stack((-SHOT.R_WC[:, 2], -SHOT.R_WC[:, 0], SHOT.R_WC[:, 1]))
    p_W = SHOT.eye + R_WS @ point_S
    clip = clip_of_world(shot_through(one, SHOT, ASPECT, FAR, head), ASPECT, FAR) @ np.array((*p_W, 1.0))
    return clip[:3] / clip[3]


def test_one_screen_straight_ahead_is_the_usual_view():
    one = display(distance=1.0, width=2.0 * ASPECT * math.tan(0.5 * SHOT.angle))
    through = shot_through(one, SHOT, ASPECT, FAR)
    np.testing.assert_allclose(clip_of_world(through, ASPECT, FAR), clip_of_world(SHOT, ASPECT, FAR), atol=1e-9)


@pytest.mark.parametrize("head", [None, np.array((0.1, -0.07, 0.05))])
@pytest.mark.parametrize("yaw", [0.0, 0.3, -2.2])
def test_a_point_of_the_world_is_seen_where_the_line_of_sight_meets_the_screen(head, yaw):
    one = display(yaw, pitch=0.1)
    c, s, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(0.1), math.sin(0.1)
    middle = one.distance * np.array((c * cp, s * cp, -sp))
    right, up = np.array((s, -c, 0.0)), np.array((c * sp, s * sp, cp))
    eye = np.zeros(3) if head is None else head
    for u, v in ((-1.0, -1.0), (1.0, 0.3), (0.0, 0.0), (0.4, 1.0)):
        on_screen = middle + 0.5 * one.width * (u * right + v / ASPECT * up)
        np.testing.assert_allclose(in_image(one, eye + 37.0 * (on_screen - eye), head)[:2], (u, v), atol=1e-9)


@pytest.mark.parametrize("head", [None, np.array((0.05, 0.1, -0.03))])
def test_the_images_of_neighbors_join_without_a_seam(head):
    turn = 2.0 * math.atan(0.3 / 0.8)
    left, right = display(turn), display(0.0)
    eye = np.zeros(3) if head is None else head
    edge = np.array((0.8, 0.3, 0.1))  # on the common edge of both
    seen = eye + 50.0 * (edge - eye)
    on_left, on_right = in_image(left, seen, head), in_image(right, seen, head)
    assert on_left[0] == pytest.approx(1.0, abs=1e-9) and on_right[0] == pytest.approx(-1.0, abs=1e-9)
    assert on_left[1] == pytest.approx(on_right[1], abs=1e-9)


def test_a_bezel_hides_a_part_of_the_world():
    plain, framed = display(), display(bezel=0.03)
    point = np.array((8.0, -2.0, 0.0))
    assert in_image(framed, point)[0] == pytest.approx(in_image(plain, point)[0] * 0.6 / 0.54)


def write(tmp_path, text: str):
    file = tmp_path / "displays.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_of_three_screens(tmp_path):
    rows = "\n".join(f"  - {{screen: {k}, yaw_deg: {45 - 45 * k}, width: 0.6, bezel: 0.01}}" for k in range(3))
    three = load_displays(write(tmp_path, f"displays:\n{rows}\n"))
    assert [one.instruments for one in three] == [False, True, False]
    assert three[0].yaw == pytest.approx(math.radians(45.0)) and three[0].visible == pytest.approx(0.58)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("displays: []", "1 to 8"),
        ("displays: [{yaw_deg: 10}]", "width"),
        ("displays: [{width: 0.5, bezel: 0.3}]", "bezel"),
        ("displays: [{width: 0.5, yaw_deg: .nan}]", "yaw"),
        ("displays: [{width: 0.5, instruments: true}, {width: 0.5, instruments: true}]", "one screen"),
        ("displays: [{width: 0.5, warp: missing.csv}]", "missing.csv"),
        ('displays: [{width: 0.5, warp: "a\\0.csv"}]', "null"),
        ('displays: [{width: 0.5, warp: "\\ud800"}]', "surrogates"),
        ("displays: [{width: 0.5, warp: /dev/zero}]", "device"),
        ("screens: [{width: 0.5}]", "screens"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path, text, word):
    with pytest.raises(ConfigError, match=word):
        load_displays(write(tmp_path, text))


def grid(tmp_path, rows: int = 3, columns: int = 4, change=lambda lines: lines):
    lines = [
        f"{r},{c},{-1 + 2 * c / (columns - 1)},{-1 + 2 * r / (rows - 1)},{c / (columns - 1)},{r / (rows - 1)},1"
        for r in range(rows)
        for c in range(columns)
    ]
    file = tmp_path / "warp.csv"
    file.write_text("row,column,x,y,u,v,intensity\n" + "\n".join(change(lines)) + "\n", encoding="utf-8")
    return file


def test_a_warp_mesh_in_any_order(tmp_path):
    nodes = load_warp(grid(tmp_path, change=lambda lines: lines[::-1]))
    assert nodes.shape == (3, 4, 5)
    np.testing.assert_allclose(nodes[2, 3], (1.0, 1.0, 1.0, 1.0, 1.0))
    triangles = warp_triangles(nodes).reshape(-1, 3, 5)
    (ax, ay), (bx, by) = ((triangles[:, k, :2] - triangles[:, 0, :2]).T for k in (1, 2))
    area = 0.5 * (ax * by - ay * bx)
    assert area.min() > 0.0 and area.sum() == pytest.approx(4.0)
    assert warp_triangles(plain_warp()).shape == (6, 5)


def test_a_warp_mesh_of_a_spreadsheet(tmp_path):
    file = grid(tmp_path)
    file.write_text("\ufeff" + file.read_text().replace(",", ";"), encoding="utf-8")
    assert load_warp(file).shape == (3, 4, 5)


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[0]],
        lambda lines: [*lines[:-1], lines[-1].replace("1.0", "nan")],
        lambda lines: [*lines[:-1], "2,3,1"],
        lambda lines: ["0.5,0,0,0,0,0,1", *lines[1:]],
        lambda lines: [],
    ],
)
def test_bad_warp_meshes_are_refused(tmp_path, change):
    with pytest.raises(ConfigError):
        load_warp(grid(tmp_path, change=change))


def test_a_monitor_that_does_not_exist():
    with pytest.raises(DeviceError, match=r"displays\[1\].screen 3"):
        check_screens([display(), display()._replace(screen=3, full_screen=True)], 2)
