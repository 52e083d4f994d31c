"""Motion cueing for the session: washout, platform state machine and limiter in one step."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError, JounceError, WashoutTypeWarning
from simulator.base.fast_call import compiled_call
from simulator.base.fields import Field, Fields, Group, Number, Variants
from simulator.base.jit import kernel
from simulator.base.records import Record, Table, record
from washout import classical, platform_state_machine
from washout.actuators import ACTUAL, ACTUATORS, actual, actuate, actuators
from washout.classical import KIND, POSE, STATE, WASHOUT, rest, washout, washout_step
from washout.contract import WashoutKind
from washout.intensity import INTENSITY, MOST, scale_input
from washout.kinds import DEFAULT, WASHOUT_KINDS, check
from washout.lead_compensation import LEAD, LEAD_STATE, lead, lead_step, rest_lead
from washout.limiter.limiter import LIMITER, limit_step, limiter
from washout.motion_sickness import CAB, CAR, DOSE, SICKNESS, WEIGHTING, dose_step, weighting
from washout.online_tuning import OnlineTuner, TunableParameter
from washout.perceived_motion import AIM, BEFORE, FELT, feel
from washout.platform import HEXAPOD
from washout.platform_state_machine import (
    PROCEDURE,
    SETTINGS,
    STATE_NAMES,
    anchor,
    check_input,
    compose_request,
    procedure_settings,
    procedure_step,
)
from washout.plugin import PLUGIN_LAYOUT, PLUGIN_STATE, pass_tick, plugin_step, rest_plugin
from washout.plugin_runner import WashoutRunner
from washout.preview import Preview
from washout.workspace_management import BUDGET, begin_budget, blunt_edges, budget_step

PARAMETERS = (*WASHOUT, *SETTINGS, *HEXAPOD, *AIM, *PLUGIN_LAYOUT, *LEAD, *ACTUATORS, *WEIGHTING)
"""All parameters in one record, because a call from Python costs a quarter of a microsecond per record."""

STATES = (*STATE, *PROCEDURE, *LIMITER, *BEFORE, *PLUGIN_STATE, *LEAD_STATE, *ACTUAL, *INTENSITY, *BUDGET, *FELT, *SICKNESS)
"""All states in one record, for the same reason."""

_RATE = Field("rate", Number("Hz", 0.1, 2e4), "rate of the washout; default: that of the type", None)


def _own(name: str) -> Fields:
    """Return the fields of a washout file that depend on its type."""
    kind = WASHOUT_KINDS.need(name)
    cueing = Field("cueing", Group(kind.parameters), f"settings of the {name} washout")
    return (cueing,) if WASHOUT_KINDS.is_builtin(name) else (cueing, _RATE)


LIVE = (
    # name                 shape  unit  description
    *DOSE,
    ("cueing_intensity", (), "1", "scale of the washout input"),
    ("cueing_budget", (), "1", "scale of the washout input that limits motion beyond the capability of the legs; 1: no limit active"),
    ("cueing_changes", (), "1", "number of changes of the intensity or of a parameter of the washout", "i8"),
)
"""Log columns of the cueing, in addition to FELT."""

FILE = Variants(
    "type",
    _own,
    WASHOUT_KINDS.names,
    "washout algorithm",
    (Field("procedure", Group(platform_state_machine.FILE), "times in which the platform rises, follows and parks"),),
    DEFAULT,
)
"""Fields of a file in ``configs/washouts``."""


class MotionCueing:
    """Motion cueing of one platform. Create it once, arm it, call `step` every tick, read `pose`, `legs`, `state`.

    Parameters
    ----------
    mapping : content of a file in ``configs/washouts``: `type` (default: classical), the sections `cueing` (settings of the washout) and
        `procedure`, and for a plugin washout `rate` [Hz]
    file : name of the file, for messages
    platform : HEXAPOD record of the platform
    h : length of a tick [s], constant
    gravity : acceleration of free fall of the vehicle's world [m/s2]
    intensity : scale of the washout input, 0 to `washout.intensity.MOST`; see the property

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
        self.changes = 0
        """Number of changes of the intensity or of a parameter."""
        self._p = record(PARAMETERS)
        _copy(platform, self._p)
        values = FILE.read(mapping, file, "")
        _copy(procedure_settings(values["procedure"], file), self._p)
        self._s = record(STATES)
        self._washout_pose = record(POSE)
        self._felt, self._live = record(FELT), record(LIVE)
        park = np.array([0.0, 0.0, platform[0]["park_height"], 0.0, 0.0, 0.0])
        _copy(limiter(platform, park), self._s)
        begin_budget(self._s)
        self._s[0]["base"] = park
        self._make_actuators(park, file)
        self._s[0]["felt_force"] = self._s[0]["edge_force"] = (0.0, 0.0, gravity)
        self._s[0]["intensity"] = self._s[0]["intensity_wanted"] = intensity
        self._p[0]["h"], self._p[0]["gravity"] = h, gravity
        weighting(self._p, h)
        self._p[0]["aim_force_gain"] = self._p[0]["aim_rate_gain"] = 1.0
        self._feel: Callable | None = None
        self._runner: WashoutRunner | None = None
        if kind is KIND:
            washout(values["cueing"], file, h, self._p, gravity)
            _aim(self._p, self._p)
            self._adjuster: OnlineTuner | None = OnlineTuner(
                classical.FILE, values["cueing"], lambda changed: [(self._p, washout(changed, file, h, self._p.copy(), gravity))]
            )
        else:
            self._runner = WashoutRunner(kind, values, self._p, self._s)
            _aim(self._runner.parameters, self._p)
            self._adjuster = self._runner.adjuster

    def _make_actuators(self, park: NDArray[Any], file: object) -> None:
        """Set up the actuators with the platform at rest at `park`, and the lead that compensates them. Raises ConfigError."""
        at = self.platform[0]
        bandwidth, damping, delay = (float(at[name]) for name in ("actuator_bandwidth", "actuator_damping", "actuator_delay"))
        try:
            actuators(bandwidth, damping, delay, self.h, self._p)
        except ValueError as error:
            raise ConfigError(file, "actuator_delay", delay, f"a shorter delay for ticks of {self.h} s, because {error}") from None
        lead(bandwidth, damping, self.h, self._p)
        _copy(actual(park), self._s)
        rest_lead(self._p, self._s, park, np.zeros(6))

    def step(self, f_H_B: NDArray[Any], w_WB_B: NDArray[Any], run: bool, h: float) -> None:
        """Run one tick: specific force (3,) [m/s2] and angular rate (3,) [rad/s] at the driver's head in vehicle axes -> pose and legs.

        `run` is False while the simulation is paused or replayed: the washout fades and the platform returns to neutral.
        Any numbers are permitted. Raises ValueError if h [s] differs from the tick of the constructor.
        """
        if h != self.h:
            raise ValueError(f"wrong tick for the motion cueing; expected {self.h} s; got {h} s")
        self.serve()
        self.adjust(h)
        cueing_step(self._p, self._s, self._washout_pose, f_H_B, w_WB_B, run)

    @property
    def every(self) -> int:
        """Number of ticks between two calls of `serve`; 0 if it need not be called."""
        return 0 if self._runner is None else self._runner.every

    def serve(self, time: float = 0.0, wait: bool = True) -> None:
        """Serve a plugin washout before a tick: update its preview; fetch the pose of a washout in Python and start its next step when due.

        Parameters
        ----------
        time : simulated time [s]
        wait : True: wait for the pose, if the run is not in real time
        """
        if self._runner is not None:
            self._runner.serve(time, wait)

    @property
    def trouble(self) -> str:
        """Reason why the plugin washout was stopped, in one line; empty while it works. The platform then moves to neutral and stays there."""
        return "" if self._runner is None else self._runner.trouble

    def foresee(self, preview: Preview) -> None:
        """Use `preview` as the preview of a predictive washout. Raises JounceError for a washout without a preview."""
        if self._runner is None:
            raise JounceError(f"washout {KIND.name}: does not use a preview")
        self._runner.preview = preview

    def close(self) -> None:
        """Stop the thread of a washout in Python. A second call has no effect."""
        if self._runner is not None:
            self._runner.close()

    def feel(self, f_H_B: NDArray[Any], w_WB_B: NDArray[Any]) -> Record:
        """Return the FELT record: perceived motion of the rider, and its error relative to the force and rate (3,) of the driver in the vehicle."""
        if self._feel is None:
            self._feel = compiled_call(feel, self._p, self._s, f_H_B, w_WB_B, self._felt)
        self._feel(self._p, self._s, f_H_B, w_WB_B, self._felt)
        live, dose = self._live[0], self._s[0]["wf_dose"]
        live["car_sickness_dose"], live["cab_sickness_dose"] = math.sqrt(dose[CAR]), math.sqrt(dose[CAB])
        live["cueing_intensity"], live["cueing_changes"] = self._s[0]["intensity"], self.changes
        live["cueing_budget"] = self._s[0]["cueing_budget"]
        return self._felt

    @property
    def felt(self) -> Record:
        """FELT record of the last call of `feel`."""
        return self._felt

    @property
    def live(self) -> Record:
        """LIVE record (sickness dose, intensity, changes) of the last call of `feel`."""
        return self._live

    def begin_dose(self) -> None:
        """Reset the motion sickness dose of driver and rider."""
        self._s[0]["wf_dose"], self._s[0]["wf_begun"] = 0.0, 0

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """Logged records in addition to `felt`, (prefix, table, record) each."""
        return [("", LIVE, self._live), *([] if self._runner is None else self._runner.logged)]

    @property
    def intensity(self) -> float:
        """Scale of the washout input, 0 to MOST; a change takes effect within a second, and filters keep their states."""
        return float(self._s[0]["intensity_wanted"])

    @intensity.setter
    def intensity(self, target: float) -> None:
        """Set the target value. Raises ConfigError if it is outside its limits."""
        if not 0.0 <= target <= MOST:
            raise ConfigError("cueing", "intensity", target, f"a number from 0 to {MOST:g}")
        self._s[0]["intensity_wanted"] = target
        self.changes += 1

    @property
    def knobs(self) -> tuple[TunableParameter, ...]:
        """Parameters of the washout that can be changed while it runs."""
        return () if self._adjuster is None else self._adjuster.knobs

    def value(self, knob: TunableParameter) -> float:
        """Return the value of a parameter that was set last [SI]."""
        assert self._adjuster is not None
        return self._adjuster.value(knob)

    def change(self, knob: TunableParameter, value: float) -> None:
        """Change a parameter to a value [SI] within a second; filters keep their states. Raises ConfigError if the value is outside its limits."""
        assert self._adjuster is not None
        self._adjuster.change(knob, value)
        self.changes += 1

    def adjust(self, passed: float) -> None:
        """Advance parameters that are changing by `passed` seconds."""
        if self._adjuster is not None and self._adjuster.advance(passed):
            _aim(self._p if self._runner is None else self._runner.parameters, self._p)

    def arm(self) -> None:
        """Enable motion: the platform rises, and follows the simulation while it runs."""
        self._s[0]["armed"] = 1

    @property
    def rises(self) -> bool:
        """True if the platform is armed and rising, but does not follow the simulation yet."""
        s = self._s[0]
        return bool(s["armed"] == 1 and s["tripped"] == 0 and s["state"] != platform_state_machine.ENGAGED)

    @property
    def rise_time(self) -> float:
        """Upper bound of the time for the rise [s]: twice the nominal time."""
        p = self._p[0]
        return 2.0 * float(p["healthy"] + p["rise"] + p["blend"])

    def park(self) -> None:
        """Disable motion: the washout fades, the platform returns to neutral, moves down and switches off."""
        self._s[0]["armed"] = 0

    def reset(self) -> None:
        """Handle a relocation of the vehicle. The platform does not step: it moves to neutral, and the washout fades in again."""
        self.resets += 1
        self._s[0]["wf_begun"][CAR] = 0
        if self._runner is None:
            rest(self._s, self._washout_pose)
        else:
            rest_plugin(self._s, self._washout_pose)
        anchor(self._p, self._s, self._s[0]["pose"], self._s[0]["rates"])

    def trip(self) -> None:
        """Report a fault: fade, park, and stay there until `acknowledge`."""
        self._s[0]["tripped"] = 1

    def acknowledge(self) -> None:
        """Acknowledge a fault. The platform parks, if it has not, and may be armed again."""
        self._s[0]["tripped"] = 0
        self._s[0]["bad_time"] = 0.0

    @property
    def state(self) -> str:
        """One of off, parked, rise, neutral, blend, engaged, paused, park, fault."""
        return STATE_NAMES[int(self._s[0]["state"])]

    @property
    def state_number(self) -> int:
        """Index of the state in STATE_NAMES, as in the stream."""
        return int(self._s[0]["state"])

    @property
    def pose(self) -> NDArray[Any]:
        """(6,) x, y, z [m], roll, pitch, yaw [rad] of the commanded pose, from neutral; a view that changes with every step."""
        return self._s[0]["pose"]

    @property
    def pose_rates(self) -> NDArray[Any]:
        """(6,) rates of the commanded pose [m/s, rad/s]; a view."""
        return self._s[0]["rates"]

    @property
    def legs(self) -> NDArray[Any]:
        """(6,) commanded leg lengths [m]; a view."""
        return self._s[0]["legs"]

    @property
    def records(self) -> tuple[Record, Record, Record]:
        """PARAMETERS, STATES and POSE records, for kernels that call `cueing_step` directly."""
        return self._p, self._s, self._washout_pose

    @property
    def readout(self) -> Record:
        """All states, see LIMITER, PROCEDURE and STATE: leg speeds, requested pose, gain, counts of bad input."""
        return self._s

    @property
    def washout_pose(self) -> Record:
        """POSE record of the washout, before blending and limits."""
        return self._washout_pose


def _kind_of(mapping: Any, file: object) -> WashoutKind:
    """Return the washout for the `type` of a file. Raises ConfigError, JounceError."""
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, "", mapping, FILE.description())
    name = mapping.get("type", DEFAULT)
    if "type" not in mapping:
        warnings.warn(f"{file}: no type given, assuming {DEFAULT}; add `type: {DEFAULT}`", WashoutTypeWarning, stacklevel=3)
    kind = WASHOUT_KINDS.named(name, file, "type")
    check(kind)
    return kind


def _aim(parameters: Record, p: Record) -> None:
    """Set the gains for the reference motion from those of the washout, if it has any."""
    for name in ("force_gain", "rate_gain"):
        if name in (parameters.dtype.names or ()) and parameters.dtype[name].shape in ((), (3,)):
            p[0][f"aim_{name}"] = parameters[0][name]


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
    scale_input(p, s, h)
    blunt_edges(p, s, h)
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
