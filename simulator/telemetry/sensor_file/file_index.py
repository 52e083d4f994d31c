"""Index at the end of an MCAP file: schemas, channels, chunks and counts [MCAP specification, summary section]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcap.records import Channel, ChunkIndex, McapRecord, Schema

MAGIC = b"\x89MCAP0\r\n"
"""First and last bytes of a file."""


class FileIndex:
    """Index of a file, filled while its records are written or read.

    Attributes
    ----------
    schemas, channels : records by number
    counts : number of messages by channel
    chunks : index of each chunk
    """

    def __init__(self) -> None:
        self.schemas: dict[int, Schema] = {}
        self.channels: dict[int, Channel] = {}
        self.counts: dict[int, int] = {}
        self.chunks: list[ChunkIndex] = []
        self._metadata: list[McapRecord] = []

    @property
    def messages(self) -> int:
        """Number of messages."""
        return sum(self.counts.values())

    def count(self, channel: int, number: int) -> None:
        """Add a number of messages of a channel."""
        self.counts[channel] = self.counts.get(channel, 0) + number

    def add_metadata(self, name: str, start: int, length: int) -> None:
        """Add a record of metadata by its place in the file."""
        from mcap.records import MetadataIndex

        self._metadata.append(MetadataIndex(offset=start, length=length, name=name))

    def end(self, start: int) -> bytes:
        """Return the bytes from the last record to the end of a file, which begin at `start`."""
        from mcap.records import DataEnd, Footer

        head = bytes_of([DataEnd(0)])
        records = [*self.schemas.values(), *self.channels.values(), self._statistics(), *self.chunks, *self._metadata]
        footer = Footer(summary_start=start + len(head), summary_offset_start=0, summary_crc=0)
        return head + bytes_of([*records, footer]) + MAGIC

    def _statistics(self) -> McapRecord:
        from mcap.records import Statistics

        return Statistics(
            attachment_count=0,
            channel_count=len(self.channels),
            channel_message_counts=self.counts,
            chunk_count=len(self.chunks),
            message_count=self.messages,
            metadata_count=len(self._metadata),
            message_start_time=min((chunk.message_start_time for chunk in self.chunks), default=0),
            message_end_time=max((chunk.message_end_time for chunk in self.chunks), default=0),
            schema_count=len(self.schemas),
        )


def bytes_of(records: Iterable[McapRecord]) -> bytes:
    """Return the bytes of records."""
    from mcap.data_stream import RecordBuilder

    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    return builder.end()
