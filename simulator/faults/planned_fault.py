"""A fault with its times: the level over the simulated time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.records import Record, Table, record
from simulator.base.registry import making
from simulator.base.suggestions import did_you_mean
from simulator.base.values import Values
from simulator.faults.contract import Fault, FaultContext, FaultKind
from simulator.faults.kinds import FAULT_FILE, FAULT_KINDS, fault_fields


class PlannedFault:
    """A fault of a session with its times.

    Parameters
    ----------
    name : name in the log and in reports
    kind : kind of the fault
    fault : its effect
    times : start, ramp and end [s]; an end of None: the fault does not end
    given : entry as in a file, with SI keys

    Attributes
    ----------
    phase : name of the phase from whose begin the times count; empty: the begin of the drive
    """

    def __init__(self, name: str, kind: FaultKind, fault: Fault, times: tuple[float, float, float | None], given: dict[str, Any]) -> None:
        self.name, self.kind, self.fault, self.given = name, kind, fault, given
        self.start, self.ramp, self.end = times
        self._planned_end = self.end
        self.phase = str(given.get("phase", ""))
        self._origin: float | None = None
        self._table: Table = ((f"fault_{name}", (), "1", f"level of the fault {kind.name}: 0 none, 1 complete"),)
        self._out = record(self._table)

    @property
    def logged(self) -> tuple[str, Table, Record]:
        """Prefix, table and record of the level, for the log."""
        return "", self._table, self._out

    @property
    def level(self) -> float:
        """Present level, 0 to 1."""
        return float(self._out[0][0])

    @level.setter
    def level(self, level: float) -> None:
        self._out[0][0] = level

    def begin(self) -> None:
        """Begin a drive without the fault."""
        self.level, self._origin, self.end = 0.0, None, self._planned_end

    def begin_at(self, time: float) -> None:
        """Let the times of a fault count from a simulated time [s]."""
        self._origin = time

    def end_at(self, time: float) -> None:
        """End the fault at a simulated time [s], unless it ends earlier; a fault whose phase has not begun never begins in this drive."""
        origin = self._origin if self._origin is not None else time if self.phase else 0.0
        self.end = time - origin if self.end is None else min(self.end, time - origin)

    def level_at(self, time: float, phase: str = "") -> float:
        """Return the level at a simulated time [s] in a phase: it rises in `ramp` seconds from the start, and falls at the same rate from
        the end."""
        if self._origin is None:
            if self.phase and self.phase != phase:
                return 0.0
            self._origin = time if self.phase else 0.0
        time -= self._origin
        until = time if self.end is None else min(time, self.end)
        reached = min(max(until - self.start, 0.0) / self.ramp, 1.0)
        return reached if self.end is None or time <= self.end else max(reached - (time - self.end) / self.ramp, 0.0)

    def to_json(self) -> dict[str, Any]:
        """Return name, type, times and own keys in SI units, as an entry of `faults`."""
        return {"name": self.name, **self.given}

    @property
    def words(self) -> str:
        """One line for a report."""
        end = "" if self.end is None else f", until {self.end:g} s"
        return f"{self.kind.meaning}; from {self.start:g} s{since(self.given)}, complete {self.ramp:g} s later{end}"


def since(fault: Mapping[str, Any]) -> str:
    """Return as text from when on the times of a fault (`PlannedFault.to_json`) count; empty: the begin of the drive."""
    return next((f" of {key} {fault[key]}" for key in ("phase", "trigger") if key in fault), "")


def triggered_fault(given: Values | str, context: FaultContext, trigger: str, known: Sequence[str]) -> PlannedFault:
    """Return the fault of a trigger, from whose action its times count; see `make_faults`. Raises ConfigError."""
    planned = _planned(FAULT_FILE.read({"type": given}, "triggers", "") if isinstance(given, str) else given, context, known)
    planned.given["trigger"], planned.phase = trigger, f"trigger {trigger}"  # no phase of a maneuver has this name
    return planned


def make_faults(
    given: Sequence[Any], context: FaultContext, known: Sequence[str] = (), file: object = "faults", key: str = "faults"
) -> list[PlannedFault]:
    """Return the faults of a list `faults`: each item is the name of a kind, or a mapping.

    Parameters
    ----------
    context : vehicle and sensors of the session
    known : names of other faults of the session
    file, key : file and key of the list, for messages

    Raises
    ------
    ConfigError : an entry is invalid, or does not fit the vehicle or the session
    """
    names, faults = list(known), []
    with ErrorCollector() as errors:
        for n, item in enumerate(given):
            with errors.part():
                values = FAULT_FILE.read({"type": item} if isinstance(item, str) else item, file, f"{key}[{n}]")
                planned = _planned(values, context, names)
                names.append(planned.name)
                faults.append(planned)
    return faults


def _planned(values: Values, context: FaultContext, names: Sequence[str]) -> PlannedFault:
    kind = FAULT_KINDS.need(values["type"])
    ramp, start, end = values.get("ramp", kind.ramp), values["start"], values.get("end")
    if end is not None and end <= start:
        raise values.error("end", "a time after the start, {}", start)
    if "phase" in values and values["phase"] not in context.phases:
        known = ", ".join(context.phases) or "none, because the drive has no phases"
        raise values.error("phase", f"a phase of the maneuver: {known}{did_you_mean(values['phase'], context.phases)}")
    with making(f"fault {kind.name}"):
        fault = kind.make(values, context)
    own = {field.name: _plain(values[field.name]) for field in fault_fields(kind.name) if field.name in values}
    times: dict[str, Any] = {"phase": values["phase"]} if "phase" in values else {}
    times |= {"start_s": start, "ramp_s": ramp} | ({} if end is None else {"end_s": end})
    return PlannedFault(_name(values, kind, names), kind, fault, (start, ramp, end), {"type": kind.name, **times, **own})


def _name(values: Values, kind: FaultKind, names: Sequence[str]) -> str:
    """Return the name of a fault; a default name that is in use gets a number. Raises ConfigError for a name in use."""
    if "name" in values:
        if values["name"] in names:
            raise ConfigError(values.file, values.path("name"), values["name"], "a name that no other fault has")
        return str(values["name"])
    name = "_".join((kind.name, *(str(values[key]) for key in kind.subject if key in values)))
    return name if name not in names else next(f"{name}_{n}" for n in range(2, len(names) + 3) if f"{name}_{n}" not in names)


def _plain(value: Any) -> Any:
    """Return a value for JSON."""
    return value.tolist() if hasattr(value, "tolist") else list(value) if isinstance(value, tuple) else value
