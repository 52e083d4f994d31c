"""`jounce vehicle urdf NAME`: a vehicle as a URDF, with the frames of the sensors of a session."""

from __future__ import annotations

import os
from typing import Any

from simulator.base.console import print_error
from simulator.base.errors import JounceError, OutputError
from simulator.base.output_target import STANDARD_OUTPUT, is_stream, output_path
from simulator.builder.builder import build
from simulator.configuration.from_arguments import session_of
from simulator.ros2.robot_description import robot_description
from simulator.sensors.messages.topic import Frame
from simulator.telemetry.atomic_files import write_text
from simulator.telemetry.sensor_file.recorder import recorded_sensors


def main_urdf(arguments: Any) -> int:
    """Run `jounce vehicle urdf` and return 0. Raises JounceError: no vehicle, an unusable file, or an existing output file."""
    if arguments.vehicle is None and arguments.session is None:
        raise JounceError("vehicle urdf: no vehicle; expected a vehicle name or file; hint: jounce vehicle urdf hmmwv")
    file = STANDARD_OUTPUT if arguments.out is None else output_path(arguments.out)
    if os.path.lexists(file) and not is_stream(file) and not arguments.overwrite:
        raise OutputError(f"{file}: file exists; hint: use --overwrite to replace the file")
    parts = build(session_of(arguments), check_step=False)
    sensors = parts.new_sensors() if parts.options.sensors else []
    try:
        frames: list[Frame] = [frame for one in recorded_sensors(sensors)[0] for frame in one.frames]
    finally:
        for sensor in sensors:
            sensor.close()
    if parts.vehicle.train is not None:
        print_error(f"note: the URDF is that of {parts.vehicle.description.name} without its trailers")
    write_text(file, robot_description(parts.vehicle.description, parts.vehicle.tires, frames))
    return 0
