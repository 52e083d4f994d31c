"""Controller `fmu`: an FMU of others is a control unit of the vehicle. Its inputs are fields of CONTROLLER_INPUT, its outputs of CONTROLLER_OUTPUT.

Fields of wheels have the name of the wheel: wheel_speed_FL, pressure_limit_RR. The FMU takes one step per update, at the `rate` of the
controller. It runs in the tick, so that a slow FMU makes a drive in real time late.

The FMU begins again with each reset of a vehicle. Its state is outside the vehicle: a vehicle whose state is put back during a drive, or a
copy of it that drives in between, switches the controller off, as a request that is not finite does.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.callbacks import CallbackKernel, callback
from simulator.base.console import print_error
from simulator.base.errors import JounceError
from simulator.base.fields import Field, FileName, Named, Text
from simulator.base.jit import COMPILES
from simulator.base.records import Table, dtype_of
from simulator.base.values import Values
from simulator.fmi.foreign_unit import ForeignUnit
from vehicles.axle_layout import Axles
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, ControllerKind

PARAMETERS = (
    Field("file", FileName("an FMU (.fmu)"), "FMU for co-simulation, of FMI 2.0 or 3.0"),
    Field("names", Named(Text("a field of a controller")), "for variables with other names: the field of an input or an output", {}),
)
STATE = (("updates", (), "1", "number of updates since the last reset"),)
_FUNCTION = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * 4, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)
_INPUT, _OUTPUT, _STATE = dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT), dtype_of(STATE)


class FmuKernel(CallbackKernel):
    """Kernel in Python that lets an FMU compute the requests of one controller.

    Parameters
    ----------
    file : the FMU
    names : names of fields by names of the FMU
    wheels : names of the wheels

    Raises ConfigError: the FMU cannot be used.
    """

    def __init__(self, file: Path, names: Mapping[str, str], wheels: Sequence[str]) -> None:
        inputs, outputs = _fields(CONTROLLER_INPUT, wheels), _fields(CONTROLLER_OUTPUT, wheels)
        unit = ForeignUnit(file, {name: row[2] for name, row in inputs.items()}, {name: row[2] for name, row in outputs.items()}, names)
        reads = {one.name: inputs[one.name][:2] for one in unit.inputs}
        writes = {one.name: outputs[one.name][:2] for one in unit.outputs}
        updates = 0

        def step(state: Any, seen: Any, result: Any, h: float) -> None:
            nonlocal updates
            values = {name: float(seen[field] if wheel is None else seen[field][wheel]) for name, (field, wheel) in reads.items()}
            if seen["begins"]:
                updates = 0
                unit.begin(0.0, values)
            elif state["updates"] != updates:
                raise JounceError(f"{file}: the state of the vehicle was put back, which an FMU cannot follow")
            for name, value in unit.step(updates * h, h, values).items():
                field, wheel = writes[name]
                if wheel is None:
                    result[field] = value
                else:
                    result[field][wheel] = value
            updates += 1
            state["updates"] = updates

        def law(parameters: int, state: int, seen: int, result: int, first: int, count: int, h: float) -> None:
            out = _record_at(result, _OUTPUT)
            try:
                step(_record_at(state, _STATE), _record_at(seen, _INPUT), out, h)
            except Exception as error:  # an exception cannot leave the kernel; the controller is switched off instead
                print_error(str(error))
                out["throttle_limit"] = math.nan

        super().__init__(law)
        self._function = _FUNCTION(law)
        weakref.finalize(self, unit.close)

    @property
    def address(self) -> int:
        """Address of the function in this process."""
        return int(ctypes.cast(self._function, ctypes.c_void_p).value or 0) if COMPILES else super().address


def _fields(table: Table, wheels: Sequence[str]) -> dict[str, tuple[str, int | None, str]]:
    """Return field, number of the wheel and unit of each value of a table by name."""
    out: dict[str, tuple[str, int | None, str]] = {}
    for name, shape, unit, *_ in table:
        out |= {f"{name}_{wheel}": (name, n, unit) for n, wheel in enumerate(wheels)} if shape else {name: (name, None, unit)}
    return out


def _record_at(address: int, dtype: np.dtype) -> Any:
    memory: Any = (ctypes.c_char * dtype.itemsize).from_address(address)
    return np.frombuffer(memory, dtype)[0]


class FmuControllerKind(ControllerKind):
    """Kind whose kernel is that of the FMU of an entry."""

    def for_entry(self, entry: Values, axles: Axles) -> ControllerKind:
        """Return the kind of one entry of `controllers`. Raises ConfigError: its FMU cannot be used."""
        return replace(self, parameters=(), kernel=FmuKernel(Path(entry["file"]), entry["names"], axles.corners))


@callback
def _no_requests(parameters, state, seen, result, first, count, h):
    """Request nothing: the controller of no file."""


KIND = FmuControllerKind(
    "fmu", PARAMETERS, STATE, _no_requests, CONTRACT, LAYOUT, meaning="an FMU for co-simulation (FMI 2.0, 3.0) as a control unit"
)
"""Control unit from an FMU."""
