"""Reader of the files of sensor data of a run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from simulator.base.errors import ConfigError, JounceError, UnreadableError
from simulator.sensors.messages.cdr import decode
from simulator.telemetry.sensor_file.names import need_package
from simulator.telemetry.sensor_file.recorder import SUMMARY
from simulator.telemetry.sensor_file.repair import is_complete

NS = 1e-9
"""Seconds in a nanosecond."""


class TopicInfo(NamedTuple):
    """Topic of a file."""

    topic: str
    type: str
    """Name of the message."""
    messages: int
    metadata: Mapping[str, str]
    """Texts of the channel: `sensor`, `kind`, `rate_hz` ..., see `simulator.telemetry.sensor_file.recorder`."""


class StoredMessage(NamedTuple):
    """Message of a file."""

    topic: str
    log_time: int
    """Simulated time of the delivery [ns]."""
    publish_time: int
    """Simulated time of the measurement [ns]."""
    type: str
    data: bytes
    file: Path
    """File of the message."""

    @property
    def fields(self) -> dict[str, Any]:
        """Decoded fields of the message. Raises ConfigError: they cannot be decoded."""
        with content_of(self.file):
            return decode(self.type, self.data)


@contextmanager
def content_of(file: Path) -> Iterator[None]:
    """Convert what a reader of the content of a sensor file raises. Raises UnreadableError, ConfigError."""
    try:
        yield
    except JounceError:
        raise
    except OSError as error:
        raise UnreadableError(file, "", error.strerror or str(error), "a readable file") from None
    except Exception as error:  # the library has no common class of errors
        reason = f" ({error})" if str(error) else ""
        raise ConfigError(file, "", f"broken content{reason}", "a readable MCAP file") from None


class SensorFile:
    """File of sensor data, also of another program: MCAP with ROS 2 messages. Use it as a context manager.

    Raises
    ------
    JounceError : the package mcap is not installed
    ConfigError : the file is missing, has no end, or is not MCAP
    """

    def __init__(self, file: Path) -> None:
        need_package(str(file))
        if not is_complete(file):
            raise ConfigError(
                file, "", "a file without an end", "a complete file; hint: 'jounce info FOLDER' repairs the file of a killed run"
            )
        from mcap.reader import make_reader

        self.file, self.size = file, file.stat().st_size
        self._stream: BinaryIO = open(file, "rb")  # noqa: SIM115 (closed by close)
        self._reader = make_reader(self._stream)
        summary = self._read_summary()
        counts = summary.statistics.channel_message_counts
        try:
            with content_of(file):
                self._types = {number: summary.schemas[one.schema_id].name for number, one in summary.channels.items()}
        except ConfigError:
            self._stream.close()
            raise
        self.topics = {
            one.topic: TopicInfo(one.topic, self._types[number], counts.get(number, 0), dict(one.metadata))
            for number, one in summary.channels.items()
        }
        """Topics by name."""
        self.definitions = {one.name: one.data.decode(errors="replace") for one in summary.schemas.values()}
        """Schema texts of the messages by the name of their type."""
        statistics = summary.statistics
        self.times = (NS * statistics.message_start_time, NS * statistics.message_end_time)
        """Simulated time of the first and the last delivery [s]."""
        self.messages_count: int = statistics.message_count

    def messages(self, topics: Collection[str] = (), first: float | None = None, last: float | None = None) -> Iterator[StoredMessage]:
        """Yield messages in the order of their delivery.

        Parameters
        ----------
        topics : default: all
        first, last : simulated time of delivery [s], both included; default: all

        Raises ConfigError: the file is broken.
        """
        begin = None if first is None else round(first / NS)
        end = None if last is None else round(last / NS)
        if begin is not None and end is not None and begin > end:
            return
        with content_of(self.file):
            for _, channel, message in self._reader.iter_messages(list(topics) or None, starting_at=begin, ending_at=end):
                kind = self._types[channel.id]
                yield StoredMessage(channel.topic, message.log_time, message.publish_time, kind, message.data, self.file)

    def summary(self) -> dict[str, dict[str, Any]]:
        """Return what the recorder counted at the end, by the name of the sensor; empty for the file of a killed run. Raises ConfigError."""
        with content_of(self.file):
            for one in self._reader.iter_metadata():
                if one.name == SUMMARY:
                    return {name: dict(json.loads(text)) for name, text in one.metadata.items()}
        return {}

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> SensorFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _read_summary(self) -> Any:
        try:
            with content_of(self.file):
                summary = self._reader.get_summary()
        except ConfigError:
            self._stream.close()
            raise
        if summary is None or summary.statistics is None:
            self._stream.close()
            raise ConfigError(self.file, "", "a file without an index", "an MCAP file with statistics")
        return summary
