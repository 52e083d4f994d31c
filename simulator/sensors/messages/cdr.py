"""Encoding of ROS 2 messages: CDR, little-endian, as in the files of rosbag2. A message is a mapping of its fields.

[OMG DDSI-RTPS 2.5, chapter 10] and [OMG CORBA 3.4, part 2, chapter 9.3]: four bytes for the encoding, then the fields in their order, each
primitive value at a multiple of its size after these bytes; a string has its length with the final zero, a sequence its number of items.

The package rosbags copies long arrays while it holds the lock of the interpreter: up to 10 ms for an image of 6 MB, which delays the ticks.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.sensors.messages.definitions import MessageField, fields

HEADER = b"\x00\x01\x00\x00"
"""CDR, little-endian, no options."""

Part = bytes | memoryview
LONG = 4096
"""Number of bytes from which an array is a part of its own."""

_DTYPES = {
    name: np.dtype(code)
    for name, code in {
        "bool": "?", "byte": "u1", "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "uint32": "<u4", "int64": "<i8",
        "uint64": "<u8", "float32": "<f4", "float64": "<f8",
    }.items()
}  # fmt: skip
_STRUCTS = {name: struct.Struct("<" + dtype.char.replace("l", "q").replace("L", "Q")) for name, dtype in _DTYPES.items()}


def encode(name: str, message: Mapping[str, Any]) -> bytes:
    """Return the bytes of a message by the name of its type. Raises as `encode_parts`."""
    return b"".join(encode_parts(name, message))


def encode_parts(name: str, message: Mapping[str, Any]) -> list[Part]:
    """Return the bytes of a message in parts; long arrays are not copied.

    Raises KeyError, ValueError, TypeError, struct.error: the message lacks a field or has a wrong value.
    """
    out = _Parts()
    _put(out, name, message)
    return out.end()


def decode(name: str, data: bytes | memoryview) -> dict[str, Any]:
    """Return the fields of a message; arrays of numbers are read-only and refer to `data`. Raises ValueError: it is truncated or not CDR."""
    if len(data) < len(HEADER) or bytes(data[:2]) != HEADER[:2]:  # the options only count the bytes after the end
        raise ValueError(f"{name}: not encoded as little-endian CDR")
    try:
        return _Reader(memoryview(data)[4:]).message(name)
    except struct.error as error:
        raise ValueError(f"{name}: truncated ({error})") from None


class _Parts:
    """Parts of a message: short values together, each long array as it is."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._short, self._length = bytearray(HEADER), 0

    def align(self, size: int) -> None:
        """Add zeros up to a multiple of a size."""
        self._short += bytes(-(self._length + len(self._short) - len(HEADER)) % size)

    def add(self, data: Part) -> None:
        """Add bytes."""
        if len(data) < LONG:
            self._short += data
            return
        self._parts += [bytes(self._short), data]
        self._length += len(self._short) + len(data)
        self._short = bytearray()

    def end(self) -> list[Part]:
        """Return all parts."""
        return [*self._parts, bytes(self._short)]


def _put(out: _Parts, name: str, message: Mapping[str, Any]) -> None:
    for field in fields(name):
        value = message[field.name]
        if field.length is None:
            _put_one(out, field.type, value)
        else:
            _put_array(out, field, value)


def _put_one(out: _Parts, kind: str, value: Any) -> None:
    if kind in _STRUCTS:
        out.align(_DTYPES[kind].itemsize)
        out.add(_STRUCTS[kind].pack(value))
    elif kind == "string":
        text = value.encode() + b"\0"
        _put_one(out, "uint32", len(text))
        out.add(text)
    else:
        _put(out, kind, value)


def _put_array(out: _Parts, field: MessageField, value: Any) -> None:
    if field.type in _DTYPES:
        dtype = _DTYPES[field.type]
        numbers = np.frombuffer(value, dtype) if isinstance(value, (bytes, memoryview)) else np.ascontiguousarray(value, dtype).reshape(-1)
    else:
        dtype, numbers = None, value
    if field.length and len(numbers) != field.length:
        raise ValueError(f"{field.name}: {len(numbers)} items; expected {field.length}")
    if not field.length:
        _put_one(out, "uint32", len(numbers))
    if dtype is None:
        for item in numbers:
            _put_one(out, field.type, item)
    elif len(numbers):
        out.align(dtype.itemsize)
        out.add(numbers.view(np.uint8).data)


class _Reader:
    def __init__(self, data: memoryview) -> None:
        self._data, self._at = data, 0

    def message(self, name: str) -> dict[str, Any]:
        return {field.name: self._one(field.type) if field.length is None else self._array(field) for field in fields(name)}

    def _one(self, kind: str) -> Any:
        if kind in _STRUCTS:
            self._align(_DTYPES[kind].itemsize)
            return _STRUCTS[kind].unpack(self._take(_DTYPES[kind].itemsize))[0]
        if kind == "string":
            return bytes(self._take(self._one("uint32"))[:-1]).decode()
        return self.message(kind)

    def _array(self, field: MessageField) -> Any:
        count = field.length or self._one("uint32")
        if field.type not in _DTYPES:
            return [self._one(field.type) for _ in range(count)]
        dtype = _DTYPES[field.type]
        if count:
            self._align(dtype.itemsize)
        return np.frombuffer(self._take(count * dtype.itemsize), dtype)

    def _align(self, size: int) -> None:
        self._at += -self._at % size

    def _take(self, count: int) -> memoryview:
        if self._at + count > len(self._data):
            raise struct.error(f"{len(self._data)} bytes; expected {self._at + count}")
        taken = self._data[self._at : self._at + count]
        self._at += count
        return taken
