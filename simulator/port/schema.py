"""Schema of the port: names, units and order of the channels of a state and of the parts of a command.

The text has one entry a line, with tabs between its columns, so that a program in C reads it without a library::

    jounce port   1
    info          step_s       0.001
    state         0            p_WB_x      m    W    position of the chassis reference point in the world
    command       0            steering    1         steering input in [-1, 1], + = left, full lock at 1

The columns of `state` and `command` are index, name, unit, frame and meaning. Every value is an f64.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from simulator.base.errors import ConfigError
from simulator.outlets.telemetry import LoggedRecords
from simulator.port.messages import VERSION
from simulator.telemetry.channels import Channel, Channels, Rows
from vehicles.command import COMMAND

if TYPE_CHECKING:
    from simulator.session import Session

DEFAULT_STATE = (
    *("p_WB", "q_WB", "roll", "pitch", "yaw", "v_WB_B", "w_WB_B", "a_WB_B", "f_H_B", "wheel_spin", "road_wheel_angle"),
    *("engine_speed", "gear", "steering_wheel_angle", "steering", "throttle", "brake", "resets", "incident"),
)
"""Channels of a state, unless others are chosen."""


class StateSchema:
    """Channels of a state, and their present values.

    Parameters
    ----------
    session : session whose readout is up to date when values are read
    patterns : columns of the log: names, fields, patterns, see `simulator.telemetry.channels.chosen`

    Attributes
    ----------
    columns : the channels in their order
    hash : 64-bit number that changes with name, unit or order of a channel or a part of the command

    Raises
    ------
    ConfigError : no column matches one of `patterns`
    """

    def __init__(self, session: Session, patterns: Collection[str] = DEFAULT_STATE) -> None:
        self._session, self._logged = session, LoggedRecords.of(session)
        try:
            channels = Channels((*self._logged.vehicle, *self._logged.session), patterns=patterns)
        except ConfigError as error:
            raise error.moved_to("--state", "") from None
        self.columns: list[Channel] = channels.columns
        self._row = np.zeros((1, channels.row_bytes), np.uint8)
        self._rows = Rows(channels, self._row)
        self._numbers = np.zeros(len(self.columns), "<f8")
        self._reads = [(kind, *_places(self.columns, kind)) for kind in dict.fromkeys(one.kind for one in self.columns)]
        self.hash = _hash(self.columns)

    def values(self) -> bytes:
        """Return the present values, an f64 each."""
        self._logged.look(self._session)
        self._rows.put(0)
        for kind, places, numbers in self._reads:
            self._numbers[numbers] = self._row[0].take(places).view(kind)
        return self._numbers.tobytes()

    def text(self, info: Mapping[str, object]) -> str:
        """Return the schema with further entries `info`."""
        state = ((n, one.name, one.unit, one.frame, one.meaning) for n, one in enumerate(self.columns))
        command = ((n, row[0], row[2], "", row[3]) for n, row in enumerate(COMMAND))
        rows = (
            ("jounce port", VERSION),
            *(("info", *entry) for entry in info.items()),
            *(("state", *row) for row in state),
            *(("command", *row) for row in command),
        )
        return "".join("\t".join(" ".join(str(part).split()) for part in row) + "\n" for row in rows)


def _hash(columns: Collection[Channel]) -> int:
    """Return the hash of the schema: the first 8 bytes, little-endian, of the SHA-256 of kind, name and unit of each number."""
    parts = [("state", one.name, one.unit) for one in columns] + [("command", row[0], row[2]) for row in COMMAND]
    text = "".join("\t".join(part) + "\n" for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def _places(columns: Collection[Channel], kind: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of the columns of a type in a row, and the positions of the columns in the state."""
    numbered = [(n, one.offset) for n, one in enumerate(columns) if one.kind == kind]
    places = np.concatenate([np.arange(offset, offset + kind.itemsize) for _, offset in numbered])
    return places, np.array([n for n, _ in numbered])
