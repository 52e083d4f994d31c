"""Cameras that look at the vehicle or out of it. Cameras are smoothed at frame time; the physics is not affected."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.camera_names import CAMERAS
from simulator.view.camera_obstacles import Clear, no_obstacles
from simulator.view.guided_cameras import DRAG, ZOOM, ZOOMS, FreeFlight, Orbit, Trackside
from simulator.view.shot import Shot, look_at, mixed, rotation_of
from simulator.view.terrain_data import TerrainData

CLEARANCE = 0.6
"""m. Minimum height of a camera above the ground."""
CHASE = (8.4, 2.75, 0.30)
"""m. Chase camera: distance behind and above its reference point, and height of the point at which it looks."""
BACK_OF_TRAIN, RAISED_BY_TRAIN, AIM_OF_TRAIN, ORBIT_OF_TRAIN = 1.9, 0.35, 0.05, 1.0
"""Additional distance and height of the chase camera, height of its target, and distance of the orbit camera, per length of the trailers."""
CHASE_ANGLE, DRIVER_ANGLE = math.radians(46.0), math.radians(58.0)
"""Vertical angles of view of the chase camera and of the driver's camera."""
TURN = 0.08
"""s. Time constant with which the view follows a look to the side."""
LOWEST = 0.4
"""m. Minimum height of the chase camera above its reference point while the user looks up."""
LOOKS_DOWN = 0.115
"""Slope of the driver's line of sight in the chassis, downwards."""
LEANS = math.radians(100.0), 0.45
"""rad, m. Look to the side from which on the driver leans to the middle of the car, and maximum distance of the lean."""
FOLLOW = (0.35, 0.22)
"""s. Time constants of the chase camera for heading and height."""
STEADY = 0.6
"""s. Time constant of the driver's camera without shake, for pitch, roll and height."""
NEAR_HEAD = np.array([0.20, 0.20, 0.10])
"""Maximum distance of this camera from the head: pitch [rad], roll [rad], height [m]."""
CHANGE, CUT = 0.4, 40.0
"""s, m. Duration of the change to another camera, and distance between both above which it is a cut."""
MAP_UP = ("north", "heading")
"""Upper side of the map camera."""
MAP_HEIGHT, MAP_ANGLE = 60.0, math.radians(45.0)
"""m, rad. Height of the map camera above the vehicle, and its vertical angle of view: 50 m of the ground."""
WHEEL_PLACE, WHEEL_ANGLE = (0.9, 2.3, 0.30), math.radians(38.0)
"""Place of the wheel camera relative to the center of the left front wheel, in B [m], and its vertical angle of view."""
TURNED_BY_DRAG = ("orbit", "free", "platform")
"""Cameras that keep the direction into which the mouse has turned them."""


class Camera:
    """Camera that follows the vehicle. `shot` is called once per frame.

    eye_B : position of the driver's eyes, in B [m]
    middle_B : reference point of the chase camera, in B [m]; None: the reference point of the chassis
    hood_B : place of the hood camera, in B [m]; None: that of the driver's eyes
    behind : length of the trailers behind the vehicle [m]
    """

    def __init__(
        self,
        terrain: TerrainData,
        eye_B: NDArray[np.float64],
        middle_B: NDArray[np.float64] | None = None,
        hood_B: NDArray[np.float64] | None = None,
        behind: float = 0.0,
    ) -> None:
        self.terrain = terrain
        self.kind = "chase"
        self._eye_B, self._middle_B = eye_B, np.zeros(3) if middle_B is None else middle_B
        self._hood_B = eye_B if hood_B is None else hood_B
        self.clear: Clear = no_obstacles
        """Moves a camera out of houses."""
        self.map_up = MAP_UP[0]
        """Upper side of the map camera, of MAP_UP."""
        self.platform = np.zeros(3), 4.0
        """Middle of the motion platform in its base frame, and distance of its camera [m]"""
        self._zoom = 1.0
        self.orbit, self.flight = Orbit(), FreeFlight()
        self._behind = behind
        self._trackside = Trackside(terrain, self._in_front_of_walls, behind)
        self._last: tuple[Shot, NDArray[np.float64]] | None = None
        """Last view, and the position of the vehicle"""
        self._before: tuple[Shot, NDArray[np.float64]] | None = None
        self._changed = 0.0
        """View of the camera before the present one, and the time since the change [s]; None: the change is over"""
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
        self._heading = self._head = self._before = None
        self._look = self.look
        self._trackside.leave()

    def select(self, kind: str) -> None:
        """Change to another camera, smoothly if its place is near."""
        self.cut()
        self.flight.keys.clear()
        if kind == "free" and self.kind != kind:
            self.flight.position = None
        if "platform" in (kind, self.kind):  # the platform stands in a world of its own
            self._last = None
        self.kind, self._before, self._changed = kind, self._last, 0.0

    def next(self) -> None:
        """Switch to the next kind of camera."""
        self.select(CAMERAS[(CAMERAS.index(self.kind) + 1) % len(CAMERAS)])

    def drag(self, dx: float, dy: float) -> None:
        """Turn a camera of TURNED_BY_DRAG by pixels of the mouse, right and up positive."""
        if self.kind == "free":
            self.flight.turn(DRAG * dx, -DRAG * dy)
        else:
            self.orbit.turn(-DRAG * dx, -DRAG * dy)

    def zoom(self, steps: float) -> None:
        """Bring orbit or map nearer by steps of the mouse wheel."""
        if self.kind in ("orbit", "platform"):
            self.orbit.zoom = min(max(self.orbit.zoom * ZOOM**-steps, ZOOMS[0]), ZOOMS[1])
        elif self.kind == "top":
            self._zoom = min(max(self._zoom * ZOOM**-steps, ZOOMS[0]), ZOOMS[1])

    def shot(self, p_WB: NDArray[np.float64], R_WB: NDArray[np.float64], state: Record, dt: float) -> Shot:
        """Return the camera of the selected kind for a vehicle at p_WB, R_WB, dt seconds after the previous call."""
        follow = 1.0 - math.exp(-dt / TURN)
        left, up = (now + (target - now) * follow for now, target in zip(self._look, self.look, strict=True))
        at_front = self.look == (0.0, 0.0) and max(abs(left), abs(up)) < 1e-4
        self._look = (0.0, 0.0) if at_front else (left, up)
        shot = self._shot(p_WB, R_WB, state, dt)
        if self._before is not None:
            shot = self._change(self._before, shot, p_WB, dt)
        self._last = shot, p_WB.copy()
        return shot

    def _shot(self, p_WB: NDArray, R_WB: NDArray, state: Record, dt: float) -> Shot:
        """Return the view of the selected camera."""
        middle = p_WB + R_WB @ self._middle_B
        if self.kind == "driver":
            return self._driver(p_WB, R_WB) if self.shakes else self._steady_driver(p_WB, R_WB, dt)
        if self.kind == "hood":
            eye = p_WB + R_WB @ self._hood_B
            return Shot(eye, look_at(eye, eye + R_WB @ self._sight(), R_WB[:, 2]), self.field_of_view, 0.08)
        if self.kind == "suspension":
            return self._suspension(p_WB, R_WB, state)
        if self.kind == "wheel":
            return self._wheel(p_WB, R_WB, state)
        if self.kind == "free":
            if self.flight.position is None:
                self.flight.begin(self._chase(middle, R_WB, state, 0.0) if self._last is None else self._last[0])
            self.flight.turn(dt * self.look[0], dt * self.look[1])
            return self.flight.shot(dt, self.above_ground)
        if self.kind == "platform":
            self.orbit.turn(dt * self.look[0], dt * self.look[1])
            return self.orbit.shot(self.platform[0], math.pi, self.platform[1], lambda _, eye: np.maximum(eye, [-np.inf, -np.inf, 0.1]))
        if self.kind == "trackside":
            return self._trackside.shot(middle, R_WB @ state[0]["v_WB_B"], math.atan2(R_WB[1, 0], R_WB[0, 0]))
        if self.kind == "top":
            return self._top(middle, R_WB, dt)
        if self.kind == "orbit":
            self.orbit.turn(dt * self.look[0], dt * self.look[1])
            heading = self._follow(middle, R_WB, dt)
            to_middle = 0.5 * self._behind * np.array([math.cos(heading), math.sin(heading)])
            target = np.array([*(middle[:2] - to_middle), self._height + 0.3])
            return self.orbit.shot(target, heading, CHASE[0] + ORBIT_OF_TRAIN * self._behind, self._outside)
        return self._chase(middle, R_WB, state, dt)

    def _change(self, before: tuple[Shot, NDArray], new: Shot, p_WB: NDArray, dt: float) -> Shot:
        """Return the view on the way from another camera, whose place moves on with the vehicle, to the present one."""
        self._changed += dt
        old = replace(before[0], eye=before[0].eye + p_WB - before[1])
        if self._changed >= CHANGE or np.linalg.norm(new.eye - old.eye) > CUT:
            self._before = None
            return new
        share = self._changed / CHANGE
        return mixed(old, new, share * share * (3.0 - 2.0 * share))

    def _follow(self, p_WB: NDArray, R_WB: NDArray, dt: float) -> float:
        """Return the heading of the vehicle, smoothed like its height."""
        heading = math.atan2(R_WB[1, 0], R_WB[0, 0])
        if self._heading is None:
            self._heading, self._height = heading, float(p_WB[2])
        turn = math.remainder(heading - self._heading, math.tau)
        self._heading += turn * (1.0 - math.exp(-dt / FOLLOW[0]))
        self._height += (float(p_WB[2]) - self._height) * (1.0 - math.exp(-dt / FOLLOW[1]))
        return self._heading

    def _outside(self, target: NDArray[np.float64], eye: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the position of a camera, above the ground and in front of the walls between it and its target."""
        return self._in_front_of_walls(target, self.above_ground(eye))

    def _in_front_of_walls(self, target: NDArray[np.float64], eye: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.clear(target, eye)

    def _top(self, p: NDArray, R_WB: NDArray, dt: float) -> Shot:
        heading = self._follow(p, R_WB, dt) if self.map_up == "heading" else 0.5 * math.pi
        eye = self.above_ground(p + np.array([0.0, 0.0, self._zoom * MAP_HEIGHT]))
        up = np.array([math.cos(heading), math.sin(heading), 0.0])
        return Shot(eye, look_at(eye, eye - [0.0, 0.0, 1.0], up), MAP_ANGLE, 0.5)

    def _wheel(self, p_WB: NDArray, R_WB: NDArray, state: Record) -> Shot:
        center = p_WB + R_WB @ state[0]["p_BK"][0]
        eye = self._outside(center, self.above_ground(center + R_WB @ np.array(WHEEL_PLACE), 0.25))
        return Shot(eye, look_at(eye, center + R_WB @ np.array([-0.25, 0.0, 0.05])), WHEEL_ANGLE, 0.1)

    def _chase(self, p_WB: NDArray, R_WB: NDArray, state: Record, dt: float) -> Shot:
        heading = self._follow(p_WB, R_WB, dt)
        speed = float(state[0]["v_WB_B"][0])
        back, up, look = CHASE
        back, up, look = back + BACK_OF_TRAIN * self._behind, up + RAISED_BY_TRAIN * self._behind, look + AIM_OF_TRAIN * self._behind
        back += 0.035 * min(abs(speed), 40.0)
        left, raised = self._look
        if raised:
            up = max(up - back * math.tan(raised), LOWEST)
        ahead = np.array([math.cos(heading + left), math.sin(heading + left), 0.0])
        eye = np.array([*p_WB[:2], self._height]) - back * ahead + np.array([0.0, 0.0, up])
        target = np.array([*p_WB[:2], 0.5 * (self._height + float(p_WB[2]))]) + (1.5 - self._behind) * ahead + np.array([0.0, 0.0, look])
        eye = self._outside(target, eye)
        return Shot(eye, look_at(eye, target), self._chase_angle(), 0.3)

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

    def _place(self) -> NDArray[np.float64]:
        """Return the place of the eyes in the body. Who looks back leans to the middle of the car, past the own seat."""
        place = self._eye_B + self.seat
        turned = min(max((abs(self._look[0]) - LEANS[0]) / (math.pi - LEANS[0]), 0.0), 1.0)
        place[1] -= turned * min(max(place[1], -LEANS[1]), LEANS[1])
        return place

    def _driver(self, p_WB: NDArray, R_WB: NDArray) -> Shot:
        eye = p_WB + R_WB @ self._place()
        aim = eye + R_WB @ self._sight()
        up = R_WB @ np.array([0.0, 0.0, 1.0])
        return Shot(eye, look_at(eye, aim, up), self.field_of_view, 0.08, inside=True)

    def _steady_driver(self, p_WB: NDArray, R_WB: NDArray, dt: float) -> Shot:
        """Return the driver's camera without the fast motion of the chassis: its heading, but smooth pitch, roll and height."""
        eye = p_WB + R_WB @ self._place()
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
