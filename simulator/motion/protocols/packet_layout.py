"""A packet of another program as a table of offsets: the table is what is packed, what the documentation shows and what `Protocol.layout` says.

A row is (offset in bytes, type, count, name, unit, meaning). What no row covers is zero. Types: u8, u16, u32, i32, f32, and text, whose count is
its length in bytes.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from simulator.base.errors import StreamError

PacketRow = tuple[int, str, int, str, str, str]
PacketRows = tuple[PacketRow, ...]

CODES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "text": "s"}
"""Letters of `struct` by type."""


class PacketTable:
    """Packs values by name.

    Parameters
    ----------
    what : the packet in words, for messages
    size : of the packet [bytes]
    rows : of the table, by rising offset
    order : "<" little-endian, ">" big-endian

    Raises ValueError when rows overlap or leave the packet.
    """

    def __init__(self, what: str, size: int, rows: PacketRows, order: str = "<") -> None:
        self.what, self.size, self.rows = what, size, rows
        self.layout = order
        """Format of `struct`."""
        end = 0
        for offset, kind, count, name, _, _ in rows:
            if offset < end:
                raise ValueError(f"{what}: {name} begins at {offset}, before the end of what is in front of it, {end}")
            self.layout += f"{offset - end}x{count}{CODES[kind]}"
            end = offset + struct.calcsize(f"{order}{count}{CODES[kind]}")
        if end > size:
            raise ValueError(f"{what}: its rows end at {end}, expected {size} at most")
        self.layout += f"{size - end}x"
        self._struct = struct.Struct(self.layout)
        self._names = {row[3] for row in rows}

    def pack(self, **values: Any) -> bytes:
        """The bytes of a packet with values by the names of the rows: a number, as many numbers as the row counts, or bytes for text.

        Raises
        ------
        StreamError : a number is not finite or does not fit
        KeyError : no row has such a name
        """
        if unknown := values.keys() - self._names:
            raise KeyError(f"{self.what}: no row {', '.join(sorted(unknown))}")
        flat: list[Any] = []
        for _, kind, count, name, _, _ in self.rows:
            value = values.get(name, b"" if kind == "text" else 0)
            if kind == "text" or (count == 1 and name in values):
                flat.append(value)
            else:
                flat.extend(value if name in values else [0] * count)
        if not all(math.isfinite(one) for one in flat if not isinstance(one, bytes)):
            raise StreamError(f"{self.what}: a number is not finite")
        try:
            return self._struct.pack(*flat)
        except (OverflowError, struct.error):
            raise StreamError(f"{self.what}: a number does not fit") from None
