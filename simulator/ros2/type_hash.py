"""Type hashes of ROS 2 messages (RIHS01), which endpoints announce since ROS 2 Iron.

[REP 2016]: the SHA-256 of a description of the fields in JSON, with the descriptions of all messages in them, sorted by name. Constants do not
count.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

from simulator.sensors.messages.definitions import MessageField, fields

_IDS = {
    "int8": 2, "uint8": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9, "float32": 10, "float64": 11,
    "bool": 15, "byte": 16, "string": 17,
}  # fmt: skip
_NESTED, _ARRAY, _SEQUENCE = 1, 48, 144


@cache
def type_hash(name: str) -> str:
    """Return the hash of a message by its name, for example "sensor_msgs/msg/Image"."""
    found: dict[str, dict[str, Any]] = {}
    _describe(name, found)
    whole = {"type_description": found.pop(name), "referenced_type_descriptions": [found[one] for one in sorted(found)]}
    return "RIHS01_" + hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def _describe(name: str, found: dict[str, dict[str, Any]]) -> None:
    found[name] = {"type_name": name, "fields": [{"name": one.name, "type": _type(one)} for one in fields(name)]}
    for one in fields(name):
        if one.type not in _IDS and (inner := _full(one.type)) not in found:
            _describe(inner, found)


def _type(field: MessageField) -> dict[str, Any]:
    kind = _IDS.get(field.type, _NESTED) + (0 if field.length is None else _ARRAY if field.length else _SEQUENCE)
    return {
        "type_id": kind,
        "capacity": field.length or 0,
        "string_capacity": 0,
        "nested_type_name": "" if field.type in _IDS else _full(field.type),
    }


def _full(name: str) -> str:
    """Return the name of a message with "/msg/"."""
    return name if "/msg/" in name else name.replace("/", "/msg/")
