"""Wheels whose tire model is called by its address: the shared computations before and after the model, which is called once for all its
wheels.

A vehicle with TMeasy on all wheels runs none of this code.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.callbacks import address_in, call
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from vehicles.tires.contract import FORCES, HELD, MEMORY, NUMBERS, REST
from vehicles.tires.moments import contact_length, finish, rolling_radius
from vehicles.tires.soil_shear import sheared
from vehicles.tires.vertical_force import tire_load_on_soil

CARRIED = (
    # name               shape  unit  what it is
    ("effective_radius", (), "m", "distance per radian of a freely rolling wheel"),
    ("load", (), "N", "load of the tire"),
    ("slope", (), "N/m", "slope of the radial spring"),
    ("deflection", (), "m", "radial deflection"),
    ("soil", (8,), "", "forces of the soil, see `vertical_force.tire_load_on_soil`"),
    ("shear_modulus", (), "m", "shear modulus of the soil"),
)
"""Results of a wheel that are computed before its tire model is called."""


class CallbackData(NamedTuple):
    """Records of `VehicleData` that wheels with callback models read and write."""

    tires: Record
    treads: Record
    seen: Record
    result: Record
    carried: Record
    wheels: Record
    contacts: Record


@inline
def callback_data(s):
    """Return these records of a VehicleData."""
    return CallbackData(s.tires, s.treads, s.seen, s.result, s.carried, s.wheels, s.contacts)


@kernel
def press(tires, o, i, h, under):
    """Compute the load of tire i and the input of its tire model; `tires` (n,) TIRE, o CallbackData, `under` record of SOIL."""
    p, seen, c, contact = tires[i : i + 1], o.seen[i], o.carried[i], o.contacts[i]
    R_e = rolling_radius(p, o.tires, i, o.contacts)
    load, slope, deflection, contact["sinkage_rate"], soil = tire_load_on_soil(
        p, o.tires, i, under, h, R_e * o.wheels[i]["spin"], o.contacts
    )
    c["effective_radius"], c["load"], c["slope"], c["deflection"] = R_e, load, slope, deflection
    c["soil"][0], c["soil"][1], c["soil"][2], c["soil"][3], c["soil"][4], c["soil"][5], c["soil"][6], c["soil"][7] = soil
    c["shear_modulus"] = under[0]["shear_modulus"]
    seen["load"], seen["v_x"], seen["v_y"] = min(load, p[0]["load_max"]), contact["v_x"], contact["v_y"]
    seen["spin"], seen["effective_radius"], seen["camber"] = o.wheels[i]["spin"], R_e, contact["camber"]
    seen["turn_rate"] = contact["turn_rate"]
    seen["friction"] = (1.0 + o.tires[i]["friction_gain"]) * (under[0]["friction"] / p[0]["friction"])
    seen["hardness"] = contact["hardness"]
    seen["contact_length"] = contact_length(p, deflection)


@inline
def run_models(laws, o, task, h):
    """Run a task of every model for its wheels."""
    for i in range(len(laws)):
        o.seen[i]["task"], o.seen[i]["side"] = task, laws[i]["side"]
    for i in range(len(laws)):
        if laws[i]["count"] > 0:
            state, seen, result = address_in(o.treads), address_in(o.seen), address_in(o.result)
            call(laws[i]["kernel"], laws[i]["parameters"], state, seen, result, i, laws[i]["count"], h)


@kernel
def rest_treads(laws, o):
    """Initialize the states of treads that have not touched the ground yet."""
    run_models(laws, o, REST, 0.0)


@kernel
def evaluate_models(tires, laws, o, h, held):
    """Compute forces and rates of the wheels after `press`; with `held` True first set their treads to the positions of `fix_patch`."""
    if held:
        run_models(laws, o, HELD, h)
    run_models(laws, o, FORCES, h)
    for i in range(len(laws)):
        if laws[i]["kernel"] != 0:
            apply_result(tires[i : i + 1], o, i, h)


@inline
def fix_patch(o, i, along, across):
    """Fix the patch of tire i at this distance [m] ahead of its rim."""
    o.seen[i]["held"][0], o.seen[i]["held"][1] = along, across
    o.tires[i]["shear"][0], o.tires[i]["shear"][1] = along, across


@inline
def apply_result(p, o, i, h):
    """Combine the result of the model of tire i, if it is valid, with the forces of the soil and the computations shared by all models."""
    r, c, contact, tread = o.result[i], o.carried[i], o.contacts[i], o.treads[i]
    if is_finite_seen(o.seen[i]) and not is_finite_result(r):
        tread["off"] = 1
    if tread["off"] != 0:
        clear_result(tread, r)
    for k in range(NUMBERS):
        contact["tread_rate"][k] = r["rate"][k]
    for k in range(MEMORY):
        contact["tread_memory"][k] = r["memory"][k]
    hard = contact["hardness"] if c["load"] > 0.0 else 0.0
    F_x, F_y, M_z = hard * r["F"][0], hard * r["F"][1], hard * r["M_z"]
    s_x, s_y = r["slip"][0], r["slip"][1]
    g = c["soil"]
    borne = (
        c["effective_radius"], c["effective_radius"] * o.wheels[i]["spin"], c["load"], c["slope"], c["deflection"],
        (g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7]),
    )  # fmt: skip
    contact["shear_rate"][0], contact["shear_rate"][1] = 0.0, 0.0
    if contact["hardness"] < 1.0:
        soft = 1.0 - contact["hardness"]
        G_x, G_y, g_x, g_y = sheared(p, o.tires, i, h, borne, c["shear_modulus"], o.contacts)
        F_x, F_y = F_x + soft * G_x, F_y + soft * G_y
        s_x, s_y = contact["hardness"] * s_x + soft * g_x, contact["hardness"] * s_y + soft * g_y
    contact["slip"][0], contact["slip"][1] = s_x, s_y
    finish(p, o.tires, i, borne, (F_x, F_y, M_z, 0.0), o.wheels, o.contacts)
    add_moments(contact, hard, r)


@inline
def add_moments(contact, hard, r):
    """Add the model's own overturning moment and rolling resistance in the result r, weighted by the fraction `hard` of the ground, to the
    contact."""
    M_C, M_W, x, y = contact["M_C"], contact["M_W"], contact["x_W"], contact["y_W"]
    about_x, about_y = hard * r["M_x"], hard * r["M_y"]
    if r["whole"] != 0:
        about_x -= M_C[0]
    M_C[0] += about_x
    M_C[1] += about_y
    for k in range(3):
        M_W[k] += about_x * x[k] + about_y * y[k]


@inline
def is_finite_seen(seen):
    """Return True if the input of the model is finite."""
    return math.isfinite(seen["load"] + seen["v_x"] + seen["v_y"] + seen["spin"] + seen["effective_radius"] + seen["camber"])


@inline
def is_finite_result(r):
    """Return True if the output of the model is finite."""
    total = r["F"][0] + r["F"][1] + r["M_x"] + r["M_y"] + r["M_z"] + r["slip"][0] + r["slip"][1]
    for k in range(NUMBERS):
        total += r["rate"][k]
    for k in range(MEMORY):
        total += r["memory"][k]
    return math.isfinite(total)


@inline
def clear_result(tread, r):
    """Clear result and state of a model that is switched off."""
    r["F"][0], r["F"][1], r["M_x"], r["M_y"], r["M_z"], r["slip"][0], r["slip"][1] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(NUMBERS):
        r["rate"][k], tread["numbers"][k] = 0.0, 0.0
    for k in range(MEMORY):
        r["memory"][k] = 0.0


@inline
def advance_callback_models(o, i, h):
    """Advance tread and soil shear of tire i by h seconds at the rates in its contact."""
    contact, tread, shear = o.contacts[i], o.treads[i], o.tires[i]["shear"]
    for k in range(NUMBERS):
        tread["numbers"][k] += h * contact["tread_rate"][k]
    for k in range(MEMORY):
        tread["memory"][k] = contact["tread_memory"][k]
    for k in range(2):
        shear[k] += h * contact["shear_rate"][k]
