"""Driver that holds the latest command of the peer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simulator.base.records import Record, record
from simulator.driver.command_ranges import RANGES
from simulator.port.messages import COMMAND_BODY, RefusedMessageError
from vehicles.command import COMMAND

_PARTS = tuple((row[0], *RANGES[row[0]], len(row) > 4 and row[4] == "i8") for row in COMMAND)


def numbers_of(body: bytes, sequence: int) -> Sequence[float]:
    """Return the numbers of a command. Raises RefusedMessageError: a number is out of range, not finite, or has to be an integer."""
    numbers = COMMAND_BODY.unpack(body)
    for (name, low, high, whole), number in zip(_PARTS, numbers, strict=True):
        if not low <= number <= high or (whole and not number.is_integer()):
            got = f"{number:g}" if math.isfinite(number) else "a number that is not finite"
            noun = "an integer" if whole else "a number"
            raise RefusedMessageError(f"command: {name}: expected {noun} from {low:g} to {high:g}; got {got}", sequence)
    return numbers


class PortDriver:
    """Driver of a session that a peer drives. Before the first command, the command of the start holds."""

    label = "port"
    """Name of the driver in messages."""

    def __init__(self) -> None:
        self._last_command: Record = record(COMMAND)
        self._has_command = False

    def hold(self, numbers: Sequence[float]) -> None:
        """Hold a command from the next call of the driver on."""
        for (name, *_), number in zip(_PARTS, numbers, strict=True):
            self._last_command[0][name] = number
        self._has_command = True

    def begin(self) -> None:
        """Forget the command at a restart."""
        self._has_command = False

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record."""
        if self._has_command:
            command[:] = self._last_command
