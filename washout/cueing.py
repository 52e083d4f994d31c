"""Motion cueing as the session uses it: washout, procedure and limiter behind one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.fields import Field, Group, read
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from washout import classical, procedure
from washout.classical import POSE, STATE, WASHOUT, rest, washout, washout_step
from washout.limiter import LIMITER, limit_step, limiter
from washout.platform import HEXAPOD
from washout.procedure import PROCEDURE, SETTINGS, STATE_NAMES, anchor, ask_for, check_input, procedure_settings, procedure_step

PARAMETERS = (*WASHOUT, *SETTINGS, *HEXAPOD)
"""One record for all three: a call from Python costs a quarter of a microsecond per record."""

STATES = (*STATE, *PROCEDURE, *LIMITER)
"""Likewise."""

FILE = (
    Field("cueing", Group(classical.FILE), "the classical washout"),
    Field("procedure", Group(procedure.FILE), "how the platform rises, follows and parks"),
)
"""Of a file in ``configs/washouts``."""


class MotionCueing:
    """What the rider feels. Make it once, arm it, call `step` every tick, read `pose`, `legs`, `state`.

    Parameters
    ----------
    mapping : content of a file in ``configs/washouts``: the sections `cueing` and `procedure`
    file : its name, for messages
    platform : HEXAPOD record of the platform
    h : length of a tick [s]; every step takes this long
    gravity : acceleration of free fall of the vehicle's world [m/s2]

    Raises
    ------
    ConfigError : the mapping cannot be used
    """

    def __init__(
        self, mapping: Mapping[str, Any], file: object, platform: Record, h: float = 1e-3, gravity: float = STANDARD_GRAVITY
    ) -> None:
        said = read(FILE, mapping, file)
        self.platform = platform
        self.h = h
        self.resets = 0
        """Times that the vehicle was put elsewhere."""
        self._p = record(PARAMETERS)
        _copy(platform, self._p)
        _copy(procedure_settings(said["procedure"], file), self._p)
        washout(said["cueing"], file, h, self._p, gravity)
        self._s = record(STATES)
        self._washed = record(POSE)
        park = np.array([0.0, 0.0, platform[0]["park_height"], 0.0, 0.0, 0.0])
        _copy(limiter(platform, park), self._s)
        self._s[0]["base"] = park
        self._s[0]["felt_force"] = (0.0, 0.0, gravity)

    def step(self, f_H_B: NDArray[Any], w_WB_B: NDArray[Any], run: bool, h: float) -> None:
        """One tick: specific force (3,) [m/s2] and angular rate (3,) [rad/s] at the driver's head in vehicle axes -> pose and legs.

        `run` is False while the simulation is paused or replayed: the washout fades and the platform returns to neutral.
        Any numbers are allowed. Raises ValueError when h [s] is not the tick this was made for.
        """
        if h != self.h:
            raise ValueError(f"motion cueing was made for ticks of {self.h} s, got {h} s")
        cueing_step(self._p, self._s, self._washed, f_H_B, w_WB_B, run)

    def arm(self) -> None:
        """Consent to motion: the platform rises, and follows the simulation while it runs."""
        self._s[0]["armed"] = 1

    def park(self) -> None:
        """Withdraw consent: the washout fades, the platform returns to neutral, goes down and switches off."""
        self._s[0]["armed"] = 0

    def reset(self) -> None:
        """The vehicle was put elsewhere. The platform does not step: it glides to neutral, and the washout blends in anew."""
        self.resets += 1
        rest(self._s, self._washed)
        anchor(self._s, self._s[0]["pose"], self._s[0]["rates"])

    def trip(self) -> None:
        """Something failed: fade, park, and stay there until `acknowledge`."""
        self._s[0]["tripped"] = 1

    def acknowledge(self) -> None:
        """Somebody has seen the fault. The platform parks, if it has not, and may be armed again."""
        self._s[0]["tripped"] = 0
        self._s[0]["bad_time"] = 0.0

    @property
    def state(self) -> str:
        """One of off, parked, rise, neutral, blend, engaged, paused, park, fault."""
        return STATE_NAMES[int(self._s[0]["state"])]

    @property
    def state_number(self) -> int:
        """Its place in STATE_NAMES, which the stream carries."""
        return int(self._s[0]["state"])

    @property
    def pose(self) -> NDArray[Any]:
        """(6,) x, y, z [m], roll, pitch, yaw [rad] commanded, from neutral; a view that changes with every step."""
        return self._s[0]["pose"]

    @property
    def pose_rates(self) -> NDArray[Any]:
        """(6,) their rates [m/s, rad/s]; a view."""
        return self._s[0]["rates"]

    @property
    def legs(self) -> NDArray[Any]:
        """(6,) leg lengths commanded [m]; a view."""
        return self._s[0]["legs"]

    @property
    def records(self) -> tuple[Record, Record, Record]:
        """PARAMETERS, STATES and POSE records, for kernels that call `cueing_step` themselves."""
        return self._p, self._s, self._washed

    @property
    def readout(self) -> Record:
        """Everything inside, see LIMITER, PROCEDURE and STATE: leg speeds, pose asked for, gain, counts of bad input."""
        return self._s

    @property
    def washed(self) -> Record:
        """POSE record that the washout asks for, before blending and limits."""
        return self._washed


def _copy(source: Record, target: Record) -> None:
    """Fill the fields of `target` that `source` has."""
    for name in source.dtype.names or ():
        target[0][name] = source[0][name]


@kernel
def cueing_step(p, s, washed, f_H_B, w_WB_B, run):
    """One tick: procedure, washout, limiter. `p` PARAMETERS, `s` STATES, `washed` POSE; f_H_B (3,) [m/s2], w_WB_B (3,) [rad/s].

    Should the pose asked for ever not be a number, which no input brings about, the limiter holds and the platform is tripped.
    """
    h = p[0]["h"]
    check_input(p, s, f_H_B, w_WB_B, h)
    if procedure_step(p, s, run, h):
        rest(s, washed)
    else:
        washout_step(p, s, s[0]["felt_force"], s[0]["felt_rate"], h, washed)
    ask_for(p, s, washed)
    refused = s[0]["refused"]
    limit_step(p, s, s[0]["asked"], h)
    if s[0]["refused"] != refused:
        s[0]["tripped"] = 1
        rest(s, washed)
        anchor(s, s[0]["pose"], s[0]["rates"])
