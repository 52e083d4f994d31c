"""What is told of a vehicle, and what is driven to find it out: two tables, `ITEMS` and `CASES`.

A fact comes of the standing vehicle (`simulator.validation.datasheet.static_values`), or of one or several cases. A case is a maneuver or a series of the library,
driven once however many facts come of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.base.units import SHOWN, factor_of


@dataclass(frozen=True)
class Case:
    """What is driven."""

    run: str
    """Maneuver or series, by name."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Of a maneuver, where they are other than in its file."""
    metrics: tuple[Mapping[str, Any], ...] = ()
    """Analyses instead of those of its file."""
    series: bool = False
    """Whether it is a series or a search; `--quick` leaves these out."""


class ItemSource:
    """Where a fact comes from."""


@dataclass(frozen=True)
class StaticState(ItemSource):
    """The standing vehicle: a number of the fact's own name."""


@dataclass(frozen=True)
class Metric(ItemSource):
    """A metric of cases."""

    cases: tuple[str, ...]
    name: str
    """Without unit; the unit is that of the fact."""
    of: str = "mean"
    """What is made of several runs: mean, min or max."""
    maneuver: str = ""
    """Of a series, the runs of this maneuver that count."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Of these, the ones with these parameters."""


@dataclass(frozen=True)
class Passed(ItemSource):
    """1 when every run of a case that counts has kept its limits, else 0."""

    case: str
    maneuver: str = ""


@dataclass(frozen=True)
class Highest(ItemSource):
    """What a search has found."""

    case: str
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AtHighest(ItemSource):
    """A metric of the run with the highest value of a search that has passed."""

    case: str
    parameter: str
    name: str


@dataclass(frozen=True)
class DatasheetItem:
    """One number about a vehicle."""

    name: str
    group: str
    title: str
    """For people, short."""
    unit: str
    """SI unit; "1": none."""
    shown: str
    """Unit (suffix) in which it is shown; nothing: SI."""
    source: ItemSource
    meaning: str
    words: tuple[str, ...] = ()
    """What the values 0, 1 ... are called."""

    @property
    def factor(self) -> float:
        """Of the unit in which it is shown, to SI."""
        factor = factor_of(self.unit, self.shown) if self.shown else 1.0
        assert factor is not None, self.name
        return factor

    @property
    def shown_unit(self) -> str:
        """That unit as people write it; nothing where there is none."""
        return SHOWN.get(self.shown, self.shown) or ("" if self.unit == "1" else self.unit)


BANDS = ((0.03, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4))
"""g. Lateral acceleration of the bands of the understeer gradient."""
LOW_BAND = (0.05, 0.3)
"""g. Where a vehicle is to answer alike: band of the least understeer gradient and of its change."""
TURN_KPH = 72.0
"""Speed of the steady turns."""
RIDE_SPEED = 15.0
"""m/s at which the vehicle is linearized."""
HALF_ROUNDS = (10, 15, 20, 25, 30)
"""cm. About 4 to 12 in."""
HARD = 0.8
"""Pedal of the stop that tells which axle locks first."""


def band_name(low: float, high: float) -> str:
    """Of a band, as it goes before the names of its metrics."""
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
    "stop_hard": Case("braking_straight", {"pedal": HARD}),
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
"""By the names that facts say."""

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
        fact("mass_unladen", "mass without its load", "kg", "", "sum of all other bodies"),
        *(
            fact(f"axle_load_{end}", f"load of the {end}most axle", "kg", "", f"forces of the ground on the {end}most axle, over gravity")
            for end in _ENDS
        ),
        fact("front_share", "share of the front axle", "1", "", "load of the frontmost axle over the weight"),
        fact("length", "length", "m", "", "of the body"),
        fact("width", "width", "m", "", "of the body"),
        fact("wheelbase", "wheelbase at rest", "m", "", "from the first to the last axle's wheel centres"),
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
                "height of the wheel centre above its design position, mean of the axle",
            ),
            DatasheetItem(
                f"travel_used_{end}", group, f"share of travel used, {end}", "1", "", _STANDING,
                "where the wheel stands between its ends: 0 = full rebound, 1 = full bump",
            ),
            DatasheetItem(f"bump_travel_{end}", group, f"bump travel left, {end}", "m", "mm", _STANDING, "way of the wheel to its upper end"),
            DatasheetItem(f"rebound_travel_{end}", group, f"rebound travel left, {end}", "m", "mm", _STANDING, "way of the wheel to its lower end"),
            DatasheetItem(f"rebound_share_{end}", group, f"rebound over bump left, {end}", "1", "", _STANDING, "travel left in rebound over that in bump"),
            DatasheetItem(
                f"rebound_stop_{end}", group, f"rebound stop pressed, {end}", "m", "mm", _STANDING,
                "how far the spring is longer than the length at which its rebound stop begins; < 0 = so far from it",
            ),
        ]  # fmt: skip
    return tuple(facts)


def _ride() -> tuple[DatasheetItem, ...]:
    group = f"Ride modes, linearized at {RIDE_SPEED:g} m/s"
    facts = []
    for mode, what in (("bounce", "heave of the body"), ("pitch", "pitch of the body"), ("roll", "roll of the body")):
        facts += [
            DatasheetItem(f"{mode}_frequency", group, f"{mode}, natural frequency", "rad/s", "Hz", _STANDING, f"{what}, undamped"),
            DatasheetItem(f"{mode}_damping", group, f"{mode}, damping ratio", "1", "", _STANDING, f"of the same mode, {what}"),
        ]
    for most, word in (("least", "smallest"), ("most", "largest")):
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
            "highest speed on a rough course of 1 in rms with no more than 6 W absorbed; no waves below a metre",
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
            "road-wheel angle beyond that of a slow turn per lateral acceleration, within the band",
        )
        for band in BANDS
        for side in _SIDES
    ]  # fmt: skip
    facts += [
        DatasheetItem(
            f"understeer_{word}", group, f"understeer, {title}, {LOW_BAND[0]:g}-{LOW_BAND[1]:g} g", "rad s2/m", "degpg",
            Metric(_TURNS, f"low_understeer_gradient_{word}", of), "over windows of 0.1 g, the worse of both sides",
        )
        for word, title, of in (("least", "least", "min"), ("change", "change", "max"))
    ]  # fmt: skip
    facts += [
        DatasheetItem(
            f"lateral_acceleration_{side}", group, f"lateral acceleration, {side}", "m/s2", "g",
            Metric((f"turn_{side}",), "steady_lateral_acceleration_max"), "steady",
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
    group = "Answer to the steering wheel at 80 km/h"

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
        step("lateral_response_time", "lateral acceleration, T90", "s", "lateral_acceleration_response_time", "as of the yaw rate"),
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
                Metric(("weave_levels",), "yaw_gain", maneuver="weave", given={"share": share}), "weave at 0.2 Hz; to be alike at both levels",
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
        DatasheetItem("road_wheel_angle_inner", group, "inner wheel at full lock", "rad", "deg", _STANDING, "its heading, standing"),
        DatasheetItem("road_wheel_angle_outer", group, "outer wheel at full lock", "rad", "deg", _STANDING, "its heading, standing"),
        DatasheetItem(
            "parked_torque", group, "steering torque, parked", "N m", "", Metric(("parked",), "steering_torque_parked"),
            "largest at the steering wheel, turned on the spot",
        ),
        DatasheetItem(
            "on_center_friction", group, "on centre, friction torque", "N m", "", Metric(("on_center",), "on_center_torque_at_zero"),
            "half the width of the loop of torque over angle at 80 km/h",
        ),
        DatasheetItem(
            "on_center_gradient", group, "on centre, torque per angle", "N m/rad", "Nmpdeg",
            Metric(("on_center",), "on_center_torque_gradient"), "near the centre at 80 km/h",
        ),
        DatasheetItem(
            "on_center_deadband", group, "on centre, deadband", "rad", "deg", Metric(("on_center",), "on_center_angle_deadband"),
            "width of the loop at torque 0",
        ),
        DatasheetItem(
            "return_left", group, "let go in a turn, angle left", "1", "", Metric(("release",), "return_share_left"),
            "share of the wheel's angle left 3 s after it was let go at 4 m/s2",
        ),
        DatasheetItem(
            "return_half_time", group, "let go in a turn, half back", "s", "", Metric(("release",), "return_half_time"),
            "time until half of that angle is left",
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
        full("time_to_80_kph_throttle_80", "0-80 km/h at 80 % throttle", "time_to_80_kph", "throttle_80", "to be no less than at full throttle"),
        DatasheetItem("top_speed", group, "top speed", "m/s", "kph", Metric(("top_speed",), "speed_top"), "full throttle on the level"),
        *(
            DatasheetItem(f"shift_jerk_{share}", group, f"jerk of shifts, {share} % throttle", "m/s3", "", Metric((case,), "shift_jerk_max"),
                 "largest change of acceleration within 0.1 s about a change of gear")
            for share, case in ((40, "throttle_40"), (100, "full_throttle"))
        ),
        DatasheetItem("creep_speed", group, "creep in drive", "m/s", "kph", Metric(("creep",), "creep_speed"), "brake released, no throttle"),
        DatasheetItem("rolling_resistance", group, "rolling resistance, coasting", "1", "", Metric(("coast_down",), "coast_rolling_resistance"),
             "resistance at standstill over weight; the transmission's drag is in it"),
        DatasheetItem("drag_area", group, "drag area, coasting", "m2", "", Metric(("coast_down",), "coast_drag_area"),
            "coefficient times area; turning masses not counted"),
    )  # fmt: skip


def _slopes() -> tuple[DatasheetItem, ...]:
    group = "Grades and soil"
    facts = [
        DatasheetItem(f"grade_{percent}", group, f"{percent} % from rest, full throttle", "1", "", Passed(f"climb_{percent}"),
             "climbed: not rolled back by more than 0.5 m, and going in the end", _CLIMBED)
        for percent in (10, 40, 60)
    ]  # fmt: skip
    return (
        *facts,
        DatasheetItem("grade_10_speed", group, "speed up 10 % after 20 s", "m/s", "kph", Metric(("climb_10",), "climb_speed_end"), "full throttle"),
        DatasheetItem("grade_10_speed_throttle_60", group, "the same at 60 % throttle", "m/s", "kph",
             Metric(("climb_10_throttle_60",), "climb_speed_end"), "to be no more than at full throttle"),
        DatasheetItem("side_slope_40", group, "side slope 40 %", "1", "", Passed("side_slope_40"), "no wheel lifts and the line is kept", _KEPT),
        DatasheetItem("side_slope_wheel_load", group, "least wheel load there", "N", "kN", Metric(("side_slope_40",), "wheel_load_min"), ""),
        DatasheetItem("drawbar_pull", group, "drawbar pull, dry sand", "N", "kN", Metric(("drawbar",), "drawbar_pull_max"), "full throttle, first gear"),
        DatasheetItem("drawbar_coefficient", group, "drawbar pull over load", "1", "", Metric(("drawbar",), "drawbar_pull_coefficient"), ""),
        DatasheetItem("dry_sand", group, "dry sand", "1", "", Passed("dry_sand"), "stopped in it and off again", _WENT),
        DatasheetItem("clayey_loam", group, "clayey loam", "1", "", Passed("clayey_loam"), "stopped in it and off again", _WENT),
    )  # fmt: skip


def _braking() -> tuple[DatasheetItem, ...]:
    group = "Braking, dry"
    return (
        DatasheetItem("stop_half_pedal", group, "60 mph to rest, half the pedal", "m", "", Metric(("stop_half",), "stopping_distance"), ""),
        DatasheetItem("stop_best", group, "60 mph to rest, hardest straight", "m", "", AtHighest("braking_limit", "pedal", "stopping_distance"),
             "with the highest pedal with which it turns by no more than 5 deg"),
        DatasheetItem("stop_best_pedal", group, "pedal of that stop", "1", "", Highest("braking_limit"), "share of its way"),
        DatasheetItem("stop_20_mph", group, "20 mph to rest, half the pedal", "m", "", Metric(("stop_20_mph",), "stopping_distance"), ""),
        DatasheetItem("first_lock", group, f"first to lock, pedal {HARD:g}", "1", "", Metric(("stop_hard",), "first_locked_axle"),
             "the axle of which a wheel locks first, from 60 mph", ("none", "front axle", "second axle")),
        DatasheetItem("yaw_hard_stop", group, "turned by then", "rad", "deg", Metric(("stop_hard",), "braking_yaw_angle_max"),
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
            "highest speed without a cone or a lane left",
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
             Metric(("fmvss_126",), "lateral_displacement", "min", dwell), "the least that counts; no less than 1.83 m"),
        DatasheetItem("fishhook", group, "NHTSA fishhook to 50 mph", "1", "", Passed("fishhook", "fishhook"), "two wheels never up together", _KEPT),
        DatasheetItem("j_turn", group, "NHTSA J-turn to 60 mph", "1", "", Passed("j_turn", "j_turn"), "two wheels never up together", _KEPT),
    )  # fmt: skip


ITEMS: tuple[DatasheetItem, ...] = (
    *_stance(), *_alignment(), *_ride(), *_handling(), *_steering(), *_performance(), *_slopes(), *_braking(), *_limits(),
)  # fmt: skip
"""All of them, in the order of the page."""
