"""What hangs on the right side of a session: telemetry, motion stream, window. Each turns one publication into a call of its owner."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.base.records import Record, record
from simulator.motion.stream import MotionStream
from simulator.record.writer import TelemetryWriter
from vehicles.command import COMMAND
from vehicles.readout import READOUT

if TYPE_CHECKING:
    from simulator.session import Session

PLATFORM = (
    ("pose", (6,), "m, rad", "platform x, y, z, roll, pitch, yaw commanded, from neutral"),
    ("legs", (6,), "m", "leg lengths commanded"),
    ("state", (), "1", "state of the motion procedure", "i8"),
)
"""The platform as the telemetry logs it."""


class Telemetry:
    """Logs vehicle, command and platform to folder/telemetry.parquet.

    Parameters
    ----------
    folder : existing folder
    every : ticks between two rows
    csv : also write CSV

    Raises OutputError when the folder cannot be written.
    """

    def __init__(self, folder: Path, session_readout: Record, command: Record, every: int = 10, csv: bool = False) -> None:
        self.every = every
        self._platform = record(PLATFORM)
        sources = (("", READOUT, session_readout), ("command_", COMMAND, command), ("platform_", PLATFORM, self._platform))
        self.writer = TelemetryWriter(folder, sources, divisor=1, csv=csv)

    def publish(self, session: Session) -> None:
        """One row."""
        p = self._platform[0]
        p["pose"], p["legs"], p["state"] = session.cueing.pose, session.cueing.legs, session.cueing.state_number
        self.writer.publish()

    def close(self) -> None:
        """Write the file."""
        self.writer.close()


class Motion:
    """Sends the platform's pose over the network."""

    def __init__(self, stream: MotionStream) -> None:
        self.stream, self.every = stream, stream.every

    def publish(self, session: Session) -> None:
        """One packet."""
        self.stream.send(session.readout, session.cueing, session.moves)

    def close(self) -> None:
        """Tell the platform that the stream ends."""
        self.stream.close()


class Window:
    """Shows the session to the views that are attached to a block of shared memory."""

    def __init__(self, every: int) -> None:
        from simulator.view.block import ViewWriter, extras

        self.every = every
        self.block = ViewWriter()
        self.extras = extras()
        self.message = ""
        self._open = True

    def publish(self, session: Session) -> None:
        """The latest state."""
        from simulator.base.frames import quaternion_of_rotation, rotation_of_euler

        e, cueing, p = self.extras[0], session.cueing, session.cueing.platform[0]
        pose = cueing.pose
        R = np.empty((3, 3))
        rotation_of_euler(pose[3], pose[4], pose[5], R)
        quaternion_of_rotation(R, e["q_platform"])
        e["p_platform"], e["legs"] = pose[:3], cueing.legs
        e["leg_use"] = (cueing.legs - p["shortest_leg"]) / (p["longest_leg"] - p["shortest_leg"])
        if session.clock is not None:
            e["real_time_factor"], e["overruns"] = session.clock.real_time_factor, session.clock.overruns
        e["paused"], e["selector"], e["message"] = session.paused, session.command[0]["selector"], self.message.encode()[:95]
        self.block.publish(session.readout, self.extras)

    def jump(self) -> None:
        """The next state does not follow from the last one."""
        self.block.jump()

    def close(self) -> None:
        """Tell the views that the host leaves; calling it again does nothing."""
        if self._open:
            self._open = False
            self.block.close()
