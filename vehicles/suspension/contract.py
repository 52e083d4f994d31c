"""Contract of a vehicle's corners, independent of their links: parameters of every corner, inputs and outputs of a block.

A block is all corners of one kind in a vehicle (`vehicles.suspension.blocks`). All quantities are relative to the chassis, in chassis
axes with the chassis reference point as origin. A subscript `_1` is a derivative by theta, the independent coordinate of a corner. Each
kind chooses its theta: an angle [rad] or the height of the wheel center [m], rising in jounce.
"""

from __future__ import annotations

from simulator.base.records import layout_hash
from vehicles.axle_layout import AXLES, STANDING, WHEELS
from vehicles.compliance.wheel_displacements import COMPLIANCE
from vehicles.suspension.corner_bodies import AGGREGATE
from vehicles.suspension.hard_stops import ENDS

CORNERS = (
    # name            shape    unit     what it is (last index: corner)
    *STANDING,
    ("coupled", (AXLES,), "1", "per axle, 1 if each coordinate moves both wheels, 0 if the sides are independent", "i8"),
    (
        "carries_drive",
        (AXLES,),
        "1",
        "per axle, 1 if the final drive is mounted on the beam of both wheels, 0 if mounted on the chassis",
        "i8",
    ),
    ("travel", (2, WHEELS), "rad, m", "smallest and largest theta of the search for the equilibrium"),
    ("ends", (), "", "record of ENDS: travel limits", ENDS),
    ("compliance", (), "", "record of COMPLIANCE: elastic displacements in addition to the exact kinematics", COMPLIANCE),
    ("corner_mass", (WHEELS,), "kg", "sum of the masses of the bodies"),
    ("spin_inertia", (WHEELS,), "kg m2", "inertia of the wheel about its axle"),
    (
        "design_frame",
        (3, 3, WHEELS),
        "1",
        "carrier frame in the design position: columns `carrier_x`, `carrier_z` x `carrier_x`, `carrier_z`",
    ),
    ("design_wheel_x", (WHEELS,), "m", "longitudinal position of the wheel center relative to the reference point in the design position"),
    ("design_wheel_z", (WHEELS,), "m", "height of the wheel center in the design position"),
)

INPUTS = (
    ("theta", (WHEELS,), "rad, m", "independent coordinate of the corner, 0 in the design position, + = jounce"),
    ("theta_dot", (WHEELS,), "rad/s, m/s", "rate of theta"),
    ("Q", (3, WHEELS), "m", "inner joint of the tie rod, if present"),
    ("Q_dot", (3, WHEELS), "m/s", "velocity of Q relative to the chassis"),
    ("Q_ddot", (3, WHEELS), "m/s2", "acceleration of Q relative to the chassis"),
    ("Q_1", (3, WHEELS), "m", "velocity of Q per rate of the steering arm; zero for an unsteered corner"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis"),
)
"""Inputs of a block: independent coordinates of all corners, with their rates."""

KINEMATICS = (
    # name            shape    unit     what it is (last index: corner)
    ("W", (3, WHEELS), "m", "wheel center"),
    ("W_1", (3, WHEELS), "m", "velocity of the wheel center per theta_dot"),
    ("W_dot", (3, WHEELS), "m/s", "velocity of the wheel center relative to the chassis"),
    ("axle", (3, WHEELS), "1", "wheel axle, pointing left"),
    ("carrier_x", (3, WHEELS), "1", "first axis of the carrier frame"),
    ("carrier_z", (3, WHEELS), "1", "third axis of the carrier frame"),
    ("w", (3, WHEELS), "1", "angular velocity of the carrier per theta_dot"),
    ("w_rel", (3, WHEELS), "rad/s", "angular velocity of the carrier relative to the chassis"),
    ("spring_length", (WHEELS,), "m", "length of the spring"),
    ("spring_length_1", (WHEELS,), "m", "derivative of spring_length by theta"),
    ("shock_length", (WHEELS,), "m", "length of the shock absorber"),
    ("shock_length_1", (WHEELS,), "m", "derivative of shock_length by theta"),
    *AGGREGATE,
    ("D_across", (AXLES,), "kg m2, kg", "per axle, inertia coupling of its two coordinates"),
    ("W_across", (3, WHEELS), "m", "velocity of the wheel center per theta_dot of the other side of the axle"),
    ("w_across", (3, WHEELS), "1", "angular velocity of the carrier per theta_dot of the other side of the axle"),
    ("spring_length_across", (WHEELS,), "m", "derivative of the length of the spring by theta of the other side"),
    ("shock_length_across", (WHEELS,), "m", "derivative of the length of the shock absorber by theta of the other side"),
    ("E", (6, WHEELS), "kg m2, kg m", "coupling of chassis and steering arm (angular, linear)"),
    ("F", (WHEELS,), "kg m2, kg m", "coupling of theta and steering arm"),
    ("H", (WHEELS,), "kg m2", "inertia of the steering arm"),
    ("steer_bias", (WHEELS,), "N m", "inertia force on the steering arm at zero acceleration of chassis and theta"),
    ("W_steer", (3, WHEELS), "m", "velocity of the wheel center per rate of the steering arm"),
    ("w_steer", (3, WHEELS), "1", "angular velocity of the carrier per rate of the steering arm"),
)
"""Outputs of a block: `place` writes down to theta_bias, and for a coupled axle (CORNERS) to shock_length_across; `steer` writes the rest.

theta of a coupled axle raises the wheel of its own side and may move the other one. In [Jain 2016] these are the position solution, X_S
and X'_S theta' and the sums of the aggregated body.
"""

POINTS = (
    ("lower_ball", (3, WHEELS), "m", "outer joint of the lower arm, or midway between those of the lower links"),
    ("upper_ball", (3, WHEELS), "m", "outer joint of the upper arm, or midway between those of the upper links"),
    ("tierod_outer", (3, WHEELS), "m", "outer joint of tie rod or toe link"),
    ("shock_lower", (3, WHEELS), "m", "lower end of the shock absorber"),
    ("spring_lower", (3, WHEELS), "m", "lower end of the spring"),
)
"""Points that a block shows after `place`, for view and readout; not part of the motion."""

CONTRACT = 1
"""Version of the contract of third-party blocks. It changes when the same layout gets another meaning."""

LAYOUT = layout_hash((*INPUTS, *KINEMATICS, *POINTS))
"""Hash of the records that a third-party block reads and writes."""
