"""Motion cueing as the session uses it: washout, procedure and limiter behind one step."""

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
from simulator.base.fields import Field, Group, Variants
from simulator.base.jit import kernel
from simulator.base.records import Record, Table, record
from washout import adaptive, classical, platform_state_machine
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
    ask_for,
    check_input,
    procedure_settings,
    procedure_step,
)
from washout.plugin import PLUGIN_LAYOUT, PLUGIN_STATE, pass_tick, plugin_step, rest_plugin
from washout.plugin_runner import WashoutRunner
from washout.preview import Preview
from washout.workspace_management import BUDGET, begin_budget, blunt_edges, budget_step

PARAMETERS = (*WASHOUT, *SETTINGS, *HEXAPOD, *AIM, *PLUGIN_LAYOUT, *LEAD, *ACTUATORS, *WEIGHTING)
"""One record for all of them: a call from Python costs a quarter of a microsecond per record."""

STATES = (*STATE, *PROCEDURE, *LIMITER, *BEFORE, *PLUGIN_STATE, *LEAD_STATE, *ACTUAL, *INTENSITY, *BUDGET, *FELT, *SICKNESS)
"""Likewise."""

OWN = {classical.KIND.name: classical.FILE, adaptive.KIND.name: adaptive.FILE}
"""Keys of the section `cueing` of the washouts that come with Jounce."""

LIVE = (
    # name                 shape  unit  what it is
    *DOSE,
    ("cueing_intensity", (), "1", "scale of what the washout is asked to show"),
    ("cueing_budget", (), "1", "scale of the same by which a motion beyond what the legs can is shown smaller; 1: it is not"),
    ("cueing_changes", (), "1", "how often somebody has changed the intensity or a parameter of the washout", "i8"),
)
"""What a log says of the cueing beside FELT."""

FILE = Variants(
    "type",
    lambda name: (Field("cueing", Group(OWN[name]), f"the {name} washout"),) if name in OWN else None,
    WASHOUT_KINDS.names,
    "who makes the motion of the platform out of that of the vehicle",
    (Field("procedure", Group(platform_state_machine.FILE), "how the platform rises, follows and parks"),),
    DEFAULT,
)
"""Of a file in ``configs/washouts``; a washout from outside reads its own part."""


class MotionCueing:
    """What the rider feels. Make it once, arm it, call `step` every tick, read `pose`, `legs`, `state`.

    Parameters
    ----------
    mapping : content of a file in ``configs/washouts``: `type`, by default classical, the sections `cueing`, which is the washout's own, and
        `procedure`, and of a washout from outside `rate` [Hz]
    file : its name, for messages
    platform : HEXAPOD record of the platform
    h : length of a tick [s]; every step takes this long
    gravity : acceleration of free fall of the vehicle's world [m/s2]
    intensity : scale of what the washout is asked to show, 0 to `washout.intensity.MOST`; see the property

    Raises
    ------
    ConfigError : the mapping cannot be used
    JounceError : the washout from outside cannot
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
        """Times that the vehicle was put elsewhere."""
        self.changes = 0
        """Times that the intensity or a parameter was changed."""
        self._p = record(PARAMETERS)
        _copy(platform, self._p)
        said = FILE.read(mapping, file, "")
        _copy(procedure_settings(said["procedure"], file), self._p)
        self._s = record(STATES)
        self._washed = record(POSE)
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
        self._tenant: WashoutRunner | None = None
        if kind is KIND:
            washout(said["cueing"], file, h, self._p, gravity)
            _aim(self._p, self._p)
            self._adjuster: OnlineTuner | None = OnlineTuner(
                classical.FILE, said["cueing"], lambda changed: [(self._p, washout(changed, file, h, self._p.copy(), gravity))]
            )
        else:
            self._tenant = WashoutRunner(kind, mapping, file, self._p, self._s)
            _aim(self._tenant.parameters, self._p)
            self._adjuster = self._tenant.adjuster

    def _make_actuators(self, park: NDArray[Any], file: object) -> None:
        """The platform rests at `park` behind its actuators, and is commanded ahead of them. Raises ConfigError."""
        at = self.platform[0]
        bandwidth, damping, delay = (float(at[name]) for name in ("actuator_bandwidth", "actuator_damping", "actuator_delay"))
        try:
            actuators(bandwidth, damping, delay, self.h, self._p)
        except ValueError as error:
            raise ConfigError(file, "actuator_delay", delay, f"a delay that ticks of {self.h} s can follow: {error}") from None
        lead(bandwidth, damping, self.h, self._p)
        _copy(actual(park), self._s)
        rest_lead(self._p, self._s, park, np.zeros(6))

    def step(self, f_H_B: NDArray[Any], w_WB_B: NDArray[Any], run: bool, h: float) -> None:
        """One tick: specific force (3,) [m/s2] and angular rate (3,) [rad/s] at the driver's head in vehicle axes -> pose and legs.

        `run` is False while the simulation is paused or replayed: the washout fades and the platform returns to neutral.
        Any numbers are allowed. Raises ValueError when h [s] is not the tick this was made for.
        """
        if h != self.h:
            raise ValueError(f"motion cueing was made for ticks of {self.h} s, got {h} s")
        self.serve()
        self.adjust(h)
        cueing_step(self._p, self._s, self._washed, f_H_B, w_WB_B, run)

    @property
    def every(self) -> int:
        """Ticks after which `serve` has to be called; 0 when it need not be."""
        return 0 if self._tenant is None else self._tenant.every

    def serve(self, time: float = 0.0, wait: bool = True) -> None:
        """Before a tick, for a washout from outside: foresee, and take and ask what one in Python answers, when it is its turn.

        time : simulated [s]
        wait : for an answer, because nobody drives in real time
        """
        if self._tenant is not None:
            self._tenant.serve(time, wait)

    @property
    def trouble(self) -> str:
        """Why the washout from outside was dropped, in one line; empty while it works. The platform then glides to neutral and stays there."""
        return "" if self._tenant is None else self._tenant.trouble

    def foresee(self, preview: Preview) -> None:
        """Have a washout that looks ahead see what `preview` foresees. Raises JounceError for one that does not look at it."""
        if self._tenant is None:
            raise JounceError(f"washout {KIND.name}: it does not look ahead")
        self._tenant.preview = preview

    def close(self) -> None:
        """End what a washout in Python works in. Calling it again does nothing."""
        if self._tenant is not None:
            self._tenant.close()

    def feel(self, f_H_B: NDArray[Any], w_WB_B: NDArray[Any]) -> Record:
        """FELT record: what the rider feels, and how far that is from the specific force and rate (3,) of the vehicle's driver."""
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
        """FELT record, as `feel` has filled it last."""
        return self._felt

    @property
    def live(self) -> Record:
        """LIVE record: sickness dose, intensity, changes, as `feel` has filled it last."""
        return self._live

    def begin_dose(self) -> None:
        """What made driver and rider sick so far does not count."""
        self._s[0]["wf_dose"], self._s[0]["wf_begun"] = 0.0, 0

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """What is worth a log beside `felt`, (prefix, table, record) each."""
        return [("", LIVE, self._live), *([] if self._tenant is None else self._tenant.logged)]

    @property
    def intensity(self) -> float:
        """Scale of what the washout is asked to show, 0 to MOST; turned, it goes there within a second, and filters keep their states."""
        return float(self._s[0]["intensity_wanted"])

    @intensity.setter
    def intensity(self, wanted: float) -> None:
        """Raises ConfigError: it is not within its limits."""
        if not 0.0 <= wanted <= MOST:
            raise ConfigError("cueing", "intensity", wanted, f"a number from 0 to {MOST:g}")
        self._s[0]["intensity_wanted"] = wanted
        self.changes += 1

    @property
    def knobs(self) -> tuple[TunableParameter, ...]:
        """Parameters of the washout that can be changed while it runs."""
        return () if self._adjuster is None else self._adjuster.knobs

    def value(self, knob: TunableParameter) -> float:
        """What a parameter was set to last [SI]."""
        assert self._adjuster is not None
        return self._adjuster.value(knob)

    def change(self, knob: TunableParameter, value: float) -> None:
        """Have a parameter go to a value [SI] within a second; filters keep their states. Raises ConfigError: it is not within its limits."""
        assert self._adjuster is not None
        self._adjuster.change(knob, value)
        self.changes += 1

    def adjust(self, passed: float) -> None:
        """So many seconds have passed since the last call, for parameters that are on their way."""
        if self._adjuster is not None and self._adjuster.advance(passed):
            _aim(self._p if self._tenant is None else self._tenant.parameters, self._p)

    def arm(self) -> None:
        """Consent to motion: the platform rises, and follows the simulation while it runs."""
        self._s[0]["armed"] = 1

    @property
    def rises(self) -> bool:
        """Whether it is armed and on its way to following the simulation."""
        s = self._s[0]
        return bool(s["armed"] == 1 and s["tripped"] == 0 and s["state"] != platform_state_machine.ENGAGED)

    @property
    def rise_time(self) -> float:
        """Time that the way up takes [s], with as much again in hand."""
        p = self._p[0]
        return 2.0 * float(p["healthy"] + p["rise"] + p["blend"])

    def park(self) -> None:
        """Withdraw consent: the washout fades, the platform returns to neutral, goes down and switches off."""
        self._s[0]["armed"] = 0

    def reset(self) -> None:
        """The vehicle was put elsewhere. The platform does not step: it glides to neutral, and the washout blends in anew."""
        self.resets += 1
        self._s[0]["wf_begun"][CAR] = 0
        if self._tenant is None:
            rest(self._s, self._washed)
        else:
            rest_plugin(self._s, self._washed)
        anchor(self._p, self._s, self._s[0]["pose"], self._s[0]["rates"])

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


def _kind_of(mapping: Any, file: object) -> WashoutKind:
    """The washout that the `type` says. Raises ConfigError, JounceError."""
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, "", mapping, FILE.words())
    name = mapping.get("type", DEFAULT)
    if "type" not in mapping:
        warnings.warn(f"{file}: no type is said, so it is {DEFAULT}; write `type: {DEFAULT}`", WashoutTypeWarning, stacklevel=3)
    kind = WASHOUT_KINDS.named(name, file, "type")
    check(kind)
    if kind is not KIND and {key for key in mapping if key not in ("type", "rate")} != {"cueing", "procedure"}:
        raise ConfigError(file, "", sorted(map(str, mapping)), "the two sections cueing and procedure, `type`, and `rate` perhaps")
    return kind


def _aim(parameters: Record, p: Record) -> None:
    """The gains of a washout are what it aims at, where it has such."""
    for name in ("force_gain", "rate_gain"):
        if name in (parameters.dtype.names or ()) and parameters.dtype[name].shape in ((), (3,)):
            p[0][f"aim_{name}"] = parameters[0][name]


def _copy(source: Record, target: Record) -> None:
    """Fill the fields of `target` that `source` has."""
    for name in source.dtype.names or ():
        target[0][name] = source[0][name]


@kernel
def cueing_step(p, s, washed, f_H_B, w_WB_B, run):
    """One tick: procedure, washout, limiter, budget of the legs, motion sickness. `p` PARAMETERS, `s` STATES, `washed` POSE; f_H_B (3,) [m/s2], w_WB_B (3,) [rad/s].

    Should the pose asked for ever not be a number, which no input brings about, the limiter holds and the platform is tripped.
    """
    h = p[0]["h"]
    check_input(p, s, f_H_B, w_WB_B, h)
    scale_input(p, s, h)
    blunt_edges(p, s, h)
    at_rest = procedure_step(p, s, run, h)
    if p[0]["washout_every"] != 0:
        if at_rest:
            rest_plugin(s, washed)
            pass_tick(p, s)
        else:
            plugin_step(p, s, washed, h)
    elif at_rest:
        rest(s, washed)
    else:
        washout_step(p, s, s[0]["cue_force"], s[0]["cue_rate"], h, washed)
    ask_for(p, s, washed)
    if p[0]["leads"] == 1:
        lead_step(p, s, s[0]["asked"])
    refused = s[0]["refused"]
    for i in range(6):
        s[0]["rates_before"][i] = s[0]["rates"][i]
    limit_step(p, s, s[0]["asked"], h)
    budget_step(p, s, h)
    if s[0]["refused"] != refused:
        s[0]["tripped"] = 1
        rest(s, washed)
        anchor(p, s, s[0]["pose"], s[0]["rates"])
    if p[0]["actuated"] == 1:
        actuate(p, s, s[0]["pose"])
    feel(p, s, s[0]["felt_force"], s[0]["felt_rate"], s)
    dose_step(p, s, f_H_B, s[0]["cab_f_H_P"], h)
