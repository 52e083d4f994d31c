"""Driveline: driveshaft, center differential, final drives with differentials, half shafts, geared hubs.

Every shaft is geared to the wheels: its speed is a fixed row n times the wheel spins W, and its inertia j adds j n n^T to the matrix of the
wheels. A differential averages speeds (the carrier turns with the mean of its outputs). An open differential splits the torque equally:

    half shaft W / h, h = wheel speed / half shaft speed      box of axle a   w_a = mean of its W / h
    shaft   w_a / i = mean of its W / f,                      f = h i, i = box speed / shaft speed
    driveshaft      w_d = mean of the shafts of the driven axles = n . W

An axle that is not driven has an infinite f and no inertias. Hubs without gears have h = 1. Speeds are absolute: the model neglects that
the housings and carriers rotate, too (less than a hundredth of the shaft speeds).

Dry friction acts in parallel to these rows: friction of differentials that bias the torque, and losses. It acts within an axle between
left and right and against the box, between the shafts of the axles, and against the driveshaft. Each element is modeled like a brake
(vehicles/brakes): an elastic, damped link in series with friction of a known limit, so that static friction holds without creep. The
solver determines the sliding elements together with the brakes (drivetrain.py). The matrix is still solved axle by axle in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_records import filled, rows
from simulator.base.fields import Choice, Field, Fields, Number
from simulator.base.jit import inline
from simulator.base.records import Record, copy_record
from simulator.base.values import Values
from vehicles.axle_layout import AXLES, STANDING, USUAL_AXLES, WHEELS, Axles, record_for
from vehicles.corner_layout import sides_of, sum_on_axle
from vehicles.drivetrain.differential import DIFFERENTIAL, differential_law
from vehicles.drivetrain.losses import LOSSES, no_losses
from vehicles.drivetrain.measured_curves import MAX_INERTIA, MIN_INERTIA
from vehicles.drivetrain.shaft_twist import TWIST, TWIST_FILE, TWIST_STATE, write_twist
from vehicles.drivetrain.transfer_case import TRANSFER_CASE

RATIO = (0.02, 1.0)
"""Box speed over shaft speed of a final drive."""
HUB_RATIO = (0.1, 1.0)
"""Wheel speed over half shaft speed."""
MAX_DIFFERENCE = 0.1
"""Largest relative difference between the final ratios of the axles."""
LINK_STIFFNESS = 1e6
"""N m/rad. Stiffness of the link of a friction element, about that of a short shaft: 1000 N m twist it by 1e-3 rad."""
LINK_DAMPING = 1e4
"""N m s/rad. Damping of the link of a friction element: it comes to rest in 0.01 s."""

_INERTIA = Number("kg m2", 0.0, MAX_INERTIA)
SHAFTS: Fields = (
    Field("driveshaft_inertia", _INERTIA, "inertia of the driveshaft and the parts that turn with it"),
    Field("half_shaft_inertia", _INERTIA, "inertia of the half shaft of one driven wheel"),
)
AXLE_FILE: Fields = (
    Field("shaft_inertia", _INERTIA, "inertia of the shaft from the center differential to the final drive of this axle"),
    Field("box_inertia", _INERTIA, "inertia of the ring gear and the differential box"),
    Field("final_ratio", Number("1", *RATIO), "box speed / shaft speed"),
)
"""Keys of each driven axle, prefixed with the name of the axle: `front_shaft_inertia`."""

AXLE_OPTIONS: Fields = (
    Field("hub_ratio", Number("1", *HUB_RATIO), "wheel speed / half shaft speed of geared hubs, which react on the knuckle", 1.0),
    Field("differential", DIFFERENTIAL, "model of the axle differential; default: open", None),
)
"""Optional keys of each driven axle, prefixed with the name of the axle."""
REACTIONS = ("plain", "whole")
DRIVELINE_OPTIONS: Fields = (
    *TWIST_FILE,
    Field("center_differential", DIFFERENTIAL, "model of the center differential between two driven axles; default: open", None),
    Field(
        "reactions",
        Choice(REACTIONS),
        "drivetrain torques on the chassis; plain: rate of the shaft spins and torques of the half shafts about the chassis axes; whole: also"
        " gyroscopic torques of the spinning shafts, and joint couples of half shafts that bend",
        "plain",
    ),
)
"""Keys of the section `driveline` that do not belong to an axle."""

DRIVELINE = (
    # name                     shape  unit     what it is
    *STANDING,
    *rows(SHAFTS),
    ("driven", (), "1", "number of driven axles", "i8"),
    ("shaft_inertia", (AXLES,), "kg m2", "per axle, inertia of the shaft from the center differential to the final drive"),
    ("box_inertia", (AXLES,), "kg m2", "per axle, inertia of the ring gear and the differential box"),
    ("final_ratio", (AXLES,), "1", "per axle, wheel speed / shaft speed; infinite: not driven"),
    ("hub_ratio", (AXLES,), "1", "per axle, wheel speed / half shaft speed"),
    ("preload", (AXLES,), "N m", "per axle, friction of the differential without torque"),
    ("drive_share", (AXLES,), "1", "per axle, friction of the differential per torque of the box while driving"),
    ("coast_share", (AXLES,), "1", "per axle, friction of the differential per torque of the box while coasting"),
    (
        "blend_speed",
        (AXLES,),
        "rad/s",
        "per axle, output speed difference at which the torque-dependent friction takes effect; 0: full at any difference",
    ),
    ("center_preload", (), "N m", "friction of the center differential without torque"),
    ("center_drive_share", (), "1", "friction of the center differential per torque of the driveshaft while driving"),
    ("center_coast_share", (), "1", "friction of the center differential per torque of the driveshaft while coasting"),
    (
        "center_blend_speed",
        (),
        "rad/s",
        "output speed difference at which the torque-dependent friction of the center differential takes effect",
    ),
    ("center_first", (), "1", "first of the two driven axles", "i8"),
    ("center_second", (), "1", "second of the two driven axles; equal to center_first unless there are two", "i8"),
    ("has_friction", (), "1", "1: the driveline has friction or losses", "i8"),
    ("joint_couples", (), "1", "1: gyroscopic torques of the shafts act on the chassis, joint couples of half shafts on the knuckle", "i8"),
    *TWIST,
    *LOSSES,
    *TRANSFER_CASE,
)

DRIVELINE_STATE = (
    # name             shape  unit    what it is
    ("shaft_torque", (AXLES,), "N m", "torque into the final drive of each axle"),
    ("side_friction", (AXLES,), "N m", "torque of the differential of each axle from its left output to the right one"),
    ("box_friction", (AXLES,), "N m", "friction torque of the losses of each axle, against its box"),
    ("center_friction", (), "N m", "torque of the center differential from its first output to the second one"),
    ("shaft_friction", (), "N m", "friction torque of the losses of gearbox and transfer case, against the driveshaft"),
    ("side_angle", (AXLES,), "rad", "elastic angle of the link of side_friction"),
    ("box_angle", (AXLES,), "rad", "elastic angle of the link of box_friction"),
    ("center_angle", (), "rad", "elastic angle of the link of center_friction"),
    ("shaft_angle", (), "rad", "elastic angle of the link of shaft_friction"),
    ("side_limit", (AXLES,), "N m", "scratch: limit of side_friction"),
    ("box_limit", (AXLES,), "N m", "scratch: limit of box_friction"),
    ("center_limit", (), "N m", "scratch: limit of center_friction"),
    ("shaft_limit", (), "N m", "scratch: limit of shaft_friction"),
    ("side_held", (AXLES,), "N m", "scratch: side_friction if the element stuck and no speed changed"),
    ("box_held", (AXLES,), "N m", "scratch: box_friction if the element stuck and no speed changed"),
    ("center_held", (), "N m", "scratch: center_friction if the element stuck and no speed changed"),
    ("shaft_held", (), "N m", "scratch: shaft_friction if the element stuck and no speed changed"),
    ("side_sliding", (AXLES,), "1", "scratch: 0 = side_friction sticks, 1 or -1 = it slides in that direction", "i8"),
    ("box_sliding", (AXLES,), "1", "scratch: 0 = box_friction sticks, 1 or -1 = it slides in that direction", "i8"),
    ("center_sliding", (), "1", "scratch: 0 = center_friction sticks, 1 or -1 = it slides in that direction", "i8"),
    ("shaft_sliding", (), "1", "scratch: 0 = shaft_friction sticks, 1 or -1 = it slides in that direction", "i8"),
    *TWIST_STATE,
    ("answer", (WHEELS,), "rad/s per N m s", "scratch: speed change of a wheel per impulse on the shaft of its axle"),
)


@inline
def is_driven(p, axle):
    """Return True when the driveshaft drives an axle."""
    return p[0]["final_ratio"][axle] < math.inf


@inline
def axle_speed(p, spin, axle):
    """Return the mean of the spins of an axle [rad/s]."""
    first, end = sides_of(p, axle)
    return sum_on_axle(p, axle, spin) / (end - first)


@inline
def shaft_speed(p, spin, axle):
    """Return the speed of the shaft to the final drive of an axle [rad/s]."""
    return axle_speed(p, spin, axle) / p[0]["final_ratio"][axle]


@inline
def driveshaft_speed(p, spin):
    """Return the speed of the driveshaft [rad/s] for the speeds of the wheels."""
    total = 0.0
    for axle in range(len(p[0]["final_ratio"])):
        total += shaft_speed(p, spin, axle)
    return total / p[0]["driven"]


@inline
def wheel_share(p, axle):
    """Return the ratio of the torque of each half shaft of an axle to that of the driveshaft, which is the wheel's entry in the row n."""
    first, end = sides_of(p, axle)
    return 1.0 / (p[0]["driven"] * (end - first)) / p[0]["final_ratio"][axle]


@inline
def axle_inertia(p, axle):
    """Return the inertia [kg m2] of shaft and box of an axle, as the factor of a matrix of ones over its wheels."""
    first, end = sides_of(p, axle)
    inertia = p[0]["shaft_inertia"][axle] / p[0]["final_ratio"][axle] ** 2 + p[0]["box_inertia"][axle] / p[0]["hub_ratio"][axle] ** 2
    return inertia / ((end - first) * (end - first))


@inline
def solve_wheels(p, s, shaft_inertia):
    """Solve (diag(d) + sum a_k 1_k 1_k^T + j n n^T) x = b for the speed changes x of all wheels.

    d `diagonal`, b `load` and x `change` (wheels,) of the record s; a_k the inertia of axle k, j `shaft_inertia` the inertia that turns
    with the driveshaft. Each axle is a diagonal plus a rank-one matrix, and so is the complete matrix. The Sherman-Morrison formula,
    applied once per axle and once more, solves it exactly. Without the driveshaft y = P^-1 b, and z = P^-1 n is n_k soft_k / d on axle
    k:

        r_k = sum 1 / d,  soft_k = 1 / (1 + a_k r_k),  y = (b - a_k soft_k sum b / d) / d,  x = y - z j n . y / (1 + j n . z)
    """
    w, x = s[0], s[0]["change"]
    n_y, n_z = 0.0, 0.0
    for axle in range(len(p[0]["final_ratio"])):
        inertia, n = axle_inertia(p, axle), wheel_share(p, axle)
        r = sum_on_axle(p, axle, w["yielding"])
        w["soft"][axle] = 1.0 / (1.0 + inertia * r)
        pull = inertia * w["soft"][axle] * weighted_sum_on_axle(p, axle, w["yielding"], w["load"])
        first, end = sides_of(p, axle)
        for i in range(first, end):
            x[i] = w["yielding"][i] * (w["load"][i] - pull)
        n_y += n * sum_on_axle(p, axle, x)
        n_z += n * (n * w["soft"][axle]) * r
    turned = shaft_inertia * n_y / (1.0 + shaft_inertia * n_z)
    for axle in range(len(p[0]["final_ratio"])):
        z = wheel_share(p, axle) * w["soft"][axle]
        first, end = sides_of(p, axle)
        for i in range(first, end):
            x[i] -= turned * z * w["yielding"][i]


@inline
def weighted_sum_on_axle(p, axle, weights, numbers):
    """Return the sum of the products of two quantities over the wheels of an axle."""
    first, end = sides_of(p, axle)
    one = weights[first] * numbers[first]
    return one + weights[first + 1] * numbers[first + 1] if end - first == 2 else one


@inline
def side_difference(p, spin, axle):
    """Return the speed of the left output of an axle differential minus that of the right one [rad/s]; 0 for one wheel."""
    first, end = sides_of(p, axle)
    return (spin[first] - spin[first + 1]) / p[0]["hub_ratio"][axle] if end - first == 2 else 0.0


@inline
def center_difference(p, spin):
    """Return the speed difference of the two outputs of the center differential [rad/s]."""
    return shaft_speed(p, spin, p[0]["center_first"]) - shaft_speed(p, spin, p[0]["center_second"])


@inline
def link_slope(h):
    """Return d(torque) / d(speed at the end of the step) [N m s/rad] of a friction element that does not slide."""
    return LINK_STIFFNESS * h + LINK_DAMPING


@inline
def link_angle(angle, torque, h):
    """Return the angle of the link of a friction element [rad] after a step of h at whose end it carries `torque`."""
    return (torque * h + LINK_DAMPING * angle) / link_slope(h)


@inline
def solve_wheels_with_friction(p, s, shaft_inertia, shaft_impulse, h):
    """Solve for the wheel speed changes as `solve_wheels` does, with an impulse on the driveshaft [N m s] and guessed friction states.

    On an axle with the diagonal d, the inertia a (with the stiffness of a sticking box) and the coupling c of left and right, both
    referred to the wheels,

        [d_L + a + c   a - c      ] [x_L]   [b_L]
        [a - c         d_R + a + c] [x_R] = [b_R] + sigma q          sigma = wheel_share times driven, q the impulse on its shaft

    gives x = y + z q. The shafts q_k = q / D - e_k t, e = 1, -1 on the outputs of the center, have the speeds s_k = sigma sum x. The
    element between them carries t = h held + h link_slope (sum e_k s_k). The driveshaft satisfies J v = Q - q - its own friction, v the
    mean of the s_k.
    """
    w, x, z, D = s[0], s[0]["change"], s[0]["answer"], p[0]["driven"]
    stick = h * link_slope(h)
    v, yielding, across, cross_yielding, spread = 0.0, 0.0, 0.0, 0.0, 0.0
    for axle in range(len(p[0]["final_ratio"])):
        first, end = sides_of(p, axle)
        hub, sides = p[0]["hub_ratio"][axle], end - first
        sigma, to_box = wheel_share(p, axle) * D, 1.0 / (sides * hub)
        a = axle_inertia(p, axle)
        if w["box_sliding"][axle] == 0:
            a += stick * to_box * to_box
            against = h * w["box_held"][axle] * to_box
        else:
            against = h * w["box_sliding"][axle] * w["box_limit"][axle] * to_box
        if sides == 2:
            c, apart = 0.0, h * w["side_sliding"][axle] * w["side_limit"][axle] / hub
            if w["side_sliding"][axle] == 0:
                c, apart = stick / (hub * hub), h * w["side_held"][axle] / hub
            d_L, d_R = w["diagonal"][first], w["diagonal"][first + 1]
            b_L, b_R = w["load"][first] - against - apart, w["load"][first + 1] - against + apart
            inverse = 1.0 / (d_L * d_R + (d_L + d_R) * (a + c) + 4.0 * a * c)
            x[first] = (d_R * b_L + a * (b_L - b_R) + c * (b_L + b_R)) * inverse
            x[first + 1] = (d_L * b_R + a * (b_R - b_L) + c * (b_L + b_R)) * inverse
            z[first], z[first + 1] = sigma * (d_R + 2.0 * c) * inverse, sigma * (d_L + 2.0 * c) * inverse
        else:
            z[first] = sigma / (w["diagonal"][first] + a)
            x[first] = (w["load"][first] - against) / (w["diagonal"][first] + a)
        moved, gain = sigma * sum_on_axle(p, axle, x), sigma * sum_on_axle(p, axle, z)
        e = center_side(p, axle)
        v += moved / D
        yielding += gain / (D * D)
        across += e * moved
        cross_yielding += e * gain / D
        spread += e * e * gain
    t, t_slope = h * w["center_sliding"] * w["center_limit"], 0.0
    if w["center_sliding"] == 0:
        share = 1.0 / (1.0 + stick * spread)
        t, t_slope = share * (h * w["center_held"] + stick * across), share * stick * cross_yielding
    v -= cross_yielding * t
    yielding -= cross_yielding * t_slope
    if w["shaft_sliding"] == 0:
        shaft_inertia += stick
        shaft_impulse -= h * w["shaft_held"]
    else:
        shaft_impulse -= h * w["shaft_sliding"] * w["shaft_limit"]
    q = (shaft_impulse - shaft_inertia * v) / (1.0 + shaft_inertia * yielding)
    t += t_slope * q
    for axle in range(len(p[0]["final_ratio"])):
        if is_driven(p, axle):
            impulse = q / D - center_side(p, axle) * t
            w["shaft_torque"][axle] = impulse / h
            first, end = sides_of(p, axle)
            for i in range(first, end):
                x[i] += z[i] * impulse


@inline
def center_side(p, axle):
    """Return 1 and -1 for the axles of the two outputs of the center differential, 0 without a center differential."""
    if p[0]["center_first"] == p[0]["center_second"]:
        return 0.0
    return 1.0 if axle == p[0]["center_first"] else (-1.0 if axle == p[0]["center_second"] else 0.0)


def driveline_file(axles: Axles) -> Fields:
    """Return the fields of the section `driveline` of the drivetrain file of a vehicle with these axles."""
    of_axles = (
        replace(
            field,
            name=f"{name}_{field.name}",
            meaning=f"{name} axle: {field.meaning}",
            default=None if field in AXLE_FILE else field.default,
        )
        for name in axles.names
        for field in (*AXLE_FILE, *AXLE_OPTIONS)
    )
    return (*SHAFTS, *of_axles, *DRIVELINE_OPTIONS)


def driveline_from_values(driveline: Values, axles: Axles = USUAL_AXLES) -> Record:
    """Return the record DRIVELINE of the section `driveline` of the drivetrain file of a vehicle with these axles.

    Raises
    ------
    ConfigError : a key of a driven axle is missing, no axle is driven, an axle that is not driven has keys, an inertia is too small, or the
        ratios of the axles differ although all wheels have the same tires
    """
    driven = [name for name in axles.names if any(f"{name}_{field.name}" in driveline for field in AXLE_FILE)] or list(axles.names)
    _check_keys(driveline, driven, axles)
    out = record_for(DRIVELINE, axles.size)
    axles.write(out)
    copy_record(no_losses(), out)
    copy_record(filled(rows(SHAFTS), driveline), out)
    p = out[0]
    p["final_ratio"], p["hub_ratio"], p["driven"] = math.inf, 1.0, len(driven)
    for name in driven:
        axle = axles.names.index(name)
        for field in AXLE_FILE:
            p[field.name][axle] = driveline[f"{name}_{field.name}"]
        p["hub_ratio"][axle] = driveline[f"{name}_hub_ratio"]
        p["final_ratio"][axle] *= p["hub_ratio"][axle]
    _set_differentials(driveline, out, driven, axles)
    sides = np.asarray(axles.sides)
    write_twist(driveline, float(np.sum(sides * (p["hub_ratio"] / (p["driven"] * sides * p["final_ratio"])) ** 2)), out)
    p["joint_couples"] = driveline["reactions"] == "whole"
    return out


def _check_keys(driveline: Values, driven: Sequence[str], axles: Axles) -> None:
    """Raise ConfigError for missing and excess keys of axles, small inertias, and ratios that contradict each other."""
    with ErrorCollector() as faults:
        for name in axles.names:
            for field in AXLE_FILE if name in driven else ():
                with faults.part():
                    driveline.needed(f"{name}_{field.name}", f"{field.kind.description()}: {field.meaning}")
            for field in AXLE_OPTIONS if name not in driven else ():
                if f"{name}_{field.name}" in driveline.spelled:
                    faults.add(driveline.error(f"{name}_{field.name}", "no key of this name for an axle that is not driven"))
        for name, value in driveline.items():
            if name.endswith("inertia") and 0.0 < value < MIN_INERTIA:
                faults.add(driveline.error(name, f"0, or at least {MIN_INERTIA:g} kg m2"))
        with_ratio = [name for name in driven if f"{name}_final_ratio" in driveline]
        if len(with_ratio) > 1:
            _check_ratios(driveline, with_ratio, faults)


def _set_differentials(driveline: Values, out: Record, driven: Sequence[str], axles: Axles) -> None:
    """Write the models of all differentials that are not open."""
    laws = ("preload", "drive_share", "coast_share", "blend_speed")
    for name in driven:
        if f"{name}_differential" in driveline:
            axle = axles.names.index(name)
            if axles.sides[axle] != 2:
                raise ConfigError(driveline.file, driveline.path(f"{name}_differential"), name, "an axle with two wheels")
            for field, value in zip(laws, differential_law(driveline[f"{name}_differential"]), strict=True):
                out[0][field][axle] = value
    if len(driven) == 2:
        out[0]["center_first"], out[0]["center_second"] = (axles.names.index(name) for name in driven)
    if "center_differential" in driveline:
        law = differential_law(driveline["center_differential"])
        if len(driven) != 2 and any(law):
            expected = "two driven axles, or an open differential"
            raise ConfigError(driveline.file, driveline.path("center_differential"), len(driven), expected)
        for field, value in zip(laws, law, strict=True):
            out[0][f"center_{field}"] = value
    out[0]["has_friction"] = any(name.endswith("differential") for name in driveline)


def _check_ratios(driveline: Values, driven: Sequence[str], faults: ErrorCollector) -> None:
    """Check that the overall ratios of the driven axles agree."""
    (usual, first, first_hub), *others = (
        (f"{name}_final_ratio", driveline[f"{name}_final_ratio"], driveline[f"{name}_hub_ratio"]) for name in driven
    )
    for name, ratio, hub in others:
        wanted = first if hub == first_hub else first * first_hub / hub
        if abs(ratio - wanted) > MAX_DIFFERENCE * wanted:
            where = f"{usual} = {first:g}" if hub == first_hub else f"{wanted:g} ({usual} corrected by the hub ratios)"
            limit = f"{100.0 * MAX_DIFFERENCE:g} %"
            faults.add(driveline.error(name, f"a ratio within {limit} of {where}, since all wheels have the same tires"))
