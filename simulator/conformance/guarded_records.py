"""Records between guard bytes, and kernels called by address on such records."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.callbacks import CallbackKernel
from simulator.base.records import Record, Table, dtype_of
from simulator.conformance.findings import Findings, described

GUARD = 4096
"""Bytes in front of and behind a record. Larger: kernels that write farther beyond their records are detected, too."""
PATTERN = 0xA5
"""Value of a guard byte."""

_ALLOCATES = ("NRT", "Only accept returning of array passed")
"""Texts of compiler errors about a new array."""


class GuardedRecords:
    """Zeroed records of a table, or of a type, between guard bytes."""

    def __init__(self, table: Table | np.dtype, count: int = 1) -> None:
        dtype = table if isinstance(table, np.dtype) else dtype_of(table)
        size = dtype.itemsize * count
        self._memory = np.full(2 * GUARD + size, PATTERN, np.uint8)
        self._inside = self._memory[GUARD : GUARD + size]
        self._inside[:] = 0
        self.records: Record = self._inside.view(dtype) if size else np.zeros(count, dtype)

    @property
    def address(self) -> int:
        """Address of the first record."""
        return int(self._memory.ctypes.data) + GUARD

    @property
    def content(self) -> bytes:
        """Bytes of the records."""
        return self._inside.tobytes()

    @property
    def is_intact(self) -> bool:
        """True if no guard byte has changed."""
        return bool((self._memory[:GUARD] == PATTERN).all() and (self._memory[GUARD + len(self._inside) :] == PATTERN).all())


class KernelRig:
    """Kernel with records of its own between guard bytes.

    Parameters
    ----------
    kernel : kernel of the kind
    parameters, state, seen, result : tables of its records; of the parameters, the type suffices
    count : number of records of each table
    """

    def __init__(
        self, kernel: CallbackKernel, parameters: Table | np.dtype, state: Table, seen: Table, result: Table, count: int = 1
    ) -> None:
        self._kernel = kernel
        tables: dict[str, Table | np.dtype] = {"parameters": parameters, "state": state, "input": seen, "output": result}
        self._parts = {name: GuardedRecords(table, count) for name, table in tables.items()}
        self.parameters, self.state, self.seen, self.result = (part.records for part in self._parts.values())

    def run(self, first: int, count: int, h: float) -> None:
        """Call the kernel."""
        self._kernel(*(part.address for part in self._parts.values()), first, count, h)

    def call(self, first: int, count: int, h: float) -> list[str]:
        """Call the kernel; return the faults of its writing, each with a fix."""
        unchanged = {name: self._parts[name].content for name in ("parameters", "input")}
        self.run(first, count, h)
        faults = [f"writes beyond the record of its {name}; check the indices" for name, part in self._parts.items() if not part.is_intact]
        changed = [name for name, content in unchanged.items() if self._parts[name].content != content]
        return faults + [f"changes its {name}; write to the state and the output only" for name in changed]

    @property
    def content(self) -> bytes:
        """Bytes of state and output."""
        return self._parts["state"].content + self._parts["output"].content


def check_kernel(findings: Findings, kernel: object, name: str = "kernel") -> bool:
    """Check that a kernel is a callback kernel and compiles; return True if it can be called."""
    with findings.check(name, math.inf) as check:  # a compiler may take minutes
        if not isinstance(kernel, CallbackKernel):
            check.fail("not a kernel that is called by its address; decorate the function with @callback of simulator.base.callbacks")
        else:
            try:
                _ = kernel.address
            except Exception as error:  # any error of the compiler
                reason = (
                    "it allocates memory; use numbers and the records that the kernel receives"
                    if any(text in str(error) for text in _ALLOCATES)
                    else described(error)
                )
                check.fail(f"does not compile: {reason}")
    return findings.passed(name)


def finite_faults(records: Record, first: int = 0, count: int = 1, nan: bool = False) -> list[str]:
    """Return a fault for each field of the records with a number that is not finite; with `nan`, NaN (not measured) is no fault."""
    names = records.dtype.names or ()
    values = {name: records[name][first : first + count] for name in names}
    bad = [name for name in names if not (~np.isinf(values[name]) if nan else np.isfinite(values[name])).all()]
    return [f"{name} is not finite; avoid divisions by zero and overflow" for name in bad]
