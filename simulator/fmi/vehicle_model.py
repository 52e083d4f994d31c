"""Model of the FMU of a vehicle: a session whose commands are the inputs and whose channels are the outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from simulator.api.command_drivers import HeldCommand
from simulator.base.errors import ConfigError, JounceError
from simulator.builder.builder import build
from simulator.builder.warm_up import compile_for_session
from simulator.driver.command_ranges import RANGES
from simulator.fmi.content import configuration_of
from simulator.fmi.variables import INPUT, INTEGER, OUTPUT, PARAMETER, REAL, Variable
from simulator.port.schema import StateSchema
from simulator.session import DRIVER_PERIOD, Session
from vehicles.command import COMMAND

COMMANDS = "command_"
"""Prefix of the inputs: they have the names of the log."""
FAR = 1e6
"""m. Range of a start position."""
FASTEST = 150.0
"""m/s. Largest start speed."""


class VehicleModel:
    """Session of one vehicle. The inputs act from the begin of a communication step; a step of more than 10 ms calls the parts of the
    session, such as assistance, every 10 ms.

    Parameters
    ----------
    content : "configuration", "channels", "speed"
    folder : folder of the files of the configuration

    Raises JounceError: the configuration cannot be used.
    """

    def __init__(self, content: dict[str, Any], folder: Path) -> None:
        configuration = configuration_of(content, folder)
        compile_for_session(configuration, lambda line: None)
        self._parts = build(configuration)
        self.step = self._parts.step
        self._held = HeldCommand()
        self._every = max(1, round(DRIVER_PERIOD / self.step))
        self._session = self._parts.session(self._held)
        try:
            self._state = StateSchema(self._session, content["channels"])
        except ConfigError as error:
            raise error.moved_to("--channels", "") from None
        self._shown = [number for number, one in enumerate(self._state.columns) if not one.name.startswith(COMMANDS)]
        x, y, yaw = self._parts.ground.spawn
        self.variables: Sequence[Variable] = (
            *(_input(row, self._held.values[row[0]]) for row in COMMAND),
            Variable("start_x", PARAMETER, "m", "x of the start in W", x, -FAR, FAR),
            Variable("start_y", PARAMETER, "m", "y of the start in W", y, -FAR, FAR),
            Variable("start_yaw", PARAMETER, "rad", "heading at the start, + = left", yaw, -math.tau, math.tau),
            Variable("start_speed", PARAMETER, "m/s", "speed at the start", content["speed"], 0.0, FASTEST),
            *(
                Variable(one.name, OUTPUT, one.unit, _meaning(one.meaning, one.frame), kind=INTEGER if one.kind.kind == "i" else REAL)
                for one in (self._state.columns[number] for number in self._shown)
            ),
        )

    def begin(self, values: dict[str, float]) -> None:
        """Put the vehicle at the start. Raises JounceError: it cannot stand there."""
        session: Session = self._session
        start = (values["start_x"], values["start_y"], values["start_yaw"])
        if start != self._parts.ground.spawn:
            try:
                self._parts.check_place(session, *start)
            except ConfigError as error:
                raise error.moved_to("start_x, start_y, start_yaw", "") from None
            session.ground = replace(self._parts.ground, spawn=start)
        session.start_speed = values["start_speed"]
        session.reset()
        session.warm()

    def advance(self, inputs: dict[str, float], ticks: int) -> None:
        """Drive a number of ticks with a command. Raises JounceError: the state of the vehicle became invalid, or the session has ended."""
        session = self._session
        self._held.values = {name.removeprefix(COMMANDS): value for name, value in inputs.items()}
        session.call_driver_every(math.gcd(ticks, self._every, session.tick))
        before, failed, end = session.recovery.latest, len(session.output.failures), session.tick + ticks
        session.run(ticks * session.h)
        if len(session.output.failures) > failed:
            raise session.output.failures[failed]
        if session.recovery.latest is not None and session.recovery.latest is not before:
            raise JounceError(session.recovery.latest.message)
        if session.tick < end:
            raise JounceError(f"the session has ended at {session.time:g} s")

    def outputs(self) -> Sequence[float]:
        """Return the channels."""
        values: list[float] = np.frombuffer(self._state.values())[self._shown].tolist()
        return values

    def close(self) -> None:
        """Close the session."""
        self._session.close()


def _input(row: Any, start: float) -> Variable:
    """Return the input of a part of the command."""
    name, _, unit, meaning, *of = row
    return Variable(COMMANDS + name, INPUT, unit, meaning, start, *RANGES[name], kind=INTEGER if of and of[0] == "i8" else REAL)


def _meaning(meaning: str, frame: str) -> str:
    return f"{meaning} [frame {frame}]" if frame else meaning
