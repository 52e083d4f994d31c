"""What an outlet from outside is: something on the right of the tick beside telemetry, motion stream and window.

It works beside the ticks (`simulator.base.plugin_thread`) on copies of what there is. In real time it misses a publication when the last one has not
ended; a run that nobody drives in real time waits for it. One that raises or does not end within its budget is dropped, and the drive
goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from simulator.base.errors import ConfigError, JounceError
from simulator.base.plugin_thread import Aside
from simulator.base.rates import whole_ticks
from simulator.base.records import Ranges, Record, Table
from simulator.base.registry import Registry, making
from simulator.base.section import Section

if TYPE_CHECKING:
    from simulator.session import Session

CONTRACT = 1
"""Version of what stands above and of the classes below."""


class Published(NamedTuple):
    """What an outlet gets: copies, which it may keep and change."""

    time: float
    """Simulated time [s]."""
    readout: Record
    """READOUT of the vehicle."""
    command: Record
    """COMMAND of the driver."""
    pose: Any
    """(6,) x, y, z [m], roll, pitch, yaw [rad] of the platform commanded, from neutral."""
    legs: Any
    """(6,) leg lengths commanded [m]."""
    state: str
    """Of the motion procedure, one of `washout.platform_state_machine.STATE_NAMES`."""
    felt: Record
    """FELT of the rider (`washout.perceived_motion`)."""
    sensors: Mapping[str, Record]
    """What each sensor has measured last, by its name."""


class TenantOutlet(Protocol):
    """An outlet as `make` gives it."""

    def publish(self, published: Published) -> None:
        """Called at its rate."""

    def close(self) -> None:
        """Called once at the end, after the last `publish`."""


@dataclass(frozen=True)
class OutletSettings:
    """What an outlet is made of."""

    parameters: Record
    """Of the kind's own table."""
    folder: Path
    """Of the run, to write into."""
    period: float
    """Time between two publications [s]."""


@dataclass(frozen=True)
class OutletKind:
    """An outlet as it is registered."""

    name: str
    make: Callable[[OutletSettings], TenantOutlet]
    contract: int
    """CONTRACT it was written for."""
    rate: float = 100.0
    """Hz, usual rate."""
    parameters: Table = ()
    """Of its own."""
    ranges: Ranges = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""
    """One line for a list of outlets."""


OWN = ("telemetry", "motion", "window")
"""Outlets of the session itself, which have other owners."""

OUTLETS: Registry[OutletKind] = Registry("outlet", "jounce.outlets", {})


def register(kind: OutletKind) -> None:
    """Make an outlet known by its name. Raises JounceError: it is for another contract, or another one has its name."""
    check(kind)
    OUTLETS.register(kind.name, kind)


def check(kind: OutletKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    if kind.name in OWN:
        raise JounceError(f"there is an outlet called {kind.name} already: one of the session itself")
    if kind.contract != CONTRACT:
        raise JounceError(f"outlet {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")


class OutletAside:
    """An outlet from outside in a session."""

    def __init__(self, name: str, outlet: TenantOutlet, every: int) -> None:
        self.name, self.every = name, every
        self._outlet = outlet
        self._aside = Aside(f"outlet {name}", outlet.publish)

    @property
    def missed(self) -> int:
        """Publications that came before the last one had ended."""
        return self._aside.late

    def publish(self, session: Session) -> None:
        """Hand over what there is. Raises JounceError once it was dropped."""
        self._aside.answer(wait=session.clock is None)
        if self._aside.trouble:
            raise JounceError(self._aside.trouble)
        if self._aside.busy:
            return
        cueing = session.cueing
        self._aside.ask(
            Published(
                session.time,
                session.readout.copy(),
                session.command.copy(),
                cueing.pose.copy(),
                cueing.legs.copy(),
                cueing.state,
                cueing.felt.copy(),
                {sensor.name: sensor.out.copy() for sensor in session.sensors},
            )
        )

    def close(self) -> None:
        """Let the last publication end, and close the outlet; neither is waited for longer than its budget. Raises JounceError: it failed."""
        if self._aside.trouble:
            return  # whatever it is doing, it is not asked for anything more
        self._aside.answer(wait=True)
        trouble: str = self._aside.trouble
        self._aside.close()
        if not trouble:
            ending = Aside(f"outlet {self.name}", self._outlet.close)
            ending.ask()
            ending.answer(wait=True)
            trouble = ending.trouble
            ending.close()
        if trouble:
            raise JounceError(trouble)


def build_outlets(said: Sequence[Any], file: object, folder: Path, h: float, key: str = "outlets") -> list[OutletAside]:
    """Outlets from outside, of a list in a session file: per outlet the name of a kind, or a mapping of `type`, `rate` [Hz] and its parameters.

    Parameters
    ----------
    said, key, file : the list, where it stands and in which file
    folder : of the run
    h : length of a tick [s]

    Raises
    ------
    ConfigError : an outlet cannot be used as it is written
    JounceError : one cannot be made
    """
    if not isinstance(said, (list, tuple)):
        raise ConfigError(file, key, said, "a list of outlets")
    sections = (Section({"type": one} if isinstance(one, str) else one, file, f"{key}[{n}]") for n, one in enumerate(said))
    return [_outlet(section, folder, h) for section in sections]


def _outlet(s: Section, folder: Path, h: float) -> OutletAside:
    name = s.text("type", expected="the kind of the outlet")
    kind = OUTLETS.named(name, s.file, s.path("type"))
    check(kind)
    rate = s.number("rate", kind.rate, least=0.1, most=1.0 / h)
    every = whole_ticks(rate, h, s.file, s.path("rate"))
    parameters = s.record(kind.parameters, kind.ranges, kind.defaults, beside=("type", "rate"))
    with making(f"outlet {name}"):
        outlet = kind.make(OutletSettings(parameters, folder, every * h))
    return OutletAside(name, outlet, every)
