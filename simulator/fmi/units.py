"""Co-simulation unit: the object that the binary of an FMU calls. The script in an FMU only derives a class from it.

The binaries of pythonfmu and pythonfmu3 call the methods by name. An exception of the constructor makes the instantiation fail. After an
exception of another method, which is `fatal` for the host, the binary has freed the object, and the next call ends the process of the host.
Therefore no other method raises. The binaries let only a step return a status: `discard` in FMI 2.0, also `error` in FMI 3.0. Therefore:

- a value that is out of range or not finite: the step is discarded, and the state is unchanged
- a communication point or a communication step that does not fit: discarded in FMI 2.0, `error` in FMI 3.0; the state is unchanged
- a wrong call that has no status, such as an unknown value reference: reported, has no effect, and the next step is refused in this way
- a failed initialization or a failed step: reported, and every further step is refused in this way until a reset
"""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from simulator.base.console import print_error
from simulator.base.errors import JounceError
from simulator.base.machine import version
from simulator.base.registry import load_attribute
from simulator.fmi.content import CONTENT
from simulator.fmi.python_binaries import end_properly
from simulator.fmi.variables import INPUT, INTEGER, OUTPUT, REAL, Variable

MODELS = {
    "vehicle": "simulator.fmi.vehicle_model:VehicleModel",
    "tire": "simulator.fmi.tire_model:TireModel",
    "washout": "simulator.fmi.washout_model:WashoutModel",
}
"""Models by kind."""
OK, DISCARD, ERROR = 0, 2, 3
"""Statuses of FMI."""
MAX_STEP = 1000.0
"""s. Longest communication step; a host that asks for more has a fault, and would wait for long."""
TIME_TOLERANCE = 1e-6
"""1. Relative tolerance of a communication step; hosts compute steps as differences of times."""


class Model(Protocol):
    """Component in a unit."""

    step: float
    """Tick [s]."""
    variables: Sequence[Variable]

    def begin(self, values: dict[str, float]) -> None:
        """Begin with parameters and first inputs by name. Raises JounceError."""

    def advance(self, inputs: dict[str, float], ticks: int) -> None:
        """Advance a number of ticks with constant inputs. Raises JounceError."""

    def outputs(self) -> Sequence[float]:
        """Return the present values of the outputs in the order of `variables`."""

    def close(self) -> None:
        """End what runs in the background."""


class Message(NamedTuple):
    """A message to the host."""

    status: int
    category: str
    msg: str
    debug: bool = False


class StepResult(NamedTuple):
    """Result of a step of FMI 3.0; its attributes have the names of the standard."""

    status: int
    terminateSimulation: bool = False


def model_of(content: dict[str, Any], folder: Path) -> Model:
    """Return the model of the content of a unit, whose files are in a folder. Raises JounceError."""
    model: Model = load_attribute(MODELS[content["kind"]])(content, folder)
    return model


class Fmi2Slave:
    """Unit of FMI 2.0. The binaries look for classes of this name and that of FMI 3.0.

    Raises RuntimeError: the unit is of another version of Jounce, or its configuration cannot be used.
    """

    fmi = 2

    def __init__(self, **arguments: Any) -> None:
        self._messages: list[Message] = []
        folder = Path(arguments["resources"])
        end_properly(folder.parent)
        content = json.loads((folder / CONTENT).read_text(encoding="utf-8"))
        if content["version"] != version():
            raise self._failure(f"this FMU is of jounce {content['version']}, and this Python has {version()}; hint: create it again")
        try:
            self._model = model_of(content, folder)
        except JounceError as error:
            raise self._failure(str(error)) from None
        self._variables = list(self._model.variables)
        self._values: list[float] = [one.start for one in self._variables]
        self._outputs = [number for number, one in enumerate(self._variables) if one.causality == OUTPUT]
        self._begun = False
        self._failed, self._pending = "", ""  # why every further step is refused, and why the next one is
        self._start, self._ticks = 0.0, 0

    def _get_log_queue(self) -> list[Message]:
        """Return the list from which the binary takes messages."""
        return self._messages

    def _failure(self, problem: str) -> RuntimeError:
        """Return the exception that reports a problem to the host; a host that shows no messages has the line on the error stream."""
        print_error(problem)
        return RuntimeError(f"jounce: {problem}")

    def _note(self, status: int, problem: str) -> None:
        print_error(problem)
        self._messages.append(Message(status, "logAll", f"jounce: {problem}"))

    def _fail(self, problem: str) -> None:
        """Report a problem after which the unit can take no step until a reset."""
        self._note(ERROR, problem)
        self._failed = self._failed or problem

    def _note_call(self, problem: str) -> None:
        """Report a wrong call that cannot return a status; the next step is refused."""
        self._note(ERROR, problem)
        self._pending = problem

    def setup_experiment(self, start_time: float, *_: Any) -> None:
        """Set the time of the start [s]."""
        if not math.isfinite(start_time):
            self._fail(f"start time {start_time:g} s; expected a finite number")
            return
        self._start = float(start_time)

    def enter_initialization_mode(self) -> None:
        """Do nothing: parameters may still be set."""

    def exit_initialization_mode(self) -> None:
        """Begin with the parameters and the first inputs."""
        values = {}
        for one, value in zip(self._variables, self._values, strict=True):
            if one.causality != OUTPUT:
                if problem := one.problem(value):
                    self._fail(problem)
                    return
                values[one.name] = value
        self._begun, self._ticks = True, 0
        self._call(self._model.begin, values)

    def _call(self, act: Callable[..., None], *arguments: Any) -> bool:
        """Let the model begin or advance, and read its outputs; return whether that succeeded."""
        try:
            act(*arguments)
            self._read()
        except JounceError as error:
            self._fail(str(error))
        except Exception as error:  # the host must not see it: see the docstring of the module
            traceback.print_exc()
            self._fail(f"defect of the model: {error}")
        return not self._failed

    def _read(self) -> None:
        for number, value in zip(self._outputs, self._model.outputs(), strict=True):
            self._values[number] = value

    def do_step(self, current_time: float, step_size: float) -> Any:
        """Advance from a communication point [s] by a communication step [s]."""
        problem, self._pending = self._failed or self._pending, ""
        if problem or not self._begun:
            return self._refuse(ERROR, problem or "step before the initialization; expected exitInitializationMode first")
        h = self._model.step
        ticks, due = round(step_size / h) if 0.0 < step_size <= MAX_STEP else 0, self._start + self._ticks * h
        if ticks < 1 or abs(step_size - ticks * h) > TIME_TOLERANCE * step_size:
            expected = f"a multiple of the tick, {h:g} s, up to {MAX_STEP:g} s"
            return self._refuse(ERROR, f"communication step of {step_size:g} s; expected {expected}")
        if not abs(current_time - due) <= 0.5 * h:  # also of NaN
            return self._refuse(ERROR, f"communication point {current_time:g} s; expected {due:g} s, the end of the last step")
        inputs = {}
        for one, value in zip(self._variables, self._values, strict=True):
            if one.causality == INPUT:
                if problem := one.problem(value):
                    return self._refuse(DISCARD, problem)
                inputs[one.name] = value
        if not self._call(self._model.advance, inputs, ticks):
            return self._result(ERROR)
        self._ticks += ticks
        return self._result(OK)

    def _refuse(self, status: int, problem: str) -> Any:
        """Report that a step is refused."""
        self._note(DISCARD if self.fmi == 2 else status, problem)
        return self._result(status)

    def _result(self, status: int) -> Any:
        return status == OK if self.fmi == 2 else StepResult(status)

    def terminate(self) -> None:
        """End the simulation."""
        self._failed = self._failed or "the unit is terminated; expected a reset first"
        try:
            self._model.close()
        except Exception as error:  # the host must not see it: see the docstring of the module
            self._note(ERROR, str(error))

    def _get(self, references: Sequence[int], kind: str) -> list[float]:
        """Return values; NaN for a reference that no variable of the type has."""
        numbers = [self._number(reference, kind) for reference in references]
        return [math.nan if number is None else self._values[number] for number in numbers]

    def _set(self, references: Sequence[int], values: Sequence[float], kind: str) -> None:
        if len(references) != len(values):
            self._note_call(f"{len(values)} values for {len(references)} variables")
            return
        for reference, value in zip(references, values, strict=True):
            number = self._number(reference, kind)
            if number is None:
                continue
            one = self._variables[number]
            if one.causality == OUTPUT or (one.causality != INPUT and self._begun):
                self._note_call(f"{one.causality} {one.name} cannot be set now")
            else:
                self._values[number] = value

    def _number(self, reference: int, kind: str) -> int | None:
        """Return the position of a variable of a type; None, and report it, if there is none with this value reference."""
        if 1 <= reference <= len(self._variables) and self._variables[reference - 1].kind == kind:
            return reference - 1
        self._note_call(f"value reference {reference}: no variable of the type {kind}")
        return None

    def get_real(self, references: Sequence[int]) -> list[float]:
        """Return values of real variables."""
        if 0 in references:  # the time, in FMI 3.0
            return [self._start + self._ticks * self._model.step if one == 0 else self.get_real([one])[0] for one in references]
        return self._get(references, REAL)

    def set_real(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Set inputs or parameters that are real."""
        self._set(references, values, REAL)

    def get_integer(self, references: Sequence[int]) -> list[int]:
        """Return values of integer variables; 0 for a reference that none has."""
        return [int(value) if math.isfinite(value) else 0 for value in self._get(references, INTEGER)]

    def set_integer(self, references: Sequence[int], values: Sequence[int]) -> None:
        """Set inputs or parameters that are integers."""
        self._set(references, values, INTEGER)


class Fmi3Slave(Fmi2Slave):
    """Unit of FMI 3.0, whose calls have other names."""

    fmi = 3
    get_float64, set_float64 = Fmi2Slave.get_real, Fmi2Slave.set_real
    get_int32, set_int32 = Fmi2Slave.get_integer, Fmi2Slave.set_integer
