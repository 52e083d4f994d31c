"""Outlet that records the measurements of the sensors and the pose of the vehicle."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.sensors.measurement import Measurement
from simulator.telemetry.sensor_file.names import FILE_NAME, is_installed, missing
from simulator.telemetry.sensor_file.recorder import Recorded, SensorRecorder, recorded_sensors
from simulator.telemetry.writer import LogOptions

if TYPE_CHECKING:
    from simulator.session import Session

POSE_PERIOD = 0.01
"""Time between two poses of the vehicle [s]."""


def sensor_files(session: Session, folder: Path, options: LogOptions) -> list[SensorFileOutlet]:
    """Return the outlet that records the sensors of a session into the folder of its run; none if no sensor is recorded.

    Without the package mcap, the user receives one line. Raises JounceError: the file cannot be created.
    """
    recorded, notes = recorded_sensors(session.measuring.sensors)
    if recorded and not is_installed():
        options.note(missing(f"{FILE_NAME} is not written"))
        return []
    for note in notes:
        options.note(note)
    return [SensorFileOutlet(session, folder, recorded, options)] if recorded else []


class SensorFileOutlet:
    """Records sensors and poses of a session, see `simulator.telemetry.sensor_file.recorder`.

    In real time, publishing never raises and never waits for the disk. A full disk ends the recording: the failure is in the list of the session.

    Parameters
    ----------
    session : its sensors are subscribed to
    folder : existing folder
    recorded : recorded sensors of the session, see `recorded_sensors`
    options : functions for messages

    Raises JounceError: the file cannot be created.
    """

    label = "sensor data"
    """Name of the outlet in messages."""

    def __init__(self, session: Session, folder: Path, recorded: list[Recorded], options: LogOptions) -> None:
        self.every = max(1, round(POSE_PERIOD / session.h))
        self.recorder = SensorRecorder(folder, recorded, session.h)
        self._session, self._options, self._time, self._says_size = session, options, math.nan, True
        for number, one in enumerate(recorded):
            one.sensor.subscribe(partial(self._measured, number))

    def publish(self, session: Session) -> None:
        """Record the pose of the vehicle, and report what the recorder has to say."""
        recorder, time = self.recorder, session.time
        if time != self._time:  # not while the platform rises, or during a pause
            self._time = time
            r = session.readout[0]
            recorder.moved(time, r["p_WB"], r["q_WB"], session.clock is None)
        while recorder.troubles:
            session.output.failures.append(JounceError(recorder.troubles.popleft()))
        self._report_size()

    def close(self) -> None:
        """End the file."""
        self.recorder.close()
        while self.recorder.troubles:
            trouble = self.recorder.troubles.popleft()
            self._session.output.failures.append(JounceError(trouble))
            self._options.say(trouble)
        self._report_size()
        for name, count in self.recorder.dropped.items():
            if count:
                self._options.say(f"sensor {name}: {count} measurements are not recorded; the disk was too slow")

    def _measured(self, number: int, measured: Measurement) -> None:
        self.recorder.measured(number, measured, self._session.time, self._session.clock is None)

    def _report_size(self) -> None:
        if self._says_size and self.recorder.estimate:
            self._says_size = False
            self._options.note(self.recorder.estimate)
