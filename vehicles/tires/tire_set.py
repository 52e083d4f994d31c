"""All tires of a vehicle, for any tire models: one step, forces at a state, and a state at rest.

`m` is a VehicleModel, `s` a VehicleData. TMeasy is called directly; callback models are called after all their wheels are pressed
(`callback_models`), which is skipped for vehicles without such models.
"""

from __future__ import annotations

from simulator.base.jit import inline
from vehicles.tires.callback_models import advance_callback_models, callback_data, evaluate_models, fix_patch, press
from vehicles.tires.enveloping_contact import find_contacts
from vehicles.tires.multipass import read_rut, write_rut
from vehicles.tires.temperature import warm_tires
from vehicles.tires.tire import Tire, TireStates, load_and_advance, shared_advance, tire_advance, tire_forces
from vehicles.tires.tmeasy.model import tmeasy_hold


@inline
def tire_of(m, i):
    """Return the parameters of the tire of wheel i."""
    return Tire(m.tires[i : i + 1], m.treads.tmeasy[i : i + 1])


@inline
def is_callback_model(m, i):
    """Return True if the tire model of wheel i is called by its address."""
    return m.treads.laws[i]["kernel"] != 0


@inline
def step_tires(m, s, ground, h):
    """Advance all tires by one step of h seconds with the wheel states at the start of the step."""
    states, callbacks = TireStates(s.tires, s.treads, s.windows), False
    find_contacts(m.tires, s.tires, ground, s.under, s.windows, s.wheels, s.contacts, 0, len(s.wheels))
    for i in range(len(s.wheels)):
        if is_callback_model(m, i):
            callbacks = True
            read_rut(m.tires[i : i + 1], s.tires, i, ground.ruts, s.contacts)
            press(m.tires, callback_data(s), i, h, s.under[i : i + 1])
        else:
            load_and_advance(tire_of(m, i), states, i, ground, s.under[i : i + 1], h, s.wheels, s.contacts)
    if callbacks:
        evaluate_models(m.tires, m.treads.laws, callback_data(s), h, False)
        for i in range(len(s.wheels)):
            if is_callback_model(m, i):
                advance_tire(m, s, i, h)
                write_rut(m.tires[i : i + 1], s.tires, i, h, ground.ruts, s.contacts)
    if len(s.tire_heat) > 0:
        warm_tires(m, s, h)


@inline
def touch_ground(m, s, i, ground):
    """Compute the contact of tire i, the ground below it and the earlier rut there."""
    find_contacts(m.tires, s.tires, ground, s.under, s.windows, s.wheels, s.contacts, i, 1)
    read_rut(m.tires[i : i + 1], s.tires, i, ground.ruts, s.contacts)


@inline
def press_tire(m, s, i, h):
    """Compute forces and rates of tire i at its present contact; for a callback model, all that precedes `evaluate_callback_models`."""
    if is_callback_model(m, i):
        press(m.tires, callback_data(s), i, h, s.under[i : i + 1])
    else:
        tire_forces(tire_of(m, i), TireStates(s.tires, s.treads, s.windows), i, s.under[i : i + 1], h, s.wheels, s.contacts)


@inline
def evaluate_callback_models(m, s, h, held):
    """Compute forces and rates of the wheels with callback models; with `held` True first set their treads to the positions of
    `hold_tire`."""
    callbacks = False
    for i in range(len(s.wheels)):
        callbacks = callbacks or is_callback_model(m, i)
    if callbacks:
        evaluate_models(m.tires, m.treads.laws, callback_data(s), h, held)


@inline
def hold_tire(m, s, i, along, across):
    """Fix the patch of tire i at this distance [m] ahead of its rim."""
    if is_callback_model(m, i):
        fix_patch(callback_data(s), i, along, across)
    else:
        tmeasy_hold(s.treads[i], along, across)


@inline
def advance_tire(m, s, i, h):
    """Advance the state of tire i by h seconds at the rates in its contact."""
    if is_callback_model(m, i):
        shared_advance(s.tires, i, h, s.contacts)
        advance_callback_models(callback_data(s), i, h)
    else:
        tire_advance(TireStates(s.tires, s.treads, s.windows), i, h, s.contacts)
