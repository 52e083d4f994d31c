"""All tires of a vehicle, whatever their tread law: a step of them, their forces at a state, and a state that stands.

`m` is a vehicle's `Model`, `s` its `Space`. TMeasy is called directly; laws from outside are called once all their wheels are pressed
(`outside_treads`), which a vehicle without them never gets to.
"""

from __future__ import annotations

from simulator.base.jit import inline
from vehicles.tires.callback_models import advance_callback_models, callback_data, evaluate_models, fix_patch, press
from vehicles.tires.enveloping_contact import find_contact
from vehicles.tires.multipass import read_rut, write_rut
from vehicles.tires.tire import Tire, TireStates, shared_advance, tire_advance, tire_forces, tire_step
from vehicles.tires.tmeasy.model import tmeasy_hold


@inline
def tire_of(m, i):
    """Parameters of the tire of wheel i."""
    return Tire(m.tires[i : i + 1], m.treads.tmeasy[i : i + 1])


@inline
def is_callback_model(m, i):
    """Whether the tread law of wheel i is called by its address."""
    return m.treads.laws[i]["kernel"] != 0


@inline
def step_tires(m, s, ground, h):
    """All tires through one step of h seconds with the wheels as they are at its start."""
    states, outside = TireStates(s.tires, s.treads, s.windows), False
    for i in range(len(s.wheels)):
        if is_callback_model(m, i):
            outside = True
            touch_ground(m, s, i, ground)
            press(m.tires, callback_data(s), i, h, s.under)
        else:
            tire_step(tire_of(m, i), states, i, ground, s.under, h, s.wheels, s.contacts)
    if outside:
        evaluate_models(m.tires, m.treads.laws, callback_data(s), h, False)
        for i in range(len(s.wheels)):
            if is_callback_model(m, i):
                advance_tire(m, s, i, h)
                write_rut(m.tires[i : i + 1], s.tires, i, h, ground.ruts, s.contacts)


@inline
def touch_ground(m, s, i, ground):
    """Contact of tire i, the ground below it and the rut that is there."""
    find_contact(m.tires[i : i + 1], s.tires, i, ground, s.under, s.windows, s.wheels, s.contacts)
    read_rut(m.tires[i : i + 1], s.tires, i, ground.ruts, s.contacts)


@inline
def press_tire(m, s, i, h):
    """Forces and rates of tire i at its contact with the ground just found; of a law from outside, all until `evaluate_callback_models`."""
    if is_callback_model(m, i):
        press(m.tires, callback_data(s), i, h, s.under)
    else:
        tire_forces(tire_of(m, i), TireStates(s.tires, s.treads, s.windows), i, s.under, h, s.wheels, s.contacts)


@inline
def evaluate_callback_models(m, s, h, held):
    """Forces and rates of the wheels of laws from outside; `held` True puts their treads where `hold_tire` says before."""
    outside = False
    for i in range(len(s.wheels)):
        outside = outside or is_callback_model(m, i)
    if outside:
        evaluate_models(m.tires, m.treads.laws, callback_data(s), h, held)


@inline
def hold_tire(m, s, i, along, across):
    """The patch of tire i is held so far [m] ahead of its rim."""
    if is_callback_model(m, i):
        fix_patch(callback_data(s), i, along, across)
    else:
        tmeasy_hold(s.treads[i], along, across)


@inline
def advance_tire(m, s, i, h):
    """State of tire i after h seconds at the rates in its contact."""
    if is_callback_model(m, i):
        shared_advance(s.tires, i, h, s.contacts)
        advance_callback_models(callback_data(s), i, h)
    else:
        tire_advance(TireStates(s.tires, s.treads, s.windows), i, h, s.contacts)
