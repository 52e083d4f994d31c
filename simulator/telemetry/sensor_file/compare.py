"""Comparison of the files of sensor data of two equal runs, bit by bit.

Messages are matched by topic and time of the measurement: in real time, a measurement may have been delivered late, skipped, or dropped by the
recorder. A topic with images of different graphics drivers is not a failure, but is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from simulator.telemetry.sensor_file.inventory import SensorFileInfo, inspect_files
from simulator.telemetry.sensor_file.names import numbered
from simulator.telemetry.sensor_file.reader import SensorFile, TopicInfo

RENDERER = "renderer"
"""Key of the metadata of a topic with images of a graphics driver, see `simulator.sensors.messages.topic.Topic`."""


class SensorComparison(NamedTuple):
    """Result of a comparison."""

    messages: int
    """Number of compared messages."""
    topics: int
    """Number of compared topics."""
    differ: list[str]
    """One line for each topic that differs."""
    notes: list[str]
    """One line for each topic or file that cannot be compared."""

    def to_json(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return self._asdict()


class _Content(NamedTuple):
    topics: Mapping[str, TopicInfo]
    digests: dict[str, dict[int, bytes]]
    """Digest of each message by topic and time of the measurement [ns]."""
    delivered: dict[str, dict[int, int]]
    """Time of the delivery of each message [ns]."""
    gaps: bool
    """Whether messages may be missing: some were skipped or dropped, or the run was killed."""

    @property
    def end(self) -> int:
        """Time of the last delivery [ns]."""
        return max((max(times.values()) for times in self.delivered.values()), default=0)


def compare_files(first_log: Path, second_log: Path) -> SensorComparison | None:
    """Compare the sensor data of two logs, the first that of the recorded run; None if neither has any."""
    first, second = inspect_files(first_log), inspect_files(second_log)
    if not first and not second:
        return None
    messages = topics = 0
    differ: list[str] = []
    notes: list[str] = []
    for n, (one, other) in enumerate(zip_longest(first, second), 1):
        if one is None or other is None or one.trouble or other.trouble:
            notes.append(_not_compared(numbered(Path(), n).name, one, other))
            continue
        count, topic_count = _compare(_content(one.file), _content(other.file), differ, notes)
        messages, topics = messages + count, topics + topic_count
    return SensorComparison(messages, topics, differ, notes)


def _not_compared(key: str, one: SensorFileInfo | None, other: SensorFileInfo | None) -> str:
    for info, name in ((one, "recorded run"), (other, "rerun")):
        if info is None:
            return f"{key}: not compared; the {name} has none"
        if info.trouble:
            return f"{key}: not compared; {info.trouble}"
    return key


def _content(file: Path) -> _Content:
    digests: dict[str, dict[int, bytes]] = {}
    delivered: dict[str, dict[int, int]] = {}
    with SensorFile(file) as opened:
        for one in opened.messages():
            digests.setdefault(one.topic, {})[one.publish_time] = blake2b(one.data, digest_size=16).digest()
            delivered.setdefault(one.topic, {})[one.publish_time] = one.log_time
        counts = opened.summary()
        gaps = not counts or any(one[key] for one in counts.values() for key in ("skipped", "dropped"))
        return _Content(opened.topics, digests, delivered, gaps)


def _compare(first: _Content, second: _Content, differ: list[str], notes: list[str]) -> tuple[int, int]:
    """Compare two files; return the numbers of compared messages and topics."""
    messages = topics = 0
    end = second.end  # the log of a killed run, which a rerun repeats, may end before its sensor file
    for name in dict.fromkeys((*first.topics, *second.topics)):
        if name not in first.topics or name not in second.topics:
            differ.append(f"{name}: only in the {'recorded run' if name in first.topics else 'rerun'}")
            continue
        one, other = first.digests.get(name, {}), second.digests.get(name, {})
        common = one.keys() & other.keys()
        unequal = sum(one[time] != other[time] for time in common)
        missing = sum(first.delivered[name][time] <= end for time in one.keys() - other.keys()) + (
            0 if first.gaps else len(other.keys() - one.keys())
        )
        messages, topics = messages + len(common), topics + 1
        if not unequal and not missing:
            continue
        renderers = [content.topics[name].metadata.get(RENDERER, "") for content in (first, second)]
        words = [f"{unequal} of {len(common)} messages differ"] * bool(unequal) + [f"{missing} are in one run only"] * bool(missing)
        if renderers[0] != renderers[1]:
            notes.append(f"{name}: {' and '.join(words)}; images of {renderers[0] or 'no renderer'} and {renderers[1] or 'no renderer'}")
        else:
            differ.append(f"{name}: {' and '.join(words)}")
    return messages, topics
