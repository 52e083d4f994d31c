"""Contract of sensors: a sensor is mounted on the chassis and measures at its own rate.

A kind defines the table of its parameters, the table of its scalar output, whose fields become log columns, the list of its array outputs, and
`make`. Every sensor also has these keys, which a kind does not define:

    type, name   name of the kind, and name of the sensor (default: type), which is the prefix of its log columns
    rate         Hz, divides the ticks per second
    latency      s, time from the measurement to its delivery
    mount        `position` (3,) [m] from the chassis reference point, in B, and `roll_deg`, `pitch_deg`, `yaw_deg` of the sensor axes S
    record       whether the measurements are in the file of sensor data (`simulator.telemetry.sensor_file`)

A measurement has the time of which it is. It is *delivered* `latency` later: then it is in the log, and drivers, outlets and subscribers see it.
Outside real time, delivery is exact, also for plugins. In real time, a plugin sensor and a sensor `in_thread` compute in a thread of
their own; a result that comes after its delivery time is late and counted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from simulator.base.fields import Fields
from simulator.base.records import Record, Table
from simulator.sensors.messages.topic import Recording
from simulator.sensors.pose_history import PoseHistory
from simulator.sensors.rendering import ImageRenderer
from simulator.sensors.sensor_world import SensorWorld
from simulator.weather import CLEAR, Weather
from terrain.ground import Ground
from vehicles.description import Description

CONTRACT = 2
"""Version of this contract."""


class SensorInput:
    """Input of a sensor.

    Attributes
    ----------
    time : simulated time of the measurement [s]
    readout : READOUT of the vehicle (`vehicles.readout`): motion after the last tick, accelerations of that tick
    seed : seed of this measurement, from the seed of the session, the name of the sensor and the tick
    """

    def __init__(
        self,
        time: float,
        readout: Record,
        history: Callable[[], PoseHistory] | None = None,
        world: Callable[[], SensorWorld] | None = None,
        seed: tuple[int, ...] = (0,),
    ) -> None:
        self.time, self.readout, self.seed = time, readout, seed
        self._history, self._world = history, world
        self._poses: PoseHistory | None = None
        self._around: SensorWorld | None = None
        self._released = threading.Event()

    @property
    def history(self) -> PoseHistory:
        """Poses of the vehicle at tick rate, from the previous measurement to this one, both included."""
        if self._poses is None:
            self._poses = PoseHistory.of_readout(self.time, self.readout) if self._history is None else self._history()
        return self._poses

    @property
    def world(self) -> SensorWorld:
        """Ground, objects and weather at the time of the measurement. Raises RuntimeError: there is no world (a check of a kind)."""
        if self._around is None:
            if self._world is None:
                raise RuntimeError("this input has no world")
            self._around = self._world()
        return self._around

    @property
    def random(self) -> np.random.Generator:
        """New generator of random numbers for this measurement: the same ones whether measurements before it were skipped or not."""
        return np.random.default_rng(self.seed)

    def release(self) -> None:
        """Let the ticks go on: `step` does not read the world any more. Otherwise, a run on soil in which wheels leave ruts waits until it returns."""
        self._released.set()

    def wait_for_release(self, seconds: float) -> None:
        """Wait until the input was released, at most `seconds` of wall time."""
        self._released.wait(seconds)

    def for_thread(self) -> SensorInput:
        """Return a copy that does not change with the session, except for the ruts until `release`."""
        history, world = self.history, self.world.frozen()
        return SensorInput(self.time, self.readout.copy(), lambda: history, lambda: world, self.seed)


class Sensor(Protocol):
    """Sensor, as returned by `make`.

    It may have a method `deliver(measurement)`, which is called with each `simulator.sensors.measurement.Measurement` at its delivery, in the
    thread of the ticks, and must return at once; a method `close()`, which is called once at the end; and an attribute `mount`, if its place is not
    that of the settings.
    """

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, NDArray[Any]] | None:
        """Measure: fill the record `out` of the kind's output, which holds the previous measurement, and return the arrays by name.

        Scalars may be NaN where nothing was measured. The arrays are new at each call: they become read-only and belong to the receivers.
        """


@dataclass(frozen=True)
class Mount:
    """Position and orientation of a sensor."""

    p_BS: NDArray[np.float64]
    """(3,) position relative to the chassis reference point, in B [m]."""
    R_BS: NDArray[np.float64]
    """(3, 3) x_B = R_BS x_S."""


class ArrayOutput(NamedTuple):
    """One array of a measurement."""

    name: str
    dtype: DTypeLike
    """May be structured, for example the fields of a point."""
    dimensions: tuple[str, ...]
    """Names of the axes of the array, for example ("columns", "rings")."""
    unit: str
    frame: str
    """Axes in which the values are written, or ""."""
    meaning: str


@dataclass(frozen=True)
class SensorSettings:
    """Inputs for creating a sensor."""

    parameters: Record
    """Parameters, of the table of the kind."""
    mount: Mount
    period: float
    """Time between two measurements [s]."""
    random: np.random.Generator
    """Random numbers of this sensor; they depend only on the seed of the session and the sensor's name. A sensor that may skip measurements
    in real time takes those of its inputs (`SensorInput.random`)."""
    ground: Ground
    """Ground, for sensors that measure it; must not be changed."""
    name: str = ""
    """Name of the sensor."""
    step: float = 1e-3
    """Length of a tick [s]."""
    latency: float = 0.0
    """Time from a measurement to its delivery [s]."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Parameters by key, in SI units. A key that has no default and is not in the file is missing."""
    vehicle: Description | None = None
    """Description of the vehicle; None in a check of a kind."""
    weather: Weather = CLEAR
    renderer: ImageRenderer | None = None
    """Rendered images of the session; None in a check of a kind."""
    record: bool = True
    """Whether the user wants the measurements in the file of sensor data."""
    seed: tuple[int, ...] = (0,)
    """Seed of `random`."""
    body: Record | None = None
    """Parts of the body and wheels of the vehicle, record of `vehicles.contact.records.OBJECT_CONTACT`; None in a check of a kind."""

    @property
    def corners(self) -> tuple[str, ...]:
        """Names of the wheels: FL, FR and so on; of four wheels in a check of a kind."""
        return ("FL", "FR", "RL", "RR") if self.vehicle is None else self.vehicle.mechanism.axles.corners


@dataclass(frozen=True)
class SensorKind:
    """Registered kind of sensor."""

    name: str
    parameters: Fields
    """Table of the kind's own parameters. All are in `SensorSettings.values`, numbers also in `SensorSettings.parameters`."""
    output: Table
    """Table of the measured scalars; WHEELS in a shape (`vehicles.axle_layout`) is the number of wheels of the vehicle."""
    make: Callable[[SensorSettings], Sensor]
    contract: int
    """Version of the contract for which the kind was written."""
    rate: float = 100.0
    """Hz, default rate."""
    meaning: str = ""
    """Description for a list of sensors, one line."""
    arrays: tuple[ArrayOutput, ...] = ()
    """Arrays of a measurement. A measurement may omit one."""
    latency: float = 0.0
    """s, default latency."""
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Values of parameters, as in a file and in SI units, by the word of the key `preset`, which the kind has among its parameters; keys of the file
    replace them."""
    in_thread: bool = False
    """True for a built-in sensor that needs milliseconds for a measurement: in real time it computes in a thread of its own."""
    messages: Callable[[SensorSettings], Recording] | None = None
    """Returns the topics of a sensor in the file of sensor data. Default: its arrays, see `simulator.sensors.messages.generic`."""
    made_arrays: Callable[[SensorSettings], Collection[str]] | None = None
    """Returns the names of the arrays that a sensor makes with its settings. Default: all of `arrays`."""

    def arrays_of(self, settings: SensorSettings) -> tuple[ArrayOutput, ...]:
        """Return the arrays that a sensor makes with its settings."""
        made = None if self.made_arrays is None else set(self.made_arrays(settings))
        return tuple(one for one in self.arrays if made is None or one.name in made)
