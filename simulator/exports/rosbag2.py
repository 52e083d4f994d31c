"""Export as a folder of rosbag2 (MCAP storage) with the topics of `simulator.exports.bag`, written by the package rosbags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.exports.bag import Bag, BagTopic
from simulator.exports.output import Output, numbered
from simulator.exports.source import ExportedRun, Start
from simulator.telemetry.metadata import CONFIGURATION
from simulator.telemetry.sensor_file.reader import content_of

NAME = "rosbag2"
KEEP_FOREVER = 9223372036, 854775807
"""Deadline and lifespan [s, ns] of the default quality of service of ROS 2."""


def export(run: ExportedRun, output: Output) -> None:
    """Plan the folder rosbag2, and rosbag2-2 ... after restarts of the drive. Raises OutputError, JounceError, ConfigError."""
    about = {key: text for key, text in run.about.items() if key != CONFIGURATION}
    for start, folder in zip(run.starts, output.need_free(numbered(NAME, one.number) for one in run.starts), strict=True):
        Bag(run, start).close()  # what cannot be read
        output.directory(folder, about, lambda path, start=start: _write(path, run, start))  # type: ignore[misc]


def _write(path: Path, run: ExportedRun, start: Start) -> None:
    with Bag(run, start) as bag:
        _write_messages(path, bag)


def _write_messages(path: Path, bag: Bag) -> None:
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.EMPTY)
    for one in bag.topics:
        with content_of(bag.file):
            types = get_types_from_msg(one.definition, one.type)
            store.register({name: kind for name, kind in types.items() if name not in store.fielddefs})
            store.hash_rihs01(one.type)
    writer = Writer(path, version=8, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connections = {
            one.name: writer.add_connection(
                one.name, one.type, msgdef=one.definition, rihs01=store.hash_rihs01(one.type), offered_qos_profiles=[_quality(one)]
            )
            for one in bag.topics
        }
        for message in bag.messages():
            writer.write(connections[message.topic], message.log_time, message.data)


def _quality(topic: BagTopic) -> Any:
    """Return the quality of service of a topic: reliable; transient local for a latched one."""
    from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime

    durability = QosDurability.TRANSIENT_LOCAL if topic.latched else QosDurability.VOLATILE
    forever = QosTime(*KEEP_FOREVER)
    liveliness = QosLiveliness.AUTOMATIC
    return Qos(QosHistory.KEEP_LAST, 10, QosReliability.RELIABLE, durability, forever, forever, liveliness, forever, False)
