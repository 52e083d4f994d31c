"""True boxes of the objects, other vehicles and persons around a place, with their occlusion: labels for training and tests of perception.

A box is the bounding box of an object in the object's own axes; all parts of a vehicle have one box. Nothing of the vehicle that looks is in it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import Record, Table, record
from simulator.sensors.contract import Mount
from simulator.view.vehicle_states import rotations
from terrain.objects.labels import LABELS
from terrain.objects.pose import POSE
from terrain.rays.cast import place_objects
from terrain.rays.caster import FARTHEST, RayCaster

BOX: Table = (
    # name                shape unit     description
    ("id", (), "1", "number of the object, the same as in clouds and images and for all parts of a vehicle", "i8"),
    ("label", (), "1", "number of the label, see `terrain.objects.labels`", "i8"),
    ("position", (3,), "m", "center of the box, in the frame"),
    ("attitude", (4,), "1", "unit quaternion w, x, y, z, from the axes of the box to those of the frame"),
    ("size", (3,), "m", "edges along x, y, z of the box: of a vehicle length, width, height"),
    ("velocity", (3,), "m/s", "velocity of the center relative to the ground, in the axes of the frame"),
    ("angular_velocity", (3,), "rad/s", "angular velocity relative to the ground, in the axes of the frame"),
    ("distance", (), "m", "distance of the nearest point of the box from the eye; 0: the eye is inside"),
    ("occlusion", (), "1", "fraction of the box, as the eye sees its size, that something else hides: 0 free, 1 hidden"),
)
CELLS = 6
"""Sample rays along each edge of a visible face. More: finer steps of the occlusion, and as many more rays squared."""
TOUCHES = 1e-3
"""m. Something this close to a face touches the box and does not hide it."""


class Viewpoint(NamedTuple):
    """Frame in which boxes are written, and the point from which they are seen."""

    p_WF: Array
    """(3,) origin of the frame, in W [m]"""
    R_WF: Array
    """(3, 3) x_W = R_WF x_F"""
    p_WE: Array
    """(3,) eye, in W [m]"""


def viewpoint(p_WB: Array, q_WB: Array, mount: Mount | None = None, p_BE: Array | None = None) -> Viewpoint:
    """Return the view of a sensor with a mount; without a mount that of the vehicle, with the eye p_BE in B [m]."""
    R_WB = rotations(np.array([q_WB], float))[0]
    if mount is not None:
        p_WS = p_WB + R_WB @ mount.p_BS
        return Viewpoint(p_WS, R_WB @ mount.R_BS, p_WS)
    return Viewpoint(np.array(p_WB, float), R_WB, p_WB + R_WB @ (np.zeros(3) if p_BE is None else p_BE))


def true_boxes(caster: RayCaster, time: float, view: Viewpoint, max_range: float = 100.0, labels: Collection[str] | None = None) -> Record:
    """Return the boxes (n,) of BOX, in the order of their ids, whose nearest point is within `max_range` [m] of the eye.

    Parameters
    ----------
    caster : ground and objects; breakaway objects and vehicles are where its objects have them now
    time : time [s] at which objects on paths are placed
    labels : names of labels; None: all

    The ground, bushes and all objects hide; porous objects as if they were solid. Parts of a box below the ground do not count.
    """
    boxes = _Boxes(caster, time, labels)
    at_eye = _unturned(boxes.R_WO, view.p_WE - boxes.center_W)
    distance = np.linalg.norm(np.maximum(np.abs(at_eye) - boxes.half, 0.0), axis=1)
    near = np.flatnonzero(distance <= max_range)
    out = record(BOX, len(near))
    if not len(near):
        return out
    from scipy.spatial.transform import Rotation

    R_FW, R_WO = view.R_WF.T, boxes.R_WO[near]
    out["id"], out["label"], out["distance"] = boxes.number[near], boxes.label[near], distance[near]
    out["position"] = (boxes.center_W[near] - view.p_WF) @ R_FW.T
    quaternion = np.roll(Rotation.from_matrix(R_FW @ R_WO).as_quat(), 1, axis=1)
    out["attitude"] = np.where(quaternion[:, :1] < 0.0, -quaternion, quaternion)
    out["size"] = 2.0 * boxes.half[near]
    out["velocity"], out["angular_velocity"] = boxes.v_W[near] @ R_FW.T, boxes.w_W[near] @ R_FW.T
    out["occlusion"] = _occlusions(caster, time, view.p_WE, boxes, near, at_eye[near])
    return out


class _Boxes:
    """Boxes of all objects: arrays with a row for each id."""

    def __init__(self, caster: RayCaster, time: float, labels: Collection[str] | None) -> None:
        objects, r = caster.objects, caster.objects.records
        chosen = r["present"] != 0
        if labels is not None:
            chosen &= np.isin(r["label"], [LABELS[name] for name in labels])
        rows = np.flatnonzero(chosen)
        poses = record(POSE, max(1, len(rows)))
        place_objects(objects.world, rows, poses, float(time))
        poses, r = poses[: len(rows)], r[rows]
        self.number, first, group = np.unique(r["number"], return_index=True, return_inverse=True)
        lead = poses[first]
        self.label, self.R_WO = r["label"][first], lead["R_WO"]
        own = self.R_WO[group]
        center = _unturned(own, poses["p_WO"] - lead["p_WO"][group] + _turned(poses["R_WO"], r["center_O"]))
        half = _turned(np.abs(np.einsum("nji,njk->nik", own, poses["R_WO"])), r["half_O"])
        low, high = np.full((len(first), 3), np.inf), np.full((len(first), 3), -np.inf)
        np.minimum.at(low, group, center - half)
        np.maximum.at(high, group, center + half)
        self.half, arm = 0.5 * (high - low), _turned(self.R_WO, 0.5 * (high + low))
        self.center_W, self.w_W = lead["p_WO"] + arm, lead["w_WO"]
        self.v_W = lead["v_WO"] + np.cross(self.w_W, arm)


def _occlusions(caster: RayCaster, time: float, eye: Array, boxes: _Boxes, near: NDArray[np.int64], at_eye: Array) -> Array:
    """Return the occlusion of the boxes `near`; `at_eye` (n, 3): the eye in the axes of each box, from its center.

    One ray goes to each cell of the faces on the side of the eye. Its weight is the solid angle of the cell.
    """
    half, R_WO, center_W = boxes.half[near], boxes.R_WO[near], boxes.center_W[near]
    points, weights = _samples(half, at_eye)
    points_W = center_W[:, None] + np.einsum("nij,nkj->nki", R_WO, points)
    box, cell = np.nonzero(weights)
    ends = points_W[box, cell]
    above = ends[:, 2] >= caster.ground.height(ends[:, 0], ends[:, 1]) if len(ends) else np.zeros(0, bool)
    box, cell, along = box[above], cell[above], ends[above] - eye
    whole, hidden = np.zeros(len(near)), np.zeros(len(near))
    if len(box):
        reach = np.clip(np.linalg.norm(along, axis=1) - TOUCHES, 1e-9, FARTHEST)
        hits = caster.cast(eye, along, reach, time, porous=True)
        stopped = (hits.object >= 0) & (hits.object != boxes.number[near][box])
        np.add.at(whole, box, weights[box, cell])
        np.add.at(hidden, box, weights[box, cell] * stopped)
    inside = (np.abs(at_eye) <= half).all(axis=1)
    return np.where(inside, 0.0, np.where(whole > 0.0, hidden / np.maximum(whole, 1e-300), 1.0))


def _samples(half: Array, at_eye: Array) -> tuple[Array, Array]:
    """Return points (n, m, 3) on the faces of boxes, in the axes of the box from its center, and their solid angles (n, m); 0: not visible."""
    steps = (np.arange(CELLS) + 0.5) / CELLS * 2.0 - 1.0
    u, v = (one.ravel() for one in np.meshgrid(steps, steps, indexing="ij"))
    points, weights = [], []
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        p = np.empty((len(half), CELLS * CELLS, 3))
        p[:, :, axis] = (np.sign(at_eye[:, axis]) * half[:, axis])[:, None]
        p[:, :, b], p[:, :, c] = u * half[:, b, None], v * half[:, c, None]
        before = np.abs(at_eye[:, axis]) - half[:, axis]
        far = np.maximum(np.linalg.norm(p - at_eye[:, None], axis=2), 1e-9)
        area = half[:, b] * half[:, c]
        points.append(p)
        weights.append(np.maximum(before * area, 0.0)[:, None] / far**3)
    return np.concatenate(points, axis=1), np.concatenate(weights, axis=1)


def _turned(R: Array, v: Array) -> Array:
    """Return R_n v_n (n, 3)."""
    return np.asarray(np.einsum("nij,nj->ni", R, v))


def _unturned(R: Array, v: Array) -> Array:
    """Return the transpose of R_n times v_n (n, 3)."""
    return np.asarray(np.einsum("nji,nj->ni", R, v))
