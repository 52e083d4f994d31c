"""Reaction of a callback tire model to a velocity of its rim at standstill: force per velocity after a step of h seconds, K h + D.

Bushings between wheel and chassis move the rim within a step (`vehicles.compliance.wheel_displacements`), and the tire resists. A tire model
is known only through its contract (`contract`), so K and D are measured: the rim moves slowly on an untouched tread that carries
`load_max`, in steps of two sizes.
"""

from __future__ import annotations

from simulator.base.callbacks import address_of
from simulator.base.records import Record, record
from vehicles.tires.contract import FORCES, REST, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModelKind
from vehicles.tires.moments import contact_length
from vehicles.tires.parameters import deflection_at
from vehicles.tires.radial import effective_radius

SPEED = 1e-4
"""m/s. Velocity of the rim: far below the speeds at which a tread slides in a step."""

STEPS = (1e-4, 1e-3)
"""s. Two step sizes: the smallest and the default one of a vehicle."""


def rim_reaction(model: TireModelKind, shared: Record, own: Record) -> tuple[float, float]:
    """Return K [N/m] and D [N s/m] of a tire, of the stiffer of its two directions.

    shared : (1,) record of TIRE; own : (1,) record of the table of the model
    """
    seen = _pressed(shared)
    short, long = (max(_slope(model, own, seen, row, h) for row in ("v_x", "v_y")) for h in STEPS)
    stiffness = max((long - short) / (STEPS[1] - STEPS[0]), 0.0)
    return stiffness, max(long - stiffness * STEPS[1], 0.0)


def _pressed(shared: Record) -> Record:
    """Return the input of the model of a tire that carries its maximum load at standstill."""
    seen = record(TIRE_INPUT)
    tire, k = shared[0], seen[0]
    deflection = deflection_at(shared, float(tire["load_max"]))
    k["load"], k["friction"], k["hardness"], k["side"] = tire["load_max"], 1.0, 1.0, 1.0
    k["effective_radius"], k["contact_length"] = effective_radius(tire["radius"], deflection), contact_length(shared, deflection)
    return seen


def _slope(model: TireModelKind, own: Record, seen: Record, row: str, h: float) -> float:
    """Return minus the slope [N s/m] of a force over the velocity of the rim in the same direction."""
    assert model.kernel is not None
    tread, result, component, forces = record(TREAD_STATE), record(TIRE_OUTPUT), ("v_x", "v_y").index(row), []
    addresses = tuple(map(address_of, (own, tread, seen, result)))
    for speed in (SPEED, -SPEED):
        seen[0]["task"] = REST
        model.kernel(*addresses, 0, 1, h)
        seen[0]["task"], seen[0][row] = FORCES, speed
        model.kernel(*addresses, 0, 1, h)
        forces.append(float(result[0]["F"][component]))
    seen[0][row] = 0.0
    return (forces[1] - forces[0]) / (2.0 * SPEED)
