"""Vehicle, objects and plan of a session as `foxglove.SceneUpdate`.

/scene/static   body of the vehicle; objects that do not move, again when one of them has broken off or was added or removed
/scene/moving   wheels, moving objects with the other vehicles, path of the planner
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import Record, record
from simulator.outlets.foxglove.primitives import Piece, Placed, encoded_scene, pieces_of
from simulator.outlets.topic_groups import LATCHED, LiveTopic, Publish
from simulator.sensors.messages.topic import VEHICLE, WORLD
from terrain.objects.pose import POSE
from terrain.objects.records import PATH
from terrain.objects.shapes import ConvexHull, Cylinder, Shape
from terrain.rays.cast import place_objects

if TYPE_CHECKING:
    from simulator.session import Session
    from terrain.objects.object_set import ObjectSet

STATIC, MOVING = "/scene/static", "/scene/moving"
PERIOD = 0.05
"""s between two updates."""
AT_ONCE, PAUSE = 16, 1e-3
"""Objects that are converted at once, and pause after them [s], in which the ticks have the interpreter for themselves."""
BODY, WHEEL = (0.16, 0.29, 0.55, 0.9), (0.08, 0.08, 0.08, 1.0)
"""Colors of the vehicle."""
_AXLE = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
"""Rotation from the axis z of a cylinder to the axle y of a wheel."""


class _Now(NamedTuple):
    """Copy of what moves."""

    time: float
    objects: ObjectSet
    static: NDArray[np.int64] | None
    """Rows of the objects that do not move; None: unchanged"""
    rows: NDArray[np.int64]
    """Rows of the objects that move"""
    poses: Record
    """Their poses, POSE"""
    wheels: tuple[Array, Array]
    """Centers (n, 3) [m] and orientations (n, 3, 3) of the wheels in B"""
    line: Array | None
    """(n, 3) m, path of the planner in W"""


class SceneTopics:
    """Scene of a session."""

    topics: Sequence[LiveTopic] = (LiveTopic(STATIC, "foxglove.SceneUpdate", LATCHED), LiveTopic(MOVING, "foxglove.SceneUpdate"))

    def __init__(self, session: Session) -> None:
        contact, tires = session.vehicle.model.object_contact[0], session.vehicle.model.tires
        hulls = [part["points"][: part["count"]].copy() for part in contact["parts"][: contact["count"]]]
        self._body = [Placed(pieces_of(ConvexHull(points)), np.zeros(3), np.eye(3), BODY) for points in hulls]
        sizes = zip(tires["radius"].tolist(), tires["width"].tolist(), strict=True)
        self._wheels = [[one._replace(center=np.zeros(3)) for one in pieces_of(Cylinder(radius, width))] for radius, width in sizes]
        self._pieces: dict[int, tuple[Shape, list[Piece]]] = {}
        self._objects: ObjectSet | None = None
        self._edits, self._due = (-1, -1), -math.inf
        self._static = self._moving = np.zeros(0, np.int64)
        self._plan: Any = None
        self._line: Array | None = None
        self._look(session.objects)
        self._poses(session), session.ground.height(np.zeros(1), np.zeros(1))  # load their kernels before the first tick

    def take(self, session: Session, begins: bool) -> Callable[[Publish], None] | None:
        """Copy what moves."""
        if not begins and session.time < self._due:
            return None
        self._due = session.time + PERIOD - 0.5 * session.h
        is_new = self._look(session.objects) or begins
        self._follow_plan(session)
        readout = session.readout[0]
        wheels = readout["p_BK"].copy(), readout["R_BK"].copy()
        static = self._static if is_new else None
        now = _Now(session.time, session.objects, static, self._moving, self._poses(session), wheels, self._line)
        return partial(self._publish, now)

    def _look(self, objects: ObjectSet) -> bool:
        """Find the rows of the objects that stand and of those that move; return whether they may have changed."""
        edits = objects.edits, int(objects.world[0]["broken"])
        if objects is self._objects and edits == self._edits:
            return False
        self._objects, self._edits = objects, edits
        records = objects.records
        moves, breakable = records["motion"] == PATH, records["mass"] > 0.0
        moves[breakable] |= objects.states["broken"][records["state"][breakable]] > 0
        present = records["present"] > 0
        self._static, self._moving = np.flatnonzero(present & ~moves), np.flatnonzero(present & moves)
        return True

    def _poses(self, session: Session) -> Record:
        poses = record(POSE, len(self._moving))
        place_objects(session.objects.world, self._moving, poses, float(session.time))
        return poses

    def _follow_plan(self, session: Session) -> None:
        plan = getattr(session.driver, "plan", None)
        if plan is not self._plan:
            self._plan, self._line = plan, None
            if plan is not None:
                x, y = np.asarray(plan.points, float).T
                self._line = np.column_stack((x, y, session.ground.height(x, y)))

    def _publish(self, now: _Now, publish: Publish) -> None:
        """Publish the scene; in the thread of the outlet."""
        objects, static = now.objects, now.static
        if static is not None:
            standing = self._placed(objects, static, objects.records[static])
            publish(STATIC, partial(encoded_scene, now.time, {"body": (VEHICLE, self._body, None), "objects": (WORLD, standing, None)}))
        wheels = [Placed(pieces, p, R @ _AXLE, WHEEL) for pieces, p, R in zip(self._wheels, *now.wheels, strict=True)]
        moving = self._placed(objects, now.rows, now.poses)
        entities = {"wheels": (VEHICLE, wheels, None), "moving": (WORLD, moving, None), "plan": (WORLD, (), now.line)}
        publish(MOVING, partial(encoded_scene, now.time, entities))

    def _placed(self, objects: ObjectSet, rows: NDArray[np.int64], poses: Record) -> Iterator[Placed]:
        """Return objects in some rows at their poses, one for each row."""
        for n, (row, pose) in enumerate(zip(rows.tolist(), poses, strict=True)):
            if n % AT_ONCE == AT_ONCE - 1:
                time.sleep(PAUSE)
            shape = objects.objects[row].shape
            if id(shape) not in self._pieces:
                self._pieces[id(shape)] = shape, pieces_of(shape)  # with the shape, so that its number is not used again
            yield Placed(self._pieces[id(shape)][1], pose["p_WO"], pose["R_WO"], (*objects.records[row]["color"].tolist(), 1.0))
