"""Figure of a driver in the seat, and arms whose hands hold the steering wheel; in chassis axes B. No OpenGL here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.bodies.contract import Body
from simulator.view.meshes import Builder, moved
from simulator.view.poses import steering_wheel_rotation

JACKET, TROUSERS, SKIN, HAIR, COLLAR = (54, 62, 78), (38, 41, 50), (186, 138, 108), (48, 36, 28), (196, 196, 190)
UPPER_ARM, FOREARM = 0.31, 0.27
"""m. Lengths from shoulder to elbow and from elbow to wrist; longer where the steering wheel is out of reach."""
SHOULDER = (-0.09, 0.19, -0.27)
"""m. Left shoulder relative to the eyes."""
REACH, SHUFFLE = math.radians(150.0), math.radians(90.0)
"""rad. Turn of the steering wheel up to which the hands follow it; angle by which they then slip back before they follow again."""
GRIP = 0.016
"""m. Radius of the rim of the steering wheel."""


def figure(eye: Any) -> Array:
    """Return a seated driver without arms, whose eyes are at `eye`."""
    b, (x, y, z) = Builder(), (float(v) for v in eye)
    seat = z - 0.66
    head = [(-0.135, 0.0), (-0.125, 0.045), (-0.07, 0.075), (0.0, 0.088), (0.06, 0.080), (0.105, 0.045), (0.12, 0.0)]
    b.paint(SKIN).add(_ball(Builder().paint(SKIN).revolve(head, 14, axis=2).mesh(), (1.08, 0.86, 1.0), (x - 0.04, y, z)))
    hair = [(-0.06, 0.082), (0.0, 0.094), (0.06, 0.087), (0.105, 0.052), (0.126, 0.0)]
    b.add(_ball(Builder().paint(HAIR).revolve(hair, 14, axis=2).mesh(), (1.06, 0.90, 1.0), (x - 0.055, y, z + 0.008)))
    b.paint(SKIN).tube([(x - 0.07, y, z - 0.20), (x - 0.05, y, z - 0.09)], 0.052, 10)
    b.paint(COLLAR).tube([(x - 0.078, y, z - 0.225), (x - 0.07, y, z - 0.195)], 0.060, 10)
    chest = [(0.0, 0.0), (0.0, 0.15), (0.12, 0.155), (0.27, 0.175), (0.36, 0.165), (0.41, 0.12), (0.44, 0.055), (0.445, 0.0)]
    torso = Builder().paint(JACKET).revolve(chest, 18, axis=2).mesh()
    lean = 0.26
    R = np.array([[math.cos(lean), 0.0, -math.sin(lean)], [0.0, 1.0, 0.0], [math.sin(lean), 0.0, math.cos(lean)]])
    b.add(moved(_ball(torso, (0.66, 1.16, 1.0), (0.0, 0.0, 0.0)), R, (x + 0.03, y, seat + 0.02)))
    for side in (1.0, -1.0):
        hip, knee = (x + 0.02, y + side * 0.09, seat + 0.09), (x + 0.44, y + side * 0.13, seat + 0.16)
        b.paint(TROUSERS).tube([hip, knee], 0.075, 8).tube([knee, (x + 0.66, y + side * 0.10, seat - 0.16)], 0.055, 8)
        b.add(_ball(Builder().paint(JACKET).revolve([(-0.09, 0.0), (-0.06, 0.06), (0.0, 0.08), (0.06, 0.06), (0.09, 0.0)], 10, axis=2).mesh(),
                    (1.0, 1.0, 1.0), np.array((x, y, z)) + np.array(SHOULDER) * [1.0, side * 0.9, 1.0]))  # fmt: skip
    return b.mesh()


def seated(body: Body, eye: Any) -> Array:
    """Return a driver with arms, and the steering wheel, as one mesh for a vehicle that is seen from outside."""
    b = Builder().add(figure(eye))
    for row in arms(body, eye, 0.0):
        b.paint(255.0 * row[8:]).tube([row[:3], row[4:7]], float(row[3]), 6)
    turned = steering_wheel_rotation(body.steering_tilt, 0.0)
    return b.add(moved(body.steering_wheel, turned, body.steering_place)).mesh()


def hand_angle(turn: float) -> float:
    """Return the angle [rad] by which the hands have turned with the steering wheel: they slip back where the arms end, as in shuffle steering."""
    over = abs(turn) - REACH
    if over <= 0.0:
        return turn
    back = math.fmod(over, 2.0 * SHUFFLE)
    return math.copysign(REACH - min(back, 2.0 * SHUFFLE - back), turn)


def arms(body: Body, eye: Any, turn: float) -> NDArray[np.float32]:
    """Return the arms and hands of the driver as rows for the shader `link`, see `simulator.view.vehicle_geometry.bars`.

    eye : position of the driver's eyes in B;  turn : angle of the steering wheel [rad]
    """
    R = steering_wheel_rotation(body.steering_tilt, hand_angle(turn))
    away, center = R[:, 0], np.array(body.steering_place)
    rim = float(np.hypot(body.steering_wheel[:, 1], body.steering_wheel[:, 2]).max()) - GRIP
    rows: list[tuple[Any, float, Any, tuple[int, int, int]]] = []
    for side in (1.0, -1.0):
        out, along = side * R[:, 1], R[:, 2]
        hold = center + rim * out
        shoulder = np.array(eye) + np.array(SHOULDER) * [1.0, side, 1.0]
        wrist = hold - 0.085 * away + 0.015 * out - 0.03 * along
        elbow = _elbow(shoulder, wrist, np.array((0.0, 0.7 * side, -1.0)))
        cuff = elbow + 0.86 * (wrist - elbow)
        rows += [
            (shoulder, 0.058, elbow, JACKET),
            (elbow, 0.047, 0.5 * (elbow + cuff), JACKET),
            (0.4 * elbow + 0.6 * cuff, 0.042, cuff, JACKET),
        ]
        palm = hold - 0.034 * away + 0.012 * out
        rows += [
            (cuff, 0.030, wrist, SKIN),
            (wrist, 0.033, palm - 0.012 * along, SKIN),
            (palm - 0.02 * along, 0.028, palm + 0.022 * along, SKIN),
        ]
        for k in range(4):
            at = hold + (0.022 * (k - 1.5)) * along
            knuckle, bend, tip = at - 0.024 * away + 0.022 * out, at + 0.012 * away + 0.026 * out, at + 0.024 * away - 0.004 * out
            rows += [(knuckle, 0.0125, bend, SKIN), (bend, 0.0115, tip, SKIN)]
        rows += [(palm + 0.012 * along - 0.016 * out, 0.0135, hold + 0.052 * along - 0.018 * away - 0.016 * out, SKIN)]
    out_rows = np.zeros((len(rows), 11), np.float32)
    for row, (start, radius, end, color) in zip(out_rows, rows, strict=True):
        row[:3], row[3], row[4:7], row[8:] = start, radius, end, np.divide(color, 255.0)
    return out_rows


def _elbow(shoulder: Array, wrist: Array, bend: Array) -> Array:
    """Return the elbow of an arm that bends towards `bend`."""
    way = wrist - shoulder
    far = float(np.linalg.norm(way))
    way = way / max(far, 1e-6)
    grown = max(1.0, 1.02 * far / (UPPER_ARM + FOREARM))
    a, c = grown * UPPER_ARM, grown * FOREARM
    along = (a * a - c * c + far * far) / (2.0 * max(far, 1e-6))
    aside = bend - (bend @ way) * way
    return np.asarray(shoulder + along * way + math.sqrt(max(a * a - along * along, 0.0)) * aside / max(float(np.linalg.norm(aside)), 1e-6))


def _ball(mesh: Array, size: tuple[float, float, float], place: Any) -> Array:
    """Return a mesh with other lengths along the axes, at another place."""
    out = mesh.copy()
    out[:, :3] = mesh[:, :3] * size + place
    out[:, 3:6] = mesh[:, 3:6] / size
    out[:, 3:6] /= np.linalg.norm(out[:, 3:6], axis=1, keepdims=True)
    return out
