"""Definitions of the datasheet: the table of items, `ITEMS`, and the table of the cases that they need, `CASES`.

An item is a value of the vehicle at rest (`simulator.validation.datasheet.static_values`) or of cases. A case is a maneuver or a series
of the library. It runs once for all items that use it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.units import SHOWN, factor_of


@dataclass(frozen=True)
class Case:
    """A maneuver or series to run."""

    run: str
    """Name of the maneuver or series."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of a maneuver that differ from its file."""
    metrics: tuple[Mapping[str, Any], ...] = ()
    """Analyses instead of those in its file."""
    series: bool = False
    """True if it is a series or a search, which `--quick` omits."""


class ItemSource:
    """Source of the value of an item."""


@dataclass(frozen=True)
class StaticState(ItemSource):
    """The vehicle at rest: the value with the name of the item."""


@dataclass(frozen=True)
class Metric(ItemSource):
    """A metric of cases."""

    cases: tuple[str, ...]
    name: str
    """Name without unit; the unit is the unit of the item."""
    of: str = "mean"
    """Combination of several runs: mean, min or max."""
    maneuver: str = ""
    """Maneuver whose runs count, for a series."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the runs that count."""


@dataclass(frozen=True)
class Passed(ItemSource):
    """1 if every counting run of a case satisfied its limits, else 0."""

    case: str
    maneuver: str = ""


@dataclass(frozen=True)
class Highest(ItemSource):
    """Result of a search."""

    case: str
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AtHighest(ItemSource):
    """A metric of the passed run with the highest value of a search."""

    case: str
    parameter: str
    name: str


@dataclass(frozen=True)
class DatasheetItem:
    """One item of the datasheet."""

    name: str
    group: str
    title: str
    """Short title for display."""
    unit: str
    """SI unit; "1": none."""
    shown: str
    """Display unit (suffix); empty: SI."""
    source: ItemSource
    meaning: str
    words: tuple[str, ...] = ()
    """Words for the values 0, 1 ..."""
    test_end: float = math.inf
    """Value at which the test ends [SI]; a vehicle that reaches it has at least the value found."""

    @property
    def factor(self) -> float:
        """Factor from the display unit to SI."""
        factor = factor_of(self.unit, self.shown) if self.shown else 1.0
        assert factor is not None, self.name
        return factor

    @property
    def shown_unit(self) -> str:
        """Display unit as text; empty without a unit."""
        return SHOWN.get(self.shown, self.shown) or ("" if self.unit == "1" else self.unit)


BANDS = ((0.03, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4))
"""Bands of lateral acceleration of the understeer gradient in g."""
LOW_BAND = (0.05, 0.3)
"""Lateral accelerations in g in which the response should be uniform: band of the minimum and of the change of the understeer gradient."""
TURN_KPH = 72.0
"""Speed of the steady turns in km/h."""
TURN_END = 1.5
"""Lateral acceleration in g at which `iso_4138_constant_speed` ends."""
RIDE_SPEED = 15.0
"""Speed of the linearization in m/s."""
HALF_ROUNDS = (10, 15, 20, 25, 30)
"""Heights of the half-rounds in cm, about 4 to 12 in."""
HARD_PEDAL = 0.8
"""Pedal position of the stop that shows which axle locks first."""


def band_name(low: float, high: float) -> str:
    """Return the prefix of the metrics of a band."""
    return f"band_{low * 100:02.0f}_{high * 100:02.0f}"


_TURN_METRICS: tuple[Mapping[str, Any], ...] = (
    {"type": "steady_turn", "phase": "turn"},
    *({"type": "steady_turn", "name": band_name(*band), "phase": "turn", "from_g": band[0], "to_g": band[1]} for band in BANDS),
    {"type": "steady_turn", "name": "low", "phase": "turn", "from_g": LOW_BAND[0], "to_g": LOW_BAND[1]},
)
_DIVE = "(mean({}) - mean(during(pitch, 'settle'))) / -mean({})".format(
    *(f"between({name}, phase_start('brake') + 1, phase_start('brake') + 2)" for name in ("pitch", "a_WG_B_x"))
)

CASES: dict[str, Case] = {
    "turn_left": Case("iso_4138_constant_speed", {"speed_kph": TURN_KPH, "direction": 1}, _TURN_METRICS),
    "turn_right": Case("iso_4138_constant_speed", {"speed_kph": TURN_KPH, "direction": -1}, _TURN_METRICS),
    "circle_left": Case("turning_circle", {"direction": 1}),
    "circle_right": Case("turning_circle", {"direction": -1}),
    "parked": Case("parked_steering"),
    "on_center": Case("on_center"),
    "release": Case("returnability"),
    "full_throttle": Case("acceleration", {"throttle": 1}, ({"type": "acceleration", "speed_kph": 48},)),
    "throttle_80": Case("acceleration", {"throttle": 0.8}, ({"type": "acceleration", "speed_kph": 48},)),
    "throttle_40": Case("acceleration", {"throttle": 0.4}, ({"type": "acceleration", "speed_kph": 48},)),
    "top_speed": Case("top_speed"),
    "climb_10": Case("climb_10", {"throttle": 1}),
    "climb_10_throttle_60": Case("climb_10", {"throttle": 0.6}),
    "climb_40": Case("climb_40", {"throttle": 1}),
    "climb_60": Case("climb_60", {"throttle": 1}),
    "side_slope_40": Case("side_slope_40"),
    "stop_half": Case("braking_straight", {"pedal": 0.5}),
    "stop_hard": Case("braking_straight", {"pedal": HARD_PEDAL}),
    "stop_20_mph": Case("braking_straight", {"pedal": 0.5, "speed_kph": 32.19}),
    "dive": Case("braking_straight", {"pedal": 0.3}, ({"type": "expression", "name": "dive_gradient", "of": _DIVE, "unit": "rad s2/m"},)),
    "creep": Case("creep"),
    "coast_down": Case("coast_down"),
    "drawbar": Case("drawbar_pull"),
    "dry_sand": Case("soft_soil_dry_sand"),
    "clayey_loam": Case("soft_soil_clayey_loam"),
    "gravel": Case("comfort"),
    "braking_limit": Case("braking_limit", series=True),
    "iso_7401": Case("iso_7401", series=True),
    "weave_levels": Case("weave_levels", series=True),
    "avtp": Case("avtp_limit", series=True),
    "iso_3888_1": Case("iso_3888_1_limit", series=True),
    "iso_3888_2": Case("iso_3888_2_limit", series=True),
    "fmvss_126": Case("fmvss_126", series=True),
    "half_round": Case("half_round_limits", series=True),
    "ride_limit": Case("ride_limit", series=True),
    "fishhook": Case("nhtsa_fishhook", series=True),
    "j_turn": Case("nhtsa_j_turn", series=True),
}
"""Cases by name."""

_STANDING = StaticState()
_SIDES = ("left", "right")
_ENDS = ("front", "rear")
_TURNS, _CIRCLES = ("turn_left", "turn_right"), ("circle_left", "circle_right")
_CLIMBED, _WENT, _KEPT = ("rolled back", "climbed"), ("no-go", "go"), ("not kept", "kept")


def _stance() -> tuple[DatasheetItem, ...]:
    group = "Mass and size"

    def fact(name: str, title: str, unit: str, shown: str, meaning: str) -> DatasheetItem:
        return DatasheetItem(name, group, title, unit, shown, _STANDING, meaning)

    return (
        fact("mass", "mass", "kg", "", "sum of all bodies"),
        fact("load", "load", "kg", "", "masses fixed to the chassis, such as crew and cargo"),
        fact("mass_unladen", "mass without load", "kg", "", "sum of all other bodies"),
        *(
            fact(f"axle_load_{end}", f"load of the {end}most axle", "kg", "", f"forces of the ground on the {end}most axle, over gravity")
            for end in _ENDS
        ),
        fact("front_share", "load fraction of the front axle", "1", "", "load of the frontmost axle over the weight"),
        fact("length", "length", "m", "", "of the body"),
        fact("width", "width", "m", "", "of the body"),
        fact("wheelbase", "wheelbase at rest", "m", "", "distance of the wheel centers of the first and the last axle"),
        fact("track_front", "track, front, at rest", "m", "", "between the contact points of the frontmost axle"),
        fact("track_rear", "track, rear, at rest", "m", "", "between the contact points of the rearmost axle"),
        fact("ground_clearance", "ground clearance at rest", "m", "", "of the lowest point of the body or frame that may touch the ground"),
    )


def _alignment() -> tuple[DatasheetItem, ...]:
    group = "Alignment and suspension at rest"
    facts = [
        DatasheetItem(f"{what}_{end}_{side}", group, f"{what}, {end} {side}", "rad", "deg", _STANDING, meaning)
        for what, meaning in (
            ("toe", "heading of the wheel against the chassis, + = towards the middle (toe-in)"),
            ("camber", "inclination of the wheel plane against the chassis, + = top outward"),
        )
        for end in _ENDS
        for side in _SIDES
    ]
    for end in _ENDS:
        facts += [
            DatasheetItem(
                f"jounce_{end}", group, f"wheel above design height, {end}", "m", "mm", _STANDING,
                "height of the wheel center above its design position, mean of the axle",
            ),
            DatasheetItem(
                f"travel_used_{end}", group, f"travel used, {end}", "1", "", _STANDING,
                "position of the wheel in its travel: 0 = full rebound, 1 = full bump",
            ),
            DatasheetItem(f"bump_travel_{end}", group, f"bump travel left, {end}", "m", "mm", _STANDING, "travel of the wheel to its upper end"),
            DatasheetItem(f"rebound_travel_{end}", group, f"rebound travel left, {end}", "m", "mm", _STANDING, "travel of the wheel to its lower end"),
            DatasheetItem(f"rebound_share_{end}", group, f"rebound over bump travel, {end}", "1", "", _STANDING, "remaining rebound travel over remaining bump travel"),
            DatasheetItem(
                f"rebound_stop_{end}", group, f"rebound stop engaged, {end}", "m", "mm", _STANDING,
                "spring length minus the length at which the rebound stop engages; < 0 = distance to the stop",
            ),
        ]  # fmt: skip
    return tuple(facts)


def _ride() -> tuple[DatasheetItem, ...]:
    group = f"Ride modes, linearized at {RIDE_SPEED:g} m/s"
    facts = []
    for mode, what in (("bounce", "heave of the body"), ("pitch", "pitch of the body"), ("roll", "roll of the body")):
        facts += [
            DatasheetItem(f"{mode}_frequency", group, f"{mode}, natural frequency", "rad/s", "Hz", _STANDING, f"{what}, undamped"),
            DatasheetItem(f"{mode}_damping", group, f"{mode}, damping ratio", "1", "", _STANDING, f"damping ratio of the mode, {what}"),
        ]
    for most, word in (("least", "minimum"), ("most", "maximum")):
        facts += [
            DatasheetItem(
                f"wheel_hop_frequency_{most}", group, f"wheel hop, {word} frequency", "rad/s", "Hz", _STANDING, "of all wheel hop modes"
            ),
            DatasheetItem(f"wheel_hop_damping_{most}", group, f"wheel hop, {word} damping", "1", "", _STANDING, "of all wheel hop modes"),
        ]
    return (
        *facts,
        DatasheetItem(
            "roll_gradient", group, "roll per g of lateral acc.", "rad s2/m", "degpg", Metric(_TURNS, "roll_gradient"),
            "in steady turns, mean of both sides",
        ),
        DatasheetItem(
            "dive_gradient", group, "dive per g of deceleration", "rad s2/m", "degpg", Metric(("dive",), "dive_gradient"),
            "pitch in a stop with a third of the pedal",
        ),
        DatasheetItem(
            "ride_limit_speed", group, "6 W ride limit, 1 in rms", "m/s", "kph", Highest("ride_limit"),
            "highest speed on a rough course of 1 in rms with no more than 6 W absorbed; no waves below a meter",
        ),
        *(
            DatasheetItem(
                f"shock_limit_speed_{cm}", group, f"2.5 g limit, half-round of {cm} cm", "m/s", "kph",
                Highest("half_round", {"terrain": f"half_round_{cm}"}),
                "highest speed over a half-round of that height with no more than 2.5 g at the driver",
            )
            for cm in HALF_ROUNDS
        ),
        DatasheetItem(
            "gravel_vibration", group, "vibration on gravel at 40 km/h", "m/s2", "", Metric(("gravel",), "vibration_total"),
            "total of ISO 2631-1 with the factors of health",
        ),
    )  # fmt: skip


def _handling() -> tuple[DatasheetItem, ...]:
    group = f"Steady turns at {TURN_KPH:g} km/h"
    facts = [
        DatasheetItem(
            f"understeer_{side}_{band_name(*band)}", group, f"understeer, {side}, {band[0]:g}-{band[1]:g} g", "rad s2/m", "degpg",
            Metric((f"turn_{side}",), f"{band_name(*band)}_understeer_gradient_{side}"),
            "road-wheel angle in addition to that of a slow turn, per lateral acceleration, within the band",
        )
        for band in BANDS
        for side in _SIDES
    ]  # fmt: skip
    facts += [
        DatasheetItem(
            f"understeer_{word}", group, f"understeer, {title}, {LOW_BAND[0]:g}-{LOW_BAND[1]:g} g", "rad s2/m", "degpg",
            Metric(_TURNS, f"low_understeer_gradient_{word}", of), "over windows of 0.1 g, the worse of both sides",
        )
        for word, title, of in (("least", "minimum", "min"), ("change", "change", "max"))
    ]  # fmt: skip
    facts += [
        DatasheetItem(
            f"lateral_acceleration_{side}", group, f"lateral acceleration, {side}", "m/s2", "g",
            Metric((f"turn_{side}",), "steady_lateral_acceleration_max"), f"steady; the test ends at {TURN_END:g} g",
            test_end=TURN_END * STANDARD_GRAVITY,
        )
        for side in _SIDES
    ]  # fmt: skip
    facts += [
        DatasheetItem(
            "sideslip_gradient", group, "sideslip per g", "rad s2/m", "degpg", Metric(_TURNS, "sideslip_gradient"),
            "of the center of mass, mean of both sides",
        ),
        DatasheetItem(
            "steering_torque_gradient", group, "steering torque per g", "N m s2/m", "Nmpg", Metric(_TURNS, "steering_torque_gradient"),
            "at the steering wheel, mean of both sides",
        ),
    ]  # fmt: skip
    return (*facts, *_transient())


def _transient() -> tuple[DatasheetItem, ...]:
    group = "Steering response at 80 km/h"

    def step(name: str, title: str, unit: str, metric: str, meaning: str, shown: str = "") -> DatasheetItem:
        source = Metric(("iso_7401",), metric, maneuver="iso_7401_step")
        return DatasheetItem(name, group, title, unit, shown, source, f"{meaning}; step to 4 m/s2, mean of both sides [ISO 7401, mem]")

    def frequency(name: str, title: str, unit: str, metric: str, meaning: str, shown: str = "") -> DatasheetItem:
        return DatasheetItem(
            name, group, title, unit, shown, Metric(("iso_7401",), metric, maneuver="iso_7401_random"), f"{meaning}, random steering"
        )

    return (
        step("yaw_response_time", "yaw rate, T90", "s", "yaw_rate_response_time", "from half of the step to 90 % of the steady yaw rate"),
        step("yaw_peak_time", "yaw rate, time to the peak", "s", "yaw_rate_peak_time", "from half of the step"),
        step("yaw_overshoot", "yaw rate, overshoot", "1", "yaw_rate_overshoot", "(peak - steady) / steady"),
        step("yaw_gain", "yaw rate, steady gain", "1/s", "yaw_rate_steady_gain", "yaw rate per steering-wheel angle"),
        step("lateral_response_time", "lateral acceleration, T90", "s", "lateral_acceleration_response_time",
             "from half of the step to 90 % of the steady value"),
        step("tb_factor", "TB factor", "rad s", "tb_factor", "peak time of the yaw rate times sideslip", "degs"),
        *(
            frequency(
                f"yaw_phase_{f}_hz", f"yaw rate, phase at {f.replace('_', '.')} Hz", "rad", f"yaw_rate_phase_{f}_hz", "< 0 = late", "deg"
            )
            for f in ("0_5", "1")
        ),
        *(
            frequency(
                f"yaw_gain_{f}_hz", f"yaw rate, gain at {f.replace('_', '.')} Hz", "1/s", f"yaw_rate_gain_{f}_hz", "per rad of the wheel"
            )
            for f in ("0_2", "0_5", "1")
        ),
        *(
            DatasheetItem(
                f"yaw_gain_{level}_g", group, f"yaw rate, gain at {level.replace('_', '.')} g", "1/s", "",
                Metric(("weave_levels",), "yaw_gain", maneuver="weave", given={"share": share}), "weave at 0.2 Hz; expected to be equal at both levels",
            )
            for level, share in (("0_05", 0.16667), ("0_3", 1.0))
        ),
    )  # fmt: skip


def _steering() -> tuple[DatasheetItem, ...]:
    group = "Steering"
    facts = [
        DatasheetItem(
            f"turning_circle_{what}_{side}", group, f"turning, {where}, {side}", "m", "",
            Metric((f"circle_{side}",), f"turning_circle_{what}"), "diameter at full lock and walking pace",
        )
        for what, where in (("curb", "curb to curb"), ("wall", "wall to wall"))
        for side in _SIDES
    ]  # fmt: skip
    return (
        *facts,
        DatasheetItem("steering_ratio", group, "overall steering ratio", "1", "", _STANDING, "steering-wheel per road-wheel angle about the middle"),
        DatasheetItem("steering_turns", group, "turns from lock to lock", "1", "", _STANDING, "of the steering wheel"),
        DatasheetItem("road_wheel_angle_inner", group, "inner wheel at full lock", "rad", "deg", _STANDING, "heading at rest"),
        DatasheetItem("road_wheel_angle_outer", group, "outer wheel at full lock", "rad", "deg", _STANDING, "heading at rest"),
        DatasheetItem(
            "parked_torque", group, "steering torque, parked", "N m", "", Metric(("parked",), "steering_torque_parked"),
            "largest at the steering wheel, turned on the spot",
        ),
        DatasheetItem(
            "on_center_friction", group, "on center, friction torque", "N m", "", Metric(("on_center",), "on_center_torque_at_zero"),
            "half the width of the loop of torque over angle at 80 km/h",
        ),
        DatasheetItem(
            "on_center_gradient", group, "on center, torque per angle", "N m/rad", "Nmpdeg",
            Metric(("on_center",), "on_center_torque_gradient"), "near the center at 80 km/h",
        ),
        DatasheetItem(
            "on_center_deadband", group, "on center, deadband", "rad", "deg", Metric(("on_center",), "on_center_angle_deadband"),
            "width of the loop at torque 0",
        ),
        DatasheetItem(
            "return_left", group, "release in a turn, angle left", "1", "", Metric(("release",), "return_share_left"),
            "fraction of the steering-wheel angle that remains 3 s after its release at 4 m/s2",
        ),
        DatasheetItem(
            "return_half_time", group, "release in a turn, half time", "s", "", Metric(("release",), "return_half_time"),
            "time until half of that angle remains",
        ),
    )  # fmt: skip


def _performance() -> tuple[DatasheetItem, ...]:
    group = "Acceleration, speed, resistance"

    def full(name: str, title: str, metric: str, case: str = "full_throttle", meaning: str = "full throttle from rest") -> DatasheetItem:
        return DatasheetItem(name, group, title, "s", "", Metric((case,), metric), meaning)

    facts = [full(f"time_to_{mph}_mph", f"0-{mph} mph", f"time_to_{mph}_mph") for mph in (30, 50, 60)]
    return (
        *facts,
        full("time_to_48_kph", "0-48 km/h", "time_to_speed"),
        full("time_to_80_kph", "0-80 km/h", "time_to_80_kph"),
        full("time_to_80_kph_throttle_80", "0-80 km/h at 80 % throttle", "time_to_80_kph", "throttle_80", "expected to be no less than at full throttle"),
        DatasheetItem("top_speed", group, "top speed", "m/s", "kph", Metric(("top_speed",), "speed_top"), "full throttle on the level"),
        *(
            DatasheetItem(f"shift_jerk_{share}", group, f"jerk of shifts, {share} % throttle", "m/s3", "", Metric((case,), "shift_jerk_max"),
                 "largest change of acceleration within 0.1 s at a gear change")
            for share, case in ((40, "throttle_40"), (100, "full_throttle"))
        ),
        DatasheetItem("creep_speed", group, "creep in drive", "m/s", "kph", Metric(("creep",), "creep_speed"), "brake released, no throttle"),
        DatasheetItem("rolling_resistance", group, "rolling resistance, coasting", "1", "", Metric(("coast_down",), "coast_rolling_resistance"),
             "resistance at standstill over weight, including the drag of the transmission"),
        DatasheetItem("drag_area", group, "drag area, coasting", "m2", "", Metric(("coast_down",), "coast_drag_area"),
            "drag coefficient times area; without rotating masses"),
    )  # fmt: skip


def _slopes() -> tuple[DatasheetItem, ...]:
    group = "Grades and soil"
    facts = [
        DatasheetItem(f"grade_{percent}", group, f"{percent} % from rest, full throttle", "1", "", Passed(f"climb_{percent}"),
             "climbed: rolled back by no more than 0.5 m, and moving at the end", _CLIMBED)
        for percent in (10, 40, 60)
    ]  # fmt: skip
    return (
        *facts,
        DatasheetItem("grade_10_speed", group, "speed up 10 % after 20 s", "m/s", "kph", Metric(("climb_10",), "climb_speed_end"), "full throttle"),
        DatasheetItem("grade_10_speed_throttle_60", group, "speed up 10 %, 60 % throttle", "m/s", "kph",
             Metric(("climb_10_throttle_60",), "climb_speed_end"), "expected to be no more than at full throttle"),
        DatasheetItem("side_slope_40", group, "side slope 40 %", "1", "", Passed("side_slope_40"), "no wheel lifts, and the vehicle follows the path", _KEPT),
        DatasheetItem("side_slope_wheel_load", group, "minimum wheel load on it", "N", "kN", Metric(("side_slope_40",), "wheel_load_min"), ""),
        DatasheetItem("drawbar_pull", group, "drawbar pull, dry sand", "N", "kN", Metric(("drawbar",), "drawbar_pull_max"), "full throttle, first gear"),
        DatasheetItem("drawbar_coefficient", group, "drawbar pull over load", "1", "", Metric(("drawbar",), "drawbar_pull_coefficient"), ""),
        DatasheetItem("dry_sand", group, "dry sand", "1", "", Passed("dry_sand"), "stop in it, then start moving again", _WENT),
        DatasheetItem("clayey_loam", group, "clayey loam", "1", "", Passed("clayey_loam"), "stop in it, then start moving again", _WENT),
    )  # fmt: skip


def _braking() -> tuple[DatasheetItem, ...]:
    group = "Braking, dry"
    return (
        DatasheetItem("stop_half_pedal", group, "60 mph to rest, half the pedal", "m", "", Metric(("stop_half",), "stopping_distance"), ""),
        DatasheetItem("stop_best", group, "60 mph to rest, best straight", "m", "", AtHighest("braking_limit", "pedal", "stopping_distance"),
             "with the highest pedal position with a heading change of no more than 5 deg"),
        DatasheetItem("stop_best_pedal", group, "pedal of that stop", "1", "", Highest("braking_limit"), "fraction of the pedal travel"),
        DatasheetItem("stop_20_mph", group, "20 mph to rest, half the pedal", "m", "", Metric(("stop_20_mph",), "stopping_distance"), ""),
        DatasheetItem("first_lock", group, f"first locked axle, pedal {HARD_PEDAL:g}", "1", "", Metric(("stop_hard",), "first_locked_axle"),
             "axle whose wheel locks first, from 60 mph", ("none", "front axle", "second axle")),
        DatasheetItem("yaw_hard_stop", group, "heading change in that stop", "rad", "deg", Metric(("stop_hard",), "braking_yaw_angle_max"),
             "largest change of heading in that stop"),
    )  # fmt: skip


def _limits() -> tuple[DatasheetItem, ...]:
    group = "Limits"
    facts = [
        DatasheetItem(
            f"{name}_{side}",
            group,
            f"{title}, {side}",
            "m/s",
            "kph",
            Highest(case, {"side": side}),
            "highest speed without hitting a cone or leaving the lane",
        )
        for name, case, title in (
            ("avtp_speed", "avtp", "NATO AVTP lane change"),
            ("iso_3888_1_speed", "iso_3888_1", "ISO 3888-1"),
            ("iso_3888_2_speed", "iso_3888_2", "ISO 3888-2"),
        )
        for side in _SIDES
    ]
    dwell = "sine_with_dwell"
    return (
        *facts,
        DatasheetItem("steer_at_0_3_g", group, "FMVSS 126: wheel at 0.3 g", "rad", "deg",
             Metric(("fmvss_126",), "steering_angle_at_level", maneuver="slowly_increasing_steer"), "A, mean of both sides, 80 km/h"),
        DatasheetItem("fmvss_126", group, "FMVSS 126: criteria", "1", "", Passed("fmvss_126", dwell),
             "sine with dwell from 5 A on; written for vehicles with stability control", _KEPT),
        DatasheetItem("dwell_yaw_ratio_1_00", group, "FMVSS 126: yaw ratio at 1.00 s", "1", "",
             Metric(("fmvss_126",), "yaw_rate_ratio_1_00s", "max", dwell), "the worst that counts; no more than 0.35"),
        DatasheetItem("dwell_yaw_ratio_1_75", group, "FMVSS 126: yaw ratio at 1.75 s", "1", "",
             Metric(("fmvss_126",), "yaw_rate_ratio_1_75s", "max", dwell), "the worst that counts; no more than 0.20"),
        DatasheetItem("dwell_displacement", group, "FMVSS 126: displacement", "m", "",
             Metric(("fmvss_126",), "lateral_displacement", "min", dwell), "the minimum that counts; no less than 1.83 m"),
        DatasheetItem("fishhook", group, "NHTSA fishhook to 50 mph", "1", "", Passed("fishhook", "fishhook"), "two wheels never lifted at once", _KEPT),
        DatasheetItem("j_turn", group, "NHTSA J-turn to 60 mph", "1", "", Passed("j_turn", "j_turn"), "two wheels never lifted at once", _KEPT),
    )  # fmt: skip


ITEMS: tuple[DatasheetItem, ...] = (
    *_stance(), *_alignment(), *_ride(), *_handling(), *_steering(), *_performance(), *_slopes(), *_braking(), *_limits(),
)  # fmt: skip
"""All items in the order of the page."""
