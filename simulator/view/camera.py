"""Cameras: chase, driver's eye, suspension. Cameras are smoothed at frame time; the physics is not affected."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.terrain_data import TerrainData

CAMERAS = ("chase", "driver", "suspension")
CLEARANCE = 0.6
"""m. Minimum height of a camera above the ground."""
CHASE = (8.4, 2.75, 0.30)
"""m. Chase camera: distance behind and above its reference point, and height of the point at which it looks."""
CHASE_ANGLE, DRIVER_ANGLE = math.radians(46.0), math.radians(58.0)
"""Vertical angles of view of the chase camera and of the driver's camera."""
TURN = 0.08
"""s. Time constant with which the view follows a look to the side."""
LOWEST = 0.4
"""m. Minimum height of the chase camera above its reference point while the user looks up."""
LOOKS_DOWN = 0.115
"""Slope of the driver's line of sight in the chassis, downwards."""
FOLLOW = (0.35, 0.22)
"""s. Time constants of the chase camera for heading and height."""
STEADY = 0.6
"""s. Time constant of the driver's camera without shake, for pitch, roll and height."""
NEAR_HEAD = np.array([0.20, 0.20, 0.10])
"""Maximum distance of this camera from the head: pitch [rad], roll [rad], height [m]."""


@dataclass
class Shot:
    """Camera of one image: position and axes in W (x right, y up, z backwards), vertical angle of view in rad, near plane in m.

    inside : draws what the driver sees of the vehicle;  xray : draws the suspension through the body
    lens : matrix (4, 4) from the axes of the camera to clip space, see `pinhole_lens`; None: that of `angle`
    shows_vehicle : False = without the vehicle, whose shadow remains
    """

    eye: NDArray[np.float64]
    R_WC: NDArray[np.float64]
    angle: float
    near: float
    inside: bool = False
    xray: bool = False
    lens: NDArray[np.float64] | None = None
    shows_vehicle: bool = True


def following_camera(camera: str, kind: str) -> str:
    """Return the camera after an event `camera` (the next one) or `camera_1` ... of a drive."""
    if kind == "camera":
        return CAMERAS[(CAMERAS.index(camera) + 1) % len(CAMERAS)]
    return CAMERAS[int(kind.removeprefix("camera_")) - 1]


class Camera:
    """Camera that follows the vehicle. `shot` is called once per frame.

    eye_B : position of the driver's eyes, in B [m]
    middle_B : reference point of the chase camera, in B [m]; None: the reference point of the chassis
    """

    def __init__(self, terrain: TerrainData, eye_B: NDArray[np.float64], middle_B: NDArray[np.float64] | None = None) -> None:
        self.terrain = terrain
        self.kind = "chase"
        self._eye_B, self._middle_B = eye_B, np.zeros(3) if middle_B is None else middle_B
        self.shakes = True
        """False: the driver's camera moves smoothly."""
        self._heading: float | None = None
        self._height = 0.0
        self._head: NDArray[np.float64] | None = None
        """Smoothed pitch [rad], roll [rad] and height [m] of the driver's eyes."""
        self.field_of_view = DRIVER_ANGLE
        """Vertical angle of view of the driver's camera [rad]; that of the chase camera follows."""
        self.seat = np.zeros(3)
        """Displacement of the driver's eyes, in B [m]."""
        self.look = (0.0, 0.0)
        """Requested direction of view relative to the usual one: left and up [rad]."""
        self._look = (0.0, 0.0)

    def cut(self) -> None:
        """Reset the smoothing for a cut (start, reset, other camera)."""
        self._heading = self._head = None
        self._look = self.look

    def next(self) -> None:
        """Switch to the next kind of camera."""
        self.kind = CAMERAS[(CAMERAS.index(self.kind) + 1) % len(CAMERAS)]
        self.cut()

    def shot(self, p_WB: NDArray[np.float64], R_WB: NDArray[np.float64], state: Record, dt: float) -> Shot:
        """Return the camera of the selected kind for a vehicle at p_WB, R_WB, dt seconds after the previous call."""
        follow = 1.0 - math.exp(-dt / TURN)
        left, up = (now + (target - now) * follow for now, target in zip(self._look, self.look, strict=True))
        at_front = self.look == (0.0, 0.0) and max(abs(left), abs(up)) < 1e-4
        self._look = (0.0, 0.0) if at_front else (left, up)
        if self.kind == "driver":
            return self._driver(p_WB, R_WB) if self.shakes else self._steady_driver(p_WB, R_WB, dt)
        if self.kind == "suspension":
            return self._suspension(p_WB, R_WB, state)
        return self._chase(p_WB + R_WB @ self._middle_B, R_WB, state, dt)

    def _chase(self, p_WB: NDArray, R_WB: NDArray, state: Record, dt: float) -> Shot:
        heading = math.atan2(R_WB[1, 0], R_WB[0, 0])
        if self._heading is None:
            self._heading, self._height = heading, float(p_WB[2])
        turn = math.remainder(heading - self._heading, math.tau)
        self._heading += turn * (1.0 - math.exp(-dt / FOLLOW[0]))
        self._height += (float(p_WB[2]) - self._height) * (1.0 - math.exp(-dt / FOLLOW[1]))
        speed = float(state[0]["v_WB_B"][0])
        back, up, look = CHASE
        back += 0.035 * min(abs(speed), 40.0)
        left, raised = self._look
        if raised:
            up = max(up - back * math.tan(raised), LOWEST)
        ahead = np.array([math.cos(self._heading + left), math.sin(self._heading + left), 0.0])
        eye = np.array([*p_WB[:2], self._height]) - back * ahead + np.array([0.0, 0.0, up])
        target = np.array([*p_WB[:2], 0.5 * (self._height + float(p_WB[2]))]) + 1.5 * ahead + np.array([0.0, 0.0, look])
        return Shot(self.above_ground(eye), look_at(self.above_ground(eye), target), self._chase_angle(), 0.3)

    def _chase_angle(self) -> float:
        """Return the vertical angle of view of the chase camera, whose image grows as that of the driver's camera."""
        if self.field_of_view == DRIVER_ANGLE:
            return CHASE_ANGLE
        return 2.0 * math.atan(math.tan(0.5 * CHASE_ANGLE) * math.tan(0.5 * self.field_of_view) / math.tan(0.5 * DRIVER_ANGLE))

    def _sight(self) -> NDArray[np.float64]:
        """Return the driver's line of sight in the axes of the head."""
        left, up = self._look
        if not (left or up):
            return np.array([1.0, 0.0, -LOOKS_DOWN])
        return rotation_of(left, math.atan(LOOKS_DOWN) - up, 0.0)[:, 0]

    def _driver(self, p_WB: NDArray, R_WB: NDArray) -> Shot:
        eye = p_WB + R_WB @ (self._eye_B + self.seat)
        aim = eye + R_WB @ self._sight()
        up = R_WB @ np.array([0.0, 0.0, 1.0])
        return Shot(eye, look_at(eye, aim, up), self.field_of_view, 0.08, inside=True)

    def _steady_driver(self, p_WB: NDArray, R_WB: NDArray, dt: float) -> Shot:
        """Return the driver's camera without the fast motion of the chassis: its heading, but smooth pitch, roll and height."""
        eye = p_WB + R_WB @ (self._eye_B + self.seat)
        heading = math.atan2(R_WB[1, 0], R_WB[0, 0])
        now = np.array([math.asin(min(max(-R_WB[2, 0], -1.0), 1.0)), math.atan2(R_WB[2, 1], R_WB[2, 2]), eye[2]])
        smooth = now if self._head is None else self._head + (now - self._head) * (1.0 - math.exp(-dt / STEADY))
        self._head = smooth = np.clip(smooth, now - NEAR_HEAD, now + NEAR_HEAD)
        R_WS = rotation_of(heading, smooth[0], smooth[1])
        steady = np.array([eye[0], eye[1], smooth[2]])
        aim = steady + R_WS @ self._sight()
        return Shot(steady, look_at(steady, aim, R_WS[:, 2]), self.field_of_view, 0.08, inside=True)

    def _suspension(self, p_WB: NDArray, R_WB: NDArray, state: Record) -> Shot:
        p_BK = state[0]["p_BK"][0]
        target = p_WB + R_WB @ (p_BK * np.array([1.0, 0.66, 0.0]) + np.array([-0.05, 0.0, 0.08]))
        eye = p_WB + R_WB @ (p_BK * np.array([1.0, 1.0, 0.0]) + np.array([1.55, -0.12, 0.30]))
        eye = self.above_ground(eye, 0.25)
        return Shot(eye, look_at(eye, target, R_WB @ np.array([0.0, 0.0, 1.0])), math.radians(40.0), 0.1, xray=True)

    def above_ground(self, eye: NDArray[np.float64], clearance: float = CLEARANCE) -> NDArray[np.float64]:
        """Return the point, lifted to at least `clearance` above the ground near it."""
        x, y, z = (float(v) for v in eye)
        step = 0.5
        ground = max(self.terrain.height(x + dx, y + dy) for dx in (-step, 0.0, step) for dy in (-step, 0.0, step))
        return np.array([x, y, max(z, ground + clearance)])


def look_at(eye: NDArray[np.float64], target: NDArray[np.float64], up: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return the axes (3, 3) of a camera at `eye` that looks at `target`; columns right, up, backwards in W."""
    back = eye - target
    back = back / np.linalg.norm(back)
    right = np.cross(np.array([0.0, 0.0, 1.0]) if up is None else up, back)
    right = right / np.linalg.norm(right)
    return np.column_stack((right, np.cross(back, right), back))


def clip_of_world(shot: Shot, aspect: float, far: float) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from W to OpenGL's clip space; aspect is width divided by height."""
    view = np.eye(4)
    view[:3, :3] = shot.R_WC.T
    view[:3, 3] = -shot.R_WC.T @ shot.eye
    if shot.lens is not None:
        return np.asarray(shot.lens @ view, np.float64)
    f = 1.0 / math.tan(0.5 * shot.angle)
    lens = _depths(shot.near, far)
    lens[0, 0], lens[1, 1] = f / aspect, f
    return lens @ view


def rotation_of(yaw: float, pitch: float, roll: float) -> NDArray[np.float64]:
    """Return Rz(yaw) Ry(pitch) Rx(roll), (3, 3); angles in rad, ISO 8855."""
    (cy, sy), (cp, sp), (cr, sr) = ((math.cos(angle), math.sin(angle)) for angle in (yaw, pitch, roll))
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def pinhole_lens(
    size: tuple[int, int], focal: tuple[float, float], center: tuple[float, float], near: float, far: float
) -> NDArray[np.float64]:
    """Return the matrix (4, 4) of a pinhole camera.

    size : width, height [pixels];  focal : fx, fy [pixels]
    center : pixel cx, cy of the optical axis; the centers of pixels are at integers, as in ROS and OpenCV, and not at 0.5 as in OpenGL
    near, far : planes [m]
    """
    (width, height), (fx, fy), (cx, cy) = size, focal, center
    lens = _depths(near, far)
    lens[0, 0], lens[1, 1] = 2.0 * fx / width, 2.0 * fy / height
    lens[0, 2], lens[1, 2] = 1.0 - (2.0 * cx + 1.0) / width, (2.0 * cy + 1.0) / height - 1.0
    return lens


def _depths(near: float, far: float) -> NDArray[np.float64]:
    """Return the part of a lens that maps depths to clip space."""
    lens = np.zeros((4, 4))
    lens[2, 2], lens[2, 3], lens[3, 2] = -(far + near) / (far - near), -2.0 * far * near / (far - near), -1.0
    return lens


def rotation(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (3, 3) matrix of a unit quaternion [w, x, y, z]; the identity for a zero quaternion."""
    w, x, y, z = (float(v) for v in q)
    n = w * w + x * x + y * y + z * z
    s = 2.0 / n if n > 0.0 else 0.0
    return np.array([
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ])  # fmt: skip
