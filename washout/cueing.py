"""Motion cueing for the session: washout, platform state machine and limiter in one step."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError, WashoutTypeWarning
from simulator.base.field_records import filled
from simulator.base.fields import Field, Fields, Group, Variants
from simulator.base.jit import kernel
from simulator.base.memoize import memoize_by_identity
from simulator.base.rates import RATE
from simulator.base.records import Record, record
from washout import platform_state_machine
from washout.actuators import ACTUAL, ACTUATORS, actual, actuate, actuators
from washout.classical import KIND, STATE, WASHOUT, rest, washout_step
from washout.classical_runner import ClassicalRunner
from washout.contract import WashoutKind
from washout.cueing_monitor import CueingMonitor
from washout.intensity import INTENSITY, scale_input
from washout.kinds import DEFAULT, WASHOUT_KINDS
from washout.lead_compensation import LEAD, LEAD_STATE, lead, lead_step, rest_lead
from washout.limiter.limiter import LIMITER, brake_step, limit_step, limiter
from washout.motion_kernels import POSE
from washout.motion_sickness import CAR, SICKNESS, WEIGHTING, dose_step, weighting
from washout.perceived_motion import AIM, BEFORE, FELT, feel
from washout.platform import HEXAPOD
from washout.platform_procedure import PlatformProcedure
from washout.platform_state_machine import (
    PROCEDURE,
    SETTINGS,
    anchor,
    check_input,
    compose_request,
    procedure_step,
)
from washout.plugin import PLUGIN_LAYOUT, PLUGIN_STATE, pass_tick, plugin_step, rest_plugin
from washout.plugin_runner import WashoutRunner
from washout.workspace_management import BUDGET, begin_budget, blunt_edges, budget_step

PARAMETERS = (*WASHOUT, *SETTINGS, *HEXAPOD, *AIM, *PLUGIN_LAYOUT, *LEAD, *ACTUATORS, *WEIGHTING)
"""All parameters in one record, because a call from Python costs a quarter of a microsecond per record."""

STATES = (*STATE, *PROCEDURE, *LIMITER, *BEFORE, *PLUGIN_STATE, *LEAD_STATE, *ACTUAL, *INTENSITY, *BUDGET, *FELT, *SICKNESS)
"""All states in one record, for the same reason."""

_RATE = Field("rate", RATE, "rate of the washout; default: that of the type", None)


def _own(name: str) -> Fields:
    """Return the fields of a washout file that depend on its type."""
    return _fields_of(WASHOUT_KINDS.need(name))


@memoize_by_identity
def _fields_of(kind: WashoutKind) -> Fields:
    cueing = Field("cueing", Group(kind.parameters), f"settings of the {kind.name} washout")
    return (cueing,) if WASHOUT_KINDS.is_builtin(kind.name) and kind.planner is None else (cueing, _RATE)


FILE = Variants(
    "type",
    _own,
    WASHOUT_KINDS.names,
    "washout algorithm",
    (Field("procedure", Group(platform_state_machine.FILE), "times in which the platform rises, follows and parks"),),
    DEFAULT,
)
"""Fields of a file in ``configs/washouts``."""


class CueingRecords(NamedTuple):
    """Records of the motion cueing for kernels that call `cueing_step` directly."""

    p: Record
    """PARAMETERS."""
    s: Record
    """STATES, see LIMITER, PROCEDURE and STATE: leg speeds, requested pose, gain, counts of bad input."""
    washout_pose: Record
    """POSE of the washout, before blending and limits."""


class MotionCueing:
    """Motion cueing of one platform. Create it once, arm its procedure, call `step` every tick, read `pose` and `legs`.

    Parameters
    ----------
    mapping : content of a file in ``configs/washouts``: `type` (default: classical), the sections `cueing` (settings of the washout) and
        `procedure`, and for a plugin washout `rate` [Hz]
    file : name of the file, for messages
    platform : HEXAPOD record of the platform
    h : length of a tick [s], constant
    gravity : acceleration of free fall of the vehicle's world [m/s2]
    intensity : scale of the washout input, 0 to `washout.intensity.MOST`

    Attributes
    ----------
    procedure : rise, follow, park, fault
    washout : serves the washout between ticks
    tuner : changes intensity and parameters while driving
    monitor : perceived motion and sickness dose
    records : CueingRecords
    readout : STATES
    pose : (6,) x, y, z [m], roll, pitch, yaw [rad] of the commanded pose, from neutral; a view that changes with every step
    legs : (6,) commanded leg lengths [m]; a view

    Raises
    ------
    ConfigError : invalid mapping
    JounceError : the plugin washout failed
    """

    def __init__(
        self,
        mapping: Mapping[str, Any],
        file: object,
        platform: Record,
        h: float = 1e-3,
        gravity: float = STANDARD_GRAVITY,
        intensity: float = 1.0,
    ) -> None:
        kind = _kind_of(mapping, file)
        self.platform = platform
        self.h = h
        self.resets = 0
        """Number of relocations of the vehicle."""
        p, s = limiter_records(platform)
        self.records, self.readout = CueingRecords(p, s, record(POSE)), s
        self.pose, self.legs = s[0]["pose"], s[0]["legs"]
        values = FILE.read(mapping, file, "")
        _copy(filled(SETTINGS, values["procedure"]), p)
        park = s[0]["pose"].copy()
        begin_budget(s)
        s[0]["base"] = park
        self._make_actuators(park, file)
        s[0]["felt_force"] = s[0]["cue_force"] = (0.0, 0.0, gravity)
        s[0]["intensity"] = s[0]["intensity_wanted"] = intensity
        p[0]["h"], p[0]["gravity"] = h, gravity
        weighting(p, h)
        p[0]["aim_force_gain"] = p[0]["aim_rate_gain"] = 1.0
        self.washout: ClassicalRunner | WashoutRunner = (
            ClassicalRunner(values["cueing"], file, p, s) if kind is KIND else WashoutRunner(kind, values, p, s)
        )
        self.tuner = self.washout.tuner
        self.procedure, self.monitor = PlatformProcedure(p, s), CueingMonitor(p, s, self.tuner)

    def _make_actuators(self, park: NDArray[Any], file: object) -> None:
        """Set up the actuators with the platform at rest at `park`, and the lead that compensates them. Raises ConfigError."""
        p, s, _ = self.records
        at = self.platform[0]
        bandwidth, damping, delay = (float(at[name]) for name in ("actuator_bandwidth", "actuator_damping", "actuator_delay"))
        try:
            actuators(bandwidth, damping, delay, self.h, p)
        except ValueError as error:
            raise ConfigError(file, "actuator_delay", delay, f"a shorter delay for ticks of {self.h} s, because {error}") from None
        lead(bandwidth, damping, self.h, p)
        _copy(actual(park), s)
        rest_lead(p, s, park, np.zeros(6))

    def step(self, f_H_B: NDArray[Any], w_WB_B: NDArray[Any], run: bool, h: float) -> None:
        """Run one tick: specific force (3,) [m/s2] and angular rate (3,) [rad/s] at the driver's head in vehicle axes -> pose and legs.

        `run` is False while the simulation is paused or replayed: the washout fades and the platform returns to neutral.
        Any numbers are permitted. Raises ValueError if h [s] differs from the tick of the constructor.
        """
        if h != self.h:
            raise ValueError(f"wrong tick for the motion cueing; expected {self.h} s; got {h} s")
        self.washout.serve()
        self.tuner.advance(h)
        cueing_step(*self.records, f_H_B, w_WB_B, run)

    def reset(self) -> None:
        """Handle a relocation of the vehicle. The platform does not step: it moves to neutral, and the washout fades in again."""
        p, s, washout_pose = self.records
        self.resets += 1
        s[0]["wf_begun"][CAR] = 0
        if p[0]["washout_every"] == 0:
            rest(s, washout_pose)
        else:
            rest_plugin(s, washout_pose)
        anchor(p, s, s[0]["pose"], s[0]["rates"])


def _kind_of(mapping: Any, file: object) -> WashoutKind:
    """Return the washout for the `type` of a file. Raises ConfigError, JounceError."""
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, "", mapping, FILE.description())
    name = mapping.get("type", DEFAULT)
    if "type" not in mapping:
        warnings.warn(f"{file}: no type given, assuming {DEFAULT}; add `type: {DEFAULT}`", WashoutTypeWarning, stacklevel=3)
    return WASHOUT_KINDS.named(name, file, "type")


def limiter_records(platform: Record) -> tuple[Record, Record]:
    """Return PARAMETERS and STATES of a parked platform and its limiter; the other fields are zero.

    Whatever moves a platform uses these types, so that the limiter is compiled once.
    """
    p, s = record(PARAMETERS), record(STATES)
    _copy(platform, p)
    _copy(limiter(platform), s)
    return p, s


def _copy(source: Record, target: Record) -> None:
    """Copy the common fields of `source` to `target`."""
    for name in source.dtype.names or ():
        target[0][name] = source[0][name]


@kernel
def cueing_step(p, s, washout_pose, f_H_B, w_WB_B, run):
    """Run one tick: state machine, washout, limiter, workspace management, motion sickness.

    `p` PARAMETERS, `s` STATES, `washout_pose` POSE; f_H_B (3,) [m/s2], w_WB_B (3,) [rad/s]. If the requested pose is not finite, which no
    input can cause, the limiter keeps the pose and the platform is tripped.
    """
    h = p[0]["h"]
    check_input(p, s, f_H_B, w_WB_B, h)
    blunt_edges(p, s, scale_input(p, s, h), h)
    at_rest = procedure_step(p, s, run, h)
    if p[0]["washout_every"] != 0:
        if at_rest:
            rest_plugin(s, washout_pose)
            pass_tick(p, s)
        else:
            plugin_step(p, s, washout_pose, h)
    elif at_rest:
        rest(s, washout_pose)
    else:
        washout_step(p, s, s[0]["cue_force"], s[0]["cue_rate"], h, washout_pose)
    compose_request(p, s, washout_pose)
    if p[0]["leads"] == 1:
        lead_step(p, s, s[0]["requested_pose"])
    refused = s[0]["refused"]
    for i in range(6):
        s[0]["rates_before"][i] = s[0]["rates"][i]
    limit_step(p, s, s[0]["requested_pose"], h)
    budget_step(p, s, h)
    if s[0]["refused"] != refused:
        s[0]["tripped"] = 1
        rest(s, washout_pose)
        anchor(p, s, s[0]["pose"], s[0]["rates"])
    if p[0]["actuated"] == 1:
        actuate(p, s, s[0]["pose"])
    feel(p, s, s[0]["felt_force"], s[0]["felt_rate"], s)
    dose_step(p, s, f_H_B, s[0]["cab_f_H_P"], h)


@kernel
def brake_platform(p, s, count):
    """Run `count` ticks in which the platform stops as fast as its limits allow and then holds its pose; `p` PARAMETERS, `s` STATES."""
    for _ in range(count):
        brake_step(p, s, p[0]["h"])
