"""Aerodynamic forces on a vehicle: drag, axle lift, side force and yaw moment.

With v the velocity of the vehicle relative to the air at the point of action, in B, and q = rho / 2, the air exerts at this point

    F = -q A |v| (C_D v_x, C_S v_y, C_D v_z)                    drag and side force
    N = -q A L C_N v_x v_y                                      yaw moment
    Z = q A C_L v_x^2      at the x of each axle                 lift

For a flow from the front at the angle b = v_y / |v| these are the linear formulas of [SAE J1594]: C_Y = C_S b, and C_N b over the wheelbase
L. At 90 degrees the side force coefficient is C_S and the yaw moment vanishes, as in wind tunnels (Hucho, Aerodynamics of Road Vehicles,
ch. 5). With C_N > 0 the yaw moment turns the car away from the wind. Without the further coefficients, the only force is a drag against the
flow, regardless of the direction of the flow.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import unrotated
from simulator.base.algebra.vectors import add, cross, dot, scale, sub, vector
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.values import Values
from terrain.wind import air_velocity
from vehicles.body_fields import POINT

AERODYNAMICS = (
    ("drag_area", (), "m2", "drag coefficient times frontal area"),
    ("air_density", (), "kg/m3", "density of the air"),
    ("drag_point", (3,), "m", "point of action of drag and side force, in B"),
    (
        "flow_point",
        (3,),
        "m",
        "point at which the flow velocity is evaluated, in B: the reference point, or the point of action from the file",
    ),
    ("shaped", (), "1", "1: further coefficients exist in addition to drag", "i8"),
    ("side_area", (), "m2", "side force coefficient times frontal area"),
    ("yaw_volume", (), "m3", "yaw moment coefficient times frontal area and wheelbase"),
    ("lift_area", (2,), "m2", "lift coefficients of front and rear axle times frontal area"),
    ("lift_x", (2,), "m", "x of the points of action of the lift forces, in B"),
)
"""Rows of the record BODY of a vehicle."""
_SLOPE = Number("1/rad", -20.0, 20.0)
AERODYNAMICS_FILE = (
    Field("drag_coefficient", Number("1", 0.0, 10.0), "drag coefficient"),
    Field("frontal_area", Number("m2", 0.0, 1e3), "reference area of all coefficients"),
    Field("air_density", Number("kg/m3", 0.0, 1e3), "density of the air"),
    Field("lift_coefficients", Number("1", -10.0, 10.0, shape=(2,)), "lift coefficients of front and rear axle, + = up", None),
    Field("side_force_slope", _SLOPE, "side force coefficient per rad of flow angle; default: the drag coefficient", None),
    Field("yaw_moment_slope", _SLOPE, "yaw moment coefficient per rad, over the wheelbase, + = turns away from the wind", 0.0),
    Field(
        "point",
        POINT,
        "point of action of drag and side force; default: the center of mass of the chassis",
        None,
        frame="the chassis frame",
    ),
)
"""Fields of the section `aerodynamics` of a vehicle file."""


def read_aerodynamics(values: Values, body: NDArray, axles_x: tuple[float, float]) -> None:
    """Fill the rows of AERODYNAMICS of a BODY record from its section; axles_x: x of front and rear wheel centers, in B [m]."""
    b = body[0]
    area = values["frontal_area"]
    b["drag_area"], b["air_density"] = values["drag_coefficient"] * area, values["air_density"]
    b["side_area"], b["lift_x"] = values.get("side_force_slope", values["drag_coefficient"]) * area, axles_x
    b["yaw_volume"] = values["yaw_moment_slope"] * area * (axles_x[0] - axles_x[1])
    if "lift_coefficients" in values:
        b["lift_area"] = values["lift_coefficients"] * area
    if "point" in values:
        b["drag_point"] = b["flow_point"] = values["point"]
    b["shaped"] = b["side_area"] != b["drag_area"] or b["yaw_volume"] != 0.0 or np.any(b["lift_area"] != 0.0)


@inline
def air_forces(b, air, R_WB, state):
    """Return force and couple (3 each) of the air on the chassis about the chassis reference point, in B [N, N m].

    b : (1,) of BODY, air : (1,) of `terrain.wind.AIR`, R_WB : (3, 3), state : (1,) of STATE
    """
    s = state[0]
    flow = unrotated(R_WB, air_velocity(air, s["p_WB"], s["time"]))
    v = sub(add(vector(s["v_WB_B"]), cross(vector(s["w_WB_B"]), vector(b[0]["flow_point"]))), flow)
    q = -0.5 * b[0]["air_density"]
    speed = math.sqrt(dot(v, v))
    force = scale(q * b[0]["drag_area"] * speed, v)
    if b[0]["shaped"] == 0:
        return force, cross(vector(b[0]["drag_point"]), force)
    side = q * (b[0]["side_area"] - b[0]["drag_area"]) * speed * v[1]
    force = (force[0], force[1] + side, force[2])
    couple = cross(vector(b[0]["drag_point"]), force)
    front, rear = (-q * b[0]["lift_area"][0] * v[0] * v[0], -q * b[0]["lift_area"][1] * v[0] * v[0])
    pitch = -b[0]["lift_x"][0] * front - b[0]["lift_x"][1] * rear
    yaw = q * b[0]["yaw_volume"] * v[0] * v[1]
    return (force[0], force[1], force[2] + front + rear), (couple[0], couple[1] + pitch, couple[2] + yaw)
