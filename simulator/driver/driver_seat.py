"""The driver of a session, and the other drivers who may take over during a drive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from simulator.base.errors import ConfigError
from simulator.base.records import Record, Table, record
from simulator.driver.contract import Driver, HasKernels, SensingDriver, reads_sensors
from simulator.driver.hand_over import HandOver
from simulator.driver.make_driver import PERSON
from simulator.driver.path import Spawn
from simulator.driver.seen_vehicle import SeenVehicle, SeesVehicles
from simulator.sensors.measurement import Measurement
from terrain.objects.object_set import ObjectSet
from vehicles.command import COMMAND


@runtime_checkable
class Logged(Protocol):
    """Driver that logs more than the command, for example the phase of the maneuver."""

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of each logged record."""


@runtime_checkable
class Ending(Protocol):
    """Driver that ends by itself, for example at the end of a maneuver."""

    ended: str
    """Reason of the end; empty while the driver runs."""


@runtime_checkable
class Closing(Protocol):
    """Driver with threads of its own."""

    def close(self) -> None:
        """End the threads."""


@runtime_checkable
class Resuming(Protocol):
    """Driver that continues after another one has driven; any other automatic driver is created anew then, at the present position."""

    def resume(self, t: float, readout: Record, command: Record) -> None:
        """Drive again from time t [s] on, with the present READOUT and the last COMMAND."""


@dataclass(frozen=True)
class DriverChoice:
    """A driver that may drive during a session."""

    name: str
    make: Callable[[Spawn | None], Driver | SensingDriver]
    """Returns the driver, for a vehicle at a pose during the drive, or for the begin of the drive (None)."""
    blends: bool = True
    """False for recorded commands, which already contain the transition from the driver before."""


class DriverSeat:
    """Calls the driver of a session, and lets another one take over.

    Parameters
    ----------
    driver : first driver
    command : COMMAND of the session

    Attributes
    ----------
    name : name of the present driver; empty if the session has one driver without a name
    offered : name of the driver who has been asked to take over, and has not yet; empty: none
    """

    def __init__(self, driver: Driver | SensingDriver, command: Record) -> None:
        self.name = self.offered = ""
        self._command = command
        self._choices: dict[str, DriverChoice] = {}
        self._resting: dict[str, Driver | SensingDriver] = {}
        self._shown: dict[str, list[tuple[str, Table, Record]]] = {}
        self._number: tuple[str, Table, Record] | None = None
        self._began = 0.0
        self._own: Record | None = None
        self._hand_over: HandOver | None = None
        self._take(driver)

    @property
    def label(self) -> str:
        """Name of the driver in messages."""
        return getattr(self.driver, "label", type(self.driver).__name__)

    @property
    def reports(self) -> Sequence[str]:
        """Lines of the present driver for the user, the first one first."""
        return getattr(self.driver, "reports", ())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the drivers who may drive, the first one first."""
        return tuple(self._choices)

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of the records of all drivers."""
        number = [] if self._number is None else [self._number]
        rows = [row for rows in self._shown.values() for row in rows] if self._choices else _logged_of(self.driver)
        return [*number, *rows]

    def offer_choices(self, choices: Sequence[DriverChoice]) -> None:
        """Let drivers take over during the drive; the present driver is of the first choice. Their columns are in the log. Raises JounceError."""
        self._choices = {one.name: one for one in choices}
        first = self.name = choices[0].name
        self._shown = {first: [(prefix, table, shown.copy()) for prefix, table, shown in _logged_of(self.driver)]}
        for one in choices:
            if one.name != first:
                driver = one.make(None)
                taken = [row[:2] for rows in self._shown.values() for row in rows]
                self._shown[one.name] = [row for row in _logged_of(driver) if row[:2] not in taken]
                self._put_aside(one.name, driver)
        if len(choices) > 1:
            words = ", ".join(f"{n} = {name}" for n, name in enumerate(self._choices))
            table = (("driver", (), "1", f"who drives: {words}", "i8"),)
            self._number = "", table, record(table)
        self._take(self.driver)

    def read(
        self,
        t: float,
        readout: Record,
        measured: Callable[[], Mapping[str, Measurement]],
        objects: ObjectSet,
        collisions: Sequence[Any],
        vehicles: Callable[[], Sequence[SeenVehicle]],
    ) -> None:
        """Let the driver fill the command of the session at simulated time t [s]."""
        if self._sees_vehicles is not None:
            self._sees_vehicles(vehicles())
        if self._sees is not None:
            self._sees(objects, collisions)
        command = self._command if self._own is None else self._own
        arguments = (measured(),) if self._senses else ()
        self.driver.read(t - self._began, readout, command, *arguments)  # type: ignore[call-arg]
        if self._own is not None:
            self._command[:] = self._own
        if self._hand_over is not None:
            self._hand_over.apply(t, readout, self._command)
            if self._hand_over.over(t):
                self._hand_over = None
        self._show()

    def load_kernels(self, readout: Record) -> None:
        """Load the kernels of the present driver in advance, if it has any."""
        if isinstance(self.driver, HasKernels):
            self.driver.load_kernels(readout, self._command)

    def restart(self) -> None:
        """Begin the drive from its start, with the present driver. Raises JounceError: a driver cannot be created."""
        self.begin()
        for name, driver in self._resting.items():
            self._close(driver)
            self._resting[name] = self._choices[name].make(None)
        if self.name:
            self._close(self.driver)
            self._take(self._choices[self.name].make(None))

    def begin(self) -> None:
        """Forget the transition from the last driver, at the begin of a drive."""
        self._own = self._hand_over = None
        self._began, self.offered = 0.0, ""

    @property
    def other(self) -> str:
        """Name of the driver to whom a key hands over: the person, or from the person the first other one. Raises ConfigError: there is none."""
        others = [name for name in self._choices if name != self.name]
        return PERSON if PERSON in others else others[0] if others else self.find("")

    def find(self, name: str) -> str:
        """Return a name of one of the drivers. Raises ConfigError: there is none."""
        if name not in self._choices:
            raise ConfigError("event", "driver", name, f"a driver of this drive: {', '.join(self.names) or 'there is only one'}")
        return name

    def hand_over(self, name: str, t: float, readout: Record) -> None:
        """Let a driver take over at time t [s]. Raises ConfigError: there is no such driver; JounceError: it cannot be created."""
        choice = self._choices[self.find(name)]
        self.offered = ""
        if name == self.name:
            return
        driver = self._resting.pop(name, None)
        began = 0.0
        if driver is None:
            now = readout[0]
            driver = choice.make(Spawn(float(now["p_WB"][0]), float(now["p_WB"][1]), float(now["yaw"])))
            began = t if choice.blends else 0.0
        elif isinstance(driver, Resuming):
            driver.resume(t, readout, self._command)
        self._put_aside(self.name, self.driver)
        self.name, self._began = name, began
        self._own = _continued(self._command) if choice.blends else None
        self._hand_over = HandOver(self._command, readout) if choice.blends else None
        self._take(driver)

    def close(self) -> None:
        """Close all drivers."""
        for driver in (self.driver, *self._resting.values()):
            self._close(driver)

    def _put_aside(self, name: str, driver: Driver | SensingDriver) -> None:
        """Keep a driver that can resume, and close any other one."""
        if isinstance(driver, Resuming):
            self._resting[name] = driver
        else:
            self._close(driver)

    @staticmethod
    def _close(driver: Driver | SensingDriver) -> None:
        if isinstance(driver, Closing):
            driver.close()

    def _take(self, driver: Driver | SensingDriver) -> None:
        """Let a driver drive from now on; the log reads the records of the first driver with the same columns."""
        self.driver = driver
        self._senses, self._sees = reads_sensors(driver), getattr(driver, "see", None)
        self._sees_vehicles = driver.see_vehicles if isinstance(driver, SeesVehicles) else None
        shown = [row for rows in self._shown.values() for row in rows]
        self._copied = [
            (one, own)
            for prefix, table, own in _logged_of(driver)
            for other, of, one in shown
            if (prefix, table) == (other, of) and one is not own
        ]
        if self._number is not None:
            self._number[2][0]["driver"] = self.names.index(self.name)
        self._show()

    def _show(self) -> None:
        for shown, own in self._copied:
            shown[:] = own


def _logged_of(driver: object) -> list[tuple[str, Table, Record]]:
    return driver.logged if isinstance(driver, Logged) else []


def _continued(command: Record) -> Record:
    """Return the command that a new driver fills: of the present one, only what a driver may leave as it is."""
    out = record(COMMAND)
    for name in ("steering", "selector", "gear", "low_range", "center_lock"):
        out[0][name] = command[0][name]
    return out
