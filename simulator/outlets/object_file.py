"""Outlet that writes the motion of breakaway objects and of the traffic, and the removed objects, at the end of a run, for a replay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.run_folder import OBJECTS_NAME

if TYPE_CHECKING:
    from simulator.session import Session

PERIOD = 0.02
"""s between two looks at the objects."""
STEERED_PERIOD = 0.2
"""s between two poses of the traffic; a replay interpolates them with their velocities. Larger: a smaller file, corners are cut."""
MAX_POSES = 1_000_000
"""Maximum number of stored poses, 156 MB; an object that moves for a minute has 3000."""
POSE = np.dtype(
    [
        ("tick", "i8"),
        ("row", "i4"),
        ("present", "i4"),
        ("time", "f8"),
        ("p_WO", "f8", (3,)),
        ("R_WO", "f8", (3, 3)),
        ("v_WO", "f4", (3,)),
        ("w_WO", "f4", (3,)),
    ]
)
"""Pose of an object from a tick on: row of the object, 1 = it is present, simulated time [s], position [m], axes, velocity [m/s] and angular
velocity [rad/s] in W."""
STEERED = np.dtype([("tick", "i8"), ("row", "i4"), ("p_WO", "f4", (3,)), ("R_WO", "f4", (3, 3)), ("v_WO", "f4", (3,))])
"""Pose of an object on a path that the session writes, from which the path goes on to the next pose."""
MAX_STEERED = 6_000_000
"""Maximum number of these poses: 100 vehicles for more than three hours, 430 MB."""


class ObjectFileOutlet:
    """Writes `objects.npz` with one array for each field of POSE into the folder of a run; writes nothing if no object has changed.

    Parameters
    ----------
    session : session with objects
    folder : existing folder
    say : called with one line if there are more poses than MAX_POSES
    """

    label = "objects file"
    """Name of the outlet in messages."""

    def __init__(self, session: Session, folder: Path, say: Callable[[str], None]) -> None:
        from simulator.view.object_changes import ChangedObjects

        self.every = max(1, round(PERIOD / session.h))
        self._file, self._say = folder / OBJECTS_NAME, say
        self._changed = ChangedObjects(steered=False)
        self._steered_every = max(1, round(STEERED_PERIOD / session.h))
        self._steered: list[NDArray[np.void]] = []
        self._steered_count = 0
        self._changed.take(session.objects, 0.0)
        self._poses: list[NDArray[np.void]] = []
        self._count = 0

    def publish(self, session: Session) -> None:
        """Store the objects that have changed."""
        if len(session.objects.steered_rows) and session.tick % self._steered_every < self.every:
            self._store_steered(session)
        changes = self._changed.take(session.objects, float(session.readout[0]["time"]))
        if not len(changes.rows) or self._count >= MAX_POSES:
            return
        poses = np.zeros(len(changes.rows), POSE)
        poses["tick"], poses["row"], poses["present"] = session.tick, changes.rows, changes.present
        for name in ("time", "p_WO", "R_WO", "v_WO", "w_WO"):
            poses[name] = getattr(changes, name)
        self._poses.append(poses)
        self._count += len(poses)
        if self._count >= MAX_POSES:
            self._say(f"{self._file}: the objects have moved too often; a replay shows their motion up to {session.time:.0f} s")

    def _store_steered(self, session: Session) -> None:
        from simulator.view.object_changes import steered_poses

        rows, poses = steered_poses(session.objects, float(session.readout[0]["time"]))
        if self._steered_count >= MAX_STEERED:
            return
        stored = np.zeros(len(rows), STEERED)
        stored["tick"], stored["row"] = session.tick, rows
        for name in ("p_WO", "R_WO", "v_WO"):
            stored[name] = poses[name]
        self._steered.append(stored)
        self._steered_count += len(stored)
        if self._steered_count >= MAX_STEERED:
            self._say(f"{self._file}: a replay shows the traffic up to {session.time:.0f} s")

    def close(self) -> None:
        """Write the file. Raises OutputError."""
        if self._poses or self._steered:
            write_whole(self._file, self._write)

    def _write(self, file: Path) -> None:
        with open(file, "wb") as stream:
            poses, steered = np.concatenate([np.zeros(0, POSE), *self._poses]), np.concatenate([np.zeros(0, STEERED), *self._steered])
            arrays = {name: poses[name] for name in POSE.names or ()}
            arrays |= {f"steered_{name}": steered[name] for name in STEERED.names or () if len(steered)}
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
