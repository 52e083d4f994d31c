"""Export as MCAP with ROS 2 messages: the log, odometry and events next to the topics of the sensors, see `simulator.exports.bag`."""

from __future__ import annotations

from pathlib import Path

from simulator.exports.bag import Bag
from simulator.exports.output import Output, numbered
from simulator.exports.source import ExportedRun, Start
from simulator.telemetry.metadata import CONFIGURATION
from simulator.telemetry.sensor_file.writer import MessageWriter

ABOUT_RUN = "jounce run"
"""Name of the metadata record with the metadata of the run."""


def export(run: ExportedRun, output: Output) -> None:
    """Plan NAME.mcap, and NAME-2.mcap ... after restarts of the drive. Raises OutputError, JounceError, ConfigError."""
    for start, file in zip(run.starts, output.need_free(numbered(f"{run.name}.mcap", one.number) for one in run.starts), strict=True):
        Bag(run, start).close()  # what cannot be read
        output.file(file, lambda path, start=start: _write(path, run, start))  # type: ignore[misc]


def _write(path: Path, run: ExportedRun, start: Start) -> None:
    writer = MessageWriter(path)
    try:
        with Bag(run, start) as bag:
            _write_messages(writer, run, bag)
    finally:
        writer.close()


def _write_messages(writer: MessageWriter, run: ExportedRun, bag: Bag) -> None:
    numbers = {one.name: writer.add_channel(one.name, one.type, one.metadata, one.latched, one.definition) for one in bag.topics}
    for one in bag.messages():
        writer.write(numbers[one.topic], one.log_time, one.publish_time, (one.data,))
    writer.finish({ABOUT_RUN: {key: text for key, text in run.about.items() if key != CONFIGURATION}})
