"""Selection of the objects to draw: moving objects are placed, invisible ones are left out. No OpenGL here.

An item is what is drawn or left out as a whole: an object, or one part of its mesh.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.object_changes import ObjectChanges
from simulator.view.object_data import BAKED, ObjectData
from terrain.objects.shapes import SIMPLE

SMALLEST_ANGLE = 0.0012
"""rad. Smallest visible radius of an object as an angle at the camera: about one pixel of a window of 720 lines."""
EXACT_SMALLEST = 1e-4
"""As SMALLEST_ANGLE, for cameras with many pixels or a narrow field of view."""
ROUND = (0.008, 0.022, 0.08)
"""rad. Radii of round shapes, as angles at the camera, from which they have the next finer mesh of `object_meshes.DETAILS`."""
SIGHT = 3500.0
"""m. Maximum distance at which objects are drawn, as far as the terrain."""
SHADOW_STRETCH = 1.6
"""Length of the area that the shadow of an object may cover, divided by the length of its shadow on level ground; enough for falls of 33 %."""
EXACT_ROUND = (0.005, 0.02, 0.08)
"""As ROUND, for `object_meshes.EXACT_DETAILS`."""
LAG = 0.1
"""s. Maximum time over which the motion of a broken object continues without a new pose."""

Rows = NDArray[np.int64]


def path_poses(segments: Any, path: NDArray[np.int64], t: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the positions (n, 3) [m] and the turns since the beginning of the path (n,) [rad] at time t [s].

    Parameters
    ----------
    segments : records of `terrain.objects.records.SEGMENT`
    path : (n, 3) first row of `segments`, number of segments, 1 = repeats
    """
    first, last = path[:, 0], path[:, 0] + path[:, 1] - 1
    start, end = segments["time"][first, 0], segments["time"][last, 1]
    again = (path[:, 2] > 0) & (t > end)
    now = np.clip(np.where(again, start + (t - start) % (end - start), t), start, end)
    row = _row_at(segments["time"][:, 0], first, last, now)
    k = segments[row]
    span = k["time"][:, 1] - k["time"][:, 0]
    u = (now - k["time"][:, 0]) / span
    a, b = 1.0 - u * u * (3.0 - 2.0 * u), u * u * (3.0 - 2.0 * u)
    c, d = span * u * (1.0 - u) ** 2, -span * u * u * (1.0 - u)
    weights = np.stack((a, b, c, d))
    p = np.concatenate((k["p_WO"], k["v_WO"]), axis=1)
    yaw = np.concatenate((k["yaw"], k["yaw_rate"]), axis=1)
    return np.einsum("kn,nkj->nj", weights, p), np.einsum("kn,nk->n", weights, yaw) - segments["yaw"][first, 0]


def _row_at(starts: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64], now: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the last row from `first` to `last` that starts at `now` or before, or `first`."""
    low, high = first.copy(), last.copy()
    while (low < high).any():
        middle = (low + high + 1) // 2
        begun = starts[middle] <= now
        low, high = np.where(begun & (low < high), middle, low), np.where(begun | (low >= high), high, middle - 1)
    return low


class Selection(NamedTuple):
    """Items to draw, the nearest first."""

    items: Rows
    detail: Rows
    """level of detail of a round shape, 0 = far"""


class ObjectItems:
    """Items of a world and their present places.

    Parameters
    ----------
    budget : maximum number of triangles of an image; the farthest objects beyond it are left out
    triangles : (levels of detail, MESHES) number of triangles of each unit mesh
    exact : True = for `object_meshes.EXACT_DETAILS`, and small objects are drawn, too

    Attributes
    ----------
    instances : (n, 19) per object: rows of the (3, 4) matrix from O to W, size (4), color (3), as in the shader
    group : (items,) number of the unit mesh, MESHES + row of `parts`, or BAKED
    owner : (items,) row of the object
    edits : number of changes of objects that are not moving any more, so far
    drawn : (objects,) False for parts of vehicles that are drawn as vehicles; they still cast shadows
    dressed : (objects,) True for objects that a dressing draws
    """

    MESHES = len(SIMPLE)

    def __init__(self, data: ObjectData, budget: int, triangles: Rows, exact: bool = False) -> None:
        self.data, self._budget = data, budget
        self._smallest, self._steps = (EXACT_SMALLEST, EXACT_ROUND) if exact else (SMALLEST_ANGLE, ROUND)
        count = len(data)
        self.instances = np.zeros((count, 19), np.float32)
        self.instances[:, 12:16], self.instances[:, 16:] = data.size, data.color
        self.position, self.rotation = data.p_WO.copy(), data.R_WO.copy()
        self._velocity, self._turning, self._known_at = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count)
        self._flies, self._driven = np.zeros(count, bool), np.zeros(count, bool)
        self._movers, self._left = np.flatnonzero(data.path[:, 1]), np.zeros(count, bool)
        self.present, self.drawn, self.dressed = data.present.copy(), np.ones(count, bool), np.zeros(count, bool)
        self._make_items(triangles)
        self._write(np.arange(count))
        self.edits = 0
        self._time = np.nan

    def _make_items(self, triangles: Rows) -> None:
        data = self.data
        plain = np.flatnonzero(data.mesh == -1)
        part_mesh = data.parts[:, 0].astype(np.int64)
        baked = np.flatnonzero(part_mesh < 0)
        shared = [(row, part) for row in np.flatnonzero(data.mesh >= 0) for part in np.flatnonzero(part_mesh == data.mesh[row])]
        rows, parts = (np.array([pair[k] for pair in shared], np.int64) for k in (0, 1))
        self.owner = np.concatenate((plain, rows, -1 - part_mesh[baked]))
        self.part = np.concatenate((np.full(len(plain), -1), parts, baked))
        self.group = np.concatenate((data.shape[plain], self.MESHES + parts, np.full(len(baked), BAKED)))
        whole = self.part < 0
        part_rows = data.parts[self.part[~whole]]
        self._center_O, self._half_O = data.center_O[self.owner], data.half_O[self.owner]
        self._center_O[~whole], self._half_O[~whole] = part_rows[:, 3:6], part_rows[:, 6:]
        self._reach = np.linalg.norm(self._half_O, axis=1)
        self._round = data.size[self.owner, 0].astype(np.float64)
        self._triangles = np.empty((len(triangles), len(self.owner)), np.int64)
        self._triangles[:, whole] = triangles[:, self.group[whole]]
        self._triangles[:, ~whole] = part_rows[:, 2].astype(np.int64) // 3
        self._half = self._half_O.copy()
        self._center = self._center_O.copy()
        order = np.argsort(self.owner, kind="stable")
        self._items_by_owner = order
        self._first_item = np.searchsorted(self.owner[order], np.arange(len(data) + 1))

    def _write(self, rows: Rows) -> None:
        """Write the present places of some objects to the instances and the bounding spheres."""
        matrix = self.instances[:, :12].reshape(-1, 3, 4)
        matrix[rows, :, :3], matrix[rows, :, 3] = self.rotation[rows], self.position[rows]
        counts = self._first_item[rows + 1] - self._first_item[rows]
        starts = np.repeat(self._first_item[rows] - np.cumsum(counts) + counts, counts)
        items = self._items_by_owner[starts + np.arange(int(counts.sum()))]
        items = items[self.group[items] != BAKED]
        owner = self.owner[items]
        self._center[items] = self.position[owner] + np.einsum("nij,nj->ni", self.rotation[owner], self._center_O[items])
        self._half[items] = np.einsum("nij,nj->ni", np.abs(self.rotation[owner]), self._half_O[items])

    @property
    def center(self) -> NDArray[np.float64]:
        """Centers of the items (n, 3) in W [m]."""
        return self._center

    @property
    def box_half(self) -> NDArray[np.float64]:
        """Half edges (n, 3) of the bounding boxes of the items, along the axes of their objects, or of W if they are BAKED [m]."""
        return self._half_O

    def apply(self, changes: ObjectChanges) -> None:
        """Apply changes from the host; rows beyond the objects are ignored."""
        inside = changes.rows < len(self.data)
        if not inside.any():
            return
        rows = changes.rows[inside]
        self.present[rows] = changes.present[inside]
        free = changes.moved[inside]
        moved = rows[free]
        self.position[moved], self.rotation[moved] = changes.p_WO[inside][free], changes.R_WO[inside][free]
        self._velocity[moved], self._turning[moved] = changes.v_WO[inside][free], changes.w_WO[inside][free]
        self._known_at[moved] = changes.time[inside][free]
        self._left[rows] = free
        self._flies[rows[~free]] = False
        self._flies[moved] = (self._velocity[moved] != 0.0).any(axis=1) | (self._turning[moved] != 0.0).any(axis=1)
        self._write(moved)
        self.edits += 1
        self._time = np.nan

    def place_vehicles(self, numbers: Rows, p_WB: NDArray[np.float64], R_WB: NDArray[np.float64]) -> None:
        """Place the parts of vehicles that others draw: rows (n,) of `ObjectData.vehicles`, poses of B (n, 3) [m], (n, 3, 3)."""
        p_WB = p_WB + np.einsum("nij,nj->ni", R_WB, self.data.looks[numbers, :3])
        first, count = self.data.vehicles[numbers, 0], self.data.vehicles[numbers, 1]
        which = np.repeat(np.arange(len(numbers)), count)
        rows = first[which] + np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        p_WB, R_WB = p_WB[which], R_WB[which]
        self.drawn[:] = True
        self.drawn[rows] = False
        moved = (self.position[rows] != p_WB).any(axis=1) | (self.rotation[rows] != R_WB).any(axis=(1, 2))
        self._driven[:] = False
        self._driven[rows] = moved
        self.position[rows], self.rotation[rows] = p_WB, R_WB
        self._write(rows[moved])

    def place(self, time: float) -> None:
        """Place moving objects at simulated time `time` [s].

        Broken objects are where they were at the last change, and move and turn with their velocity at most LAG before and after it.
        """
        if time == self._time:
            return
        self._time = time
        rows = self._movers[~self._left[self._movers] & self.drawn[self._movers]]
        if len(rows):
            self._follow_paths(rows, time)
            self._write(rows)
        flying = np.flatnonzero(self._flies & self.drawn)
        if len(flying):
            known = self.position[flying].copy(), self.rotation[flying].copy()
            ahead = np.clip(time - self._known_at[flying], -LAG, LAG)[:, None]
            self.position[flying] += self._velocity[flying] * ahead
            self.rotation[flying] = turned(self.rotation[flying], self._turning[flying] * ahead)
            self._write(flying)
            self.position[flying], self.rotation[flying] = known

    def _follow_paths(self, rows: Rows, time: float) -> None:
        """Write the positions and attitudes of objects on paths at a time [s]."""
        self.position[rows], turn = path_poses(self.data.segments, self.data.path[rows], time)
        c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
        R = self.data.R_WO[rows]
        self.rotation[rows, 0], self.rotation[rows, 1] = c * R[:, 0] - s * R[:, 1], s * R[:, 0] + c * R[:, 1]

    def visible(self, clip_of_world: NDArray[np.float64], eye: NDArray[np.float64], dressed: bool = False) -> Selection:
        """Return the items that are large enough, inside the view and within the budget of triangles. dressed: also those that a dressing draws."""
        away = self._center - eye
        distance = np.sqrt(np.einsum("ij,ij->i", away, away))
        gap = distance - self._reach
        shown = self.present & self.drawn & (dressed | ~self.dressed)
        keep = shown[self.owner] & (self._reach > self._smallest * distance) & (gap < SIGHT)
        items = np.flatnonzero(keep)
        items = items[self.inside(items, planes_of(clip_of_world))]
        items = items[np.argsort(gap[items], kind="stable")]
        detail = np.searchsorted(self._steps, self._round[items] / np.maximum(distance[items], 1e-3))
        count = int(np.searchsorted(np.cumsum(self._triangles[detail, items]), self._budget, side="right"))
        return Selection(items[:count], detail[:count])

    def any_moves(self, items: Rows) -> bool:
        """Return whether any of these items is moving."""
        owner = self.owner[items]
        return bool((self._flies[owner] | self._driven[owner] | (self.data.path[owner, 1] > 0)).any())

    def casters(self, clip_of_world: NDArray[np.float64]) -> Rows:
        """Return the items whose shadow may be inside the view from the sun; those between the sun and its near plane, too."""
        items = np.flatnonzero(self.present[self.owner])
        return items[self.inside(items, planes_of(clip_of_world)[[0, 1, 2, 3, 5]])]

    def shadow_areas(self, items: Rows, sun: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rectangles (n, 4) x, y of the low corner and of the high corner [m] that the shadows of some items may cover.

        sun : unit vector towards the sun, in W
        """
        center, half = self._center[items, :2], self._half[items]
        run = -sun[:2] / sun[2] * 2.0 * half[:, 2:] * SHADOW_STRETCH
        low, high = center - half[:, :2], center + half[:, :2]
        return np.hstack((np.minimum(low, low + run), np.maximum(high, high + run)))

    def inside(self, items: Rows, planes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each item whether its bounding sphere is not completely outside one of the planes (n, 4)."""
        distance = self._center[items] @ planes[:, :3].T + planes[:, 3]
        inside: NDArray[np.bool_] = (distance > -self._reach[items, None]).all(axis=1)
        return inside


def turned(R: NDArray[np.float64], turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return axes R (n, 3, 3), in W, turned by the rotation vectors `turn` (n, 3) [rad], in W [Rodrigues]."""
    angle = np.linalg.norm(turn, axis=1)
    x, y, z = (turn / np.where(angle > 0.0, angle, 1.0)[:, None]).T
    none = np.zeros(len(turn))
    across = np.array(((none, -z, y), (z, none, -x), (-y, x, none))).transpose(2, 0, 1)
    s, c = np.sin(angle)[:, None, None], 1.0 - np.cos(angle)[:, None, None]
    out: NDArray[np.float64] = R + s * (across @ R) + c * (across @ (across @ R))
    return out


def planes_of(clip_of_world: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the planes (6, 4) of a view: left, right, bottom, top, near, far; unit normals inwards [Gribb and Hartmann 2001]."""
    m = np.asarray(clip_of_world, float)
    planes = np.stack((m[3] + m[0], m[3] - m[0], m[3] + m[1], m[3] - m[1], m[3] + m[2], m[3] - m[2]))
    normalized: NDArray[np.float64] = planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
    return normalized
