"""An FMU of others in this process: its inputs are values of Jounce by name, in SI units."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base import cleanup
from simulator.base.errors import ConfigError, JounceError, one_line
from simulator.base.suggestions import did_you_mean, listed
from simulator.fmi.foreign_archive import unpack
from simulator.fmi.python_binaries import end_properly
from simulator.fmi.variables import base_exponents

CALLS = {"Real": "Real", "Integer": "Integer", "Enumeration": "Integer", "Boolean": "Boolean", "Float64": "Float64", "Float32": "Float32"}
CALLS |= {name: name for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")}
"""Calls of FMPy by the type of a variable."""
WARNING, ERROR, FATAL = 1, 3, 4
"""Statuses of FMI: a message from WARNING on is trouble; after ERROR an instance may only be freed, after FATAL not even that."""
_loggers: dict[bytes, Callable[[int, bytes | None], None]] = {}
"""Functions that take the messages of instances of FMI 2.0, by the names of the instances."""
_numbers = count()
_scripts: dict[str, list[Any]] = {}
"""Modules of the FMUs of pythonfmu by name, with the dictionaries of their names, one for each instance."""


class Link(NamedTuple):
    """A variable of the FMU and the value of Jounce that it is linked to."""

    name: str
    """Name of the value of Jounce."""
    reference: int
    call: str
    factor: float
    offset: float
    """value in SI units = factor * value of the FMU + offset"""


class ForeignUnit:
    """Instance of an FMU, which is created by `open` or `begin`.

    Parameters
    ----------
    file : the FMU
    known_inputs, known_outputs : units by name, of the values that an input may take, and of those that an output may set
    names : names of Jounce by names of the FMU, where they differ

    Attributes
    ----------
    inputs, outputs : Link of each input, and of each output that sets a value

    Raises
    ------
    ConfigError : the FMU, a name or a unit cannot be used
    JounceError : the package fmpy is missing
    """

    def __init__(self, file: Path, known_inputs: Mapping[str, str], known_outputs: Mapping[str, str], names: Mapping[str, str]) -> None:
        self._file = file
        self._folder, self._about = unpack(file)
        self._messages: list[str] = []
        self._worst, self._name = 0, ""
        variables = {one.name: one for one in self._about.modelVariables}
        for name in names:
            if name not in variables:
                raise ConfigError(file, name, names[name], f"a variable of the FMU{did_you_mean(name, variables)}")
        self.inputs = [
            self._link(one, names.get(one.name, one.name), known_inputs, "an input of the FMU")
            for one in variables.values()
            if one.causality == "input"
        ]
        self.outputs = [
            self._link(one, names.get(one.name, one.name), known_outputs, "an output of the FMU")
            for one in variables.values()
            if one.causality == "output" and (one.name in names or one.name in known_outputs)
        ]
        if not self.outputs:
            raise ConfigError(file, "outputs", "none that is known", f"an output with one of the names {listed(known_outputs)}")
        self._fmu: Any = None
        self._live = False
        self._unregister = cleanup.register_cleanup(self._folder.cleanup)

    def _link(self, variable: Any, name: str, known: Mapping[str, str], what: str) -> Link:
        """Return the link of a variable. Raises ConfigError."""
        if name not in known:
            raise ConfigError(
                self._file, variable.name, name, f"a value of Jounce for {what}{did_you_mean(name, known)}; hint: use `names`"
            )
        if variable.type not in CALLS or getattr(variable, "dimensions", None):
            raise ConfigError(self._file, variable.name, variable.type, "a number")
        factor, offset = self._scale(variable, known[name])
        return Link(name, variable.valueReference, CALLS[variable.type], factor, offset)

    def _scale(self, variable: Any, unit: str) -> tuple[float, float]:
        """Return factor and offset of the unit of a variable to the SI unit; a unit without a definition is the SI unit. Raises ConfigError."""
        declared = variable.unit or getattr(variable.declaredType, "unit", None)
        base = next((one.baseUnit for one in self._about.unitDefinitions if one.name == declared), None)
        own = base_exponents(unit)
        if base is None or own is None:
            return 1.0, 0.0
        powers = {name: int(getattr(base, name)) for name in ("kg", "m", "s", "A", "K", "mol", "cd")}  # many tools leave rad out
        if any(powers[name] != own.get(name, 0) for name in powers):
            raise ConfigError(self._file, variable.name, f"a value in {declared}", f"a unit of the same quantity as {unit}")
        factor, offset = float(base.factor), float(base.offset)
        if unit == "degC":
            offset -= 273.15
        if not factor:
            raise ConfigError(self._file, variable.name, f"a value in {declared}", "a unit with a factor that is not 0")
        return factor, offset

    def _instance(self) -> Any:
        """Return an instance of FMPy. Raises JounceError."""
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        is_3 = self._about.fmiVersion.startswith("3.")
        script = _script_of(Path(self._folder.name))
        if script in _scripts:  # else the script of another FMU with this name would run instead
            sys.modules.pop(script, None)
        identifier = self._about.coSimulation.modelIdentifier
        name = self._name = f"{identifier}_{next(_numbers)}"
        try:
            fmu = (FMU3Slave if is_3 else FMU2Slave)(
                guid=self._about.guid, unzipDirectory=self._folder.name, modelIdentifier=identifier, instanceName=name
            )
            if is_3:
                fmu.instantiate(loggingOn=False, logMessage=lambda _, status, __, text: self._note(status, text))
            else:
                _loggers[name.encode()] = self._note
                fmu.instantiate(loggingOn=True, callbacks=_callbacks())
        except Exception as error:  # FMPy raises Exception, ctypes OSError and others
            raise self._failure("cannot be instantiated", error) from None
        if script in sys.modules:
            end_properly(Path(self._folder.name))
            module = sys.modules[script]
            _scripts.setdefault(script, []).extend((module, vars(module)))  # pythonfmu 0.7.0 releases the names once too often
        return fmu

    def _note(self, status: int, text: bytes | None) -> None:
        if status >= WARNING and text:
            self._messages.append(one_line(text.decode("utf-8", "replace"))[:300])

    def _failure(self, what: str, error: Exception) -> JounceError:
        """Return the error with the last message of the FMU."""
        self._worst = max(self._worst, getattr(error, "status", 0))
        said = f": {self._messages[-1]}" if self._messages else ""
        return JounceError(f"{self._file}: the FMU {what} ({one_line(str(error))}){said}")

    def open(self) -> None:
        """Create the instance, unless it exists. Raises JounceError: the FMU refuses."""
        if self._fmu is None:
            self._fmu = self._instance()

    def begin(self, time: float, values: Mapping[str, float]) -> None:
        """Initialize at a time [s] with inputs by the names of Jounce; a second call begins again. Raises JounceError."""
        self.open()
        try:
            if self._live:
                self._fmu.reset()
            self._live = True
            if self._about.fmiVersion.startswith("3."):
                self._fmu.enterInitializationMode(startTime=time)
            else:
                self._fmu.setupExperiment(startTime=time)
                self._fmu.enterInitializationMode()
            self._set(values)
            self._fmu.exitInitializationMode()
        except Exception as error:
            raise self._failure("cannot be initialized", error) from None

    def step(self, time: float, seconds: float, values: Mapping[str, float]) -> dict[str, float]:
        """Step from a time [s] with inputs by the names of Jounce; return the outputs. Raises JounceError."""
        try:
            self._set(values)
            self._fmu.doStep(currentCommunicationPoint=time, communicationStepSize=seconds)
            return {
                one.name: one.factor * float(getattr(self._fmu, f"get{one.call}")([one.reference])[0]) + one.offset for one in self.outputs
            }
        except Exception as error:
            raise self._failure(f"failed in the step at {time:.3f} s", error) from None

    def _set(self, values: Mapping[str, float]) -> None:
        for one in self.inputs:
            value = (values[one.name] - one.offset) / one.factor
            getattr(self._fmu, f"set{one.call}")([one.reference], [value if one.call in ("Real", "Float64", "Float32") else round(value)])

    def close(self) -> None:
        """End the instance, and remove its folder."""
        fmu, self._fmu = self._fmu, None
        calls = [fmu.freeInstance] if fmu is not None and self._worst < FATAL else []
        if calls and self._live and self._worst < ERROR:
            calls.insert(0, fmu.terminate)
        for call in calls:
            try:
                call()
            except Exception as error:  # the drive has ended; nothing depends on the FMU any more
                self._messages.append(one_line(str(error)))
        _loggers.pop(self._name.encode(), None)
        self._folder.cleanup()
        self._unregister()


@cache
def _callbacks() -> Any:
    """Return the callbacks of FMI 2.0: FMPy formats messages for one function of the process, which passes them on by the name of an instance."""
    from ctypes import byref

    from fmpy import calloc, free
    from fmpy.fmi2 import (
        fmi2CallbackAllocateMemoryTYPE,
        fmi2CallbackFreeMemoryTYPE,
        fmi2CallbackFunctions,
        fmi2CallbackLoggerTYPE,
        printLogMessage,
    )
    from fmpy.logging import addLoggerProxy

    def log(component: Any, name: bytes, status: int, category: bytes, text: bytes) -> None:
        note = _loggers.get(name)
        if note is None:
            printLogMessage(component, name, status, category, text)
        else:
            note(status, text)

    out = fmi2CallbackFunctions()
    out.logger = fmi2CallbackLoggerTYPE(log)
    out.allocateMemory, out.freeMemory = fmi2CallbackAllocateMemoryTYPE(calloc), fmi2CallbackFreeMemoryTYPE(free)
    addLoggerProxy(byref(out))
    return out


def _script_of(folder: Path) -> str:
    """Return the name of the module of an FMU of pythonfmu, which runs in the Python of this process; empty for other FMUs."""
    file = folder / "resources" / "slavemodule.txt"
    return file.read_text(encoding="utf-8", errors="replace").strip() if file.is_file() else ""
