"""Packet of another program as a table of offsets: the table defines the packing, the documentation and `ProtocolKind.layout`.

A row is (offset in bytes, type, count, name, unit, meaning). Bytes without a row are zero. Types: u8, u16, u32, i32, f32, and text, whose
count is its length in bytes.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from simulator.base.errors import StreamError

PacketRow = tuple[int, str, int, str, str, str]
PacketRows = tuple[PacketRow, ...]

CODES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "text": "s"}
"""Type codes of `struct`."""


class PacketTable:
    """Packer of values by name.

    Parameters
    ----------
    what : name of the packet, for messages
    size : size of the packet [bytes]
    rows : rows of the table, by increasing offset
    order : "<" little-endian, ">" big-endian

    Raises ValueError if rows overlap or exceed the packet.
    """

    def __init__(self, what: str, size: int, rows: PacketRows, order: str = "<") -> None:
        self.what, self.size, self.rows = what, size, rows
        self.layout = order
        """`struct` format."""
        end = 0
        for offset, kind, count, name, _, _ in rows:
            if offset < end:
                raise ValueError(f"{what}: {name} begins at {offset}, before the end of the previous row at {end}")
            self.layout += f"{offset - end}x{count}{CODES[kind]}"
            end = offset + struct.calcsize(f"{order}{count}{CODES[kind]}")
        if end > size:
            raise ValueError(f"{what}: its rows end at {end}; expected at most {size}")
        self.layout += f"{size - end}x"
        self._struct = struct.Struct(self.layout)
        self._names = {row[3] for row in rows}

    def pack(self, **values: Any) -> bytes:
        """Return the bytes of a packet from values by row name: a number, as many numbers as the row counts, or bytes for text.

        Raises
        ------
        StreamError : a number is not finite or out of range
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
            raise StreamError(f"{self.what}: a number is out of range") from None
