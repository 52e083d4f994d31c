"""A rigid block without wheels that touches objects: the contact of the vehicle, without the vehicle around it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from simulator.base.records import record
from terrain.ground import GroundArrays
from terrain.load_terrain import load_terrain
from terrain.objects.broken import move_broken
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import WorldObject
from vehicles.contact.object_contact import meet_objects
from vehicles.contact.part_section import fill_mass, fill_parts
from vehicles.contact.records import OBJECT_CONTACT, OBJECT_CONTACT_STATE
from vehicles.tires.parameters import WHEEL

CAR = ((-2.0, -0.9, 0.2), (2.0, 0.9, 1.4))
"""Corners of the block, about the size of a car [m]."""


def _space() -> GroundArrays:
    """Return a ground without gravity, far below."""
    arrays = load_terrain({"type": "flat", "surface": "rigid"}, "flat", Path(), {"rigid": {"type": "surface", "friction": 0.8}}).arrays
    p = arrays.p.copy()
    p["gravity"], p["height"] = 0.0, -1e6
    return arrays._replace(p=p)


SPACE = _space()


def box_points(low: Sequence[float], high: Sequence[float]) -> np.ndarray:
    """Return the corners (8, 3) of a box."""
    return np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


class FreeBody:
    """Block in free flight, advanced by semi-implicit Euler like the vehicle; `gravity` points down.

    The block is 1500 kg, its center of mass in the middle of the box.
    """

    def __init__(
        self, objects: Sequence[WorldObject], speed: float = 0.0, h: float = 1e-3, box=CAR, gravity: float = 0.0, stiffness: float = 1.5e6
    ) -> None:
        self.h, self.gravity, self.mass = h, gravity, 1500.0
        self.p, self.s = record(OBJECT_CONTACT), record(OBJECT_CONTACT_STATE)
        self.objects = ObjectSet(objects).for_session()
        self.space, self.normal = SPACE._replace(objects=self.objects.world), np.zeros(3)
        self.com = 0.5 * (np.array(box[0]) + np.array(box[1]))
        size = np.array(box[1]) - np.array(box[0])
        self.inertia = self.mass / 12.0 * np.diag(size @ size - size**2)
        fill_parts(self.p, [box_points(*box)], np.zeros((0, 2)), np.zeros((0, 3)))
        fill_mass(self.p, self.mass, self.com, self.inertia)
        self.p[0]["stiffness"], self.p[0]["strength"] = stiffness, 40.0 * 9.81 * self.mass
        self.x, self.R = np.zeros(3), np.eye(3)
        """center of mass in W, axes"""
        self.x += self.com
        self.v, self.w = np.array((speed, 0.0, 0.0)), np.zeros(3)
        """velocity of the center of mass in W, angular velocity in B"""
        self.time = 0.0
        self.wheels = record(WHEEL, 0)
        self.force = np.zeros(3)
        """force of the objects on the block in the last step, in W"""
        self.push = np.zeros(3)
        """constant force at the center of mass, in W"""

    @property
    def kinetic(self) -> float:
        """Kinetic energy [J]."""
        return float(0.5 * self.mass * self.v @ self.v + 0.5 * self.w @ self.inertia @ self.w)

    @property
    def pairs(self) -> np.ndarray:
        """Tracked pairs."""
        pairs = self.s[0]["pairs"]
        return pairs[pairs["live"] == 1]

    @property
    def collisions(self) -> np.ndarray:
        """Collisions so far."""
        return self.s[0]["ring"][: int(self.s[0]["collisions"])]

    def place(self, x: Sequence[float], yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> None:
        """Put the reference point to x [m], with an attitude [rad]."""
        self.R = Rotation.from_euler("ZYX", (yaw, pitch, roll)).as_matrix()
        self.x = np.asarray(x, float) + self.R @ self.com

    def step(self) -> None:
        """Advance the block by h."""
        q, h = self.s[0], self.h
        q["R_WB"], q["p_WB"] = self.R, self.x - self.R @ self.com
        q["w_WB_B"], q["v_WB_B"] = self.w, self.R.T @ self.v - np.cross(self.w, self.com)
        q["time"] = self.time
        meet_objects(self.p, self.s, self.objects.world, self.wheels, h)
        self.force = self.R @ q["force_B"]
        couple = q["couple_B"] - np.cross(self.com, q["force_B"])
        self.v = self.v + h * ((self.force + self.push) / self.mass - (0.0, 0.0, self.gravity))
        self.w = self.w + h * np.linalg.solve(self.inertia, couple - np.cross(self.w, self.inertia @ self.w))
        self.x = self.x + h * self.v
        self.R = self.R @ Rotation.from_rotvec(h * self.w).as_matrix()
        self.time += h
        move_broken(self.space, self.normal, h)

    def run(self, duration: float) -> None:
        """Advance the block."""
        for _ in range(round(duration / self.h)):
            self.step()
