"""What the drivetrain tests share: the shipped parts, a bench with four wheels, and runs of many steps in one call."""

import csv
import gzip
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from simulator.base.jit import inline, kernel
from simulator.base.records import record
from vehicles.brakes.brakes import BRAKE_STATE, brakes_from_mapping, heat_brakes, press_brakes
from vehicles.command import COMMAND
from vehicles.drivetrain.conventional.step import conventional_step
from vehicles.drivetrain.drivetrain import DRIVETRAIN_OUT, DRIVETRAIN_STATE, drivetrain_reset
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping
from vehicles.drivetrain.shaft_momentum import kinetic_energy
from vehicles.drivetrain.wheel_spins import Hubs

ROOT = Path(__file__).resolve().parents[2]
CORNERS = ("FL", "FR", "RL", "RR")


def part_file(name):
    """The mapping in a shipped drivetrain file."""
    return yaml.safe_load((ROOT / f"configs/drivetrains/drivetrain_{name}.yaml").read_text())


def rigid(parts):
    """A drivetrain with rigid half shafts, whose engine follows the pedal at once."""
    parts["drivetrain"]["engine"].pop("response_time", None)
    for key in ("half_shaft_stiffness", "half_shaft_damping"):
        parts["drivetrain"]["driveline"].pop(key, None)


def without_friction(parts):
    """A rigid drivetrain of open differentials without losses, geared hubs and transfer case."""
    drivetrain = parts["drivetrain"]
    rigid(parts)
    drivetrain.pop("losses", None), drivetrain.pop("transfer_case", None)
    for key in [key for key in drivetrain["driveline"] if key.endswith(("_differential", "_hub_ratio")) or key == "reactions"]:
        del drivetrain["driveline"][key]


def reference():
    """Columns of the recorded full-throttle run, by name."""
    with gzip.open(ROOT / "tests/data/chrono/b_throttle.csv.gz", "rt") as file:
        rows = csv.reader(file)
        names = next(rows)
        return dict(zip(names, np.array([[float(x) for x in row] for row in rows]).T, strict=True))


class Rig(NamedTuple):
    """What kernels get of a bench: parameters of drivetrain and brakes, their states, pedals, wheels, speed of the vehicle, results."""

    p: Any
    b: Any
    s: Any
    brakes: Any
    command: Any
    hubs: Hubs
    v_WB_B: Any
    out: Any


@inline
def step(r, h):
    """One step of a Rig."""
    press_brakes(r.b, r.brakes, r.command, h)
    conventional_step(r.p, r.b, r.s, r.command, r.hubs, h, r.out)
    heat_brakes(r.b, r.brakes, r.hubs.spin, r.out[0]["brake_torque"], r.v_WB_B, h)


@kernel
def run_bench(r, h, steps):
    """Take many steps with constant moments; return the largest rise of the energy of wheels, shafts and brake links in one step."""
    rise = 0.0
    for _ in range(steps):
        before = bench_energy(r)
        step(r, h)
        rise = max(rise, bench_energy(r) - before)
    return rise


@kernel
def bench_energy(r):
    """Energy [J] of shafts, wheels and brake links."""
    spin, inertia = r.hubs.spin, r.hubs.inertia
    energy = kinetic_energy(r.p, r.s, spin)
    for i in range(4):
        energy += 0.5 * inertia[i] * spin[i] ** 2 + 0.5 * r.b[0]["stiffness"] * r.s[0]["brake_angle"][i] ** 2
    return energy


class Bench:
    """A drivetrain, of a shipped file or of a mapping, with four free wheels and prescribed moments."""

    def __init__(self, name="hmmwv", gear=1, spin=(0.0, 0.0, 0.0, 0.0), change=None):
        parts = part_file(name) if isinstance(name, str) else name
        if change is not None:
            change(parts)
        self.p = drivetrain_from_mapping(parts["drivetrain"], "bench")
        self.b = brakes_from_mapping(parts["brakes"], "bench", hub_ratio=self.p[0]["hub_ratio"])
        self.state, self.command, self.out = record(DRIVETRAIN_STATE), record(COMMAND), record(DRIVETRAIN_OUT)
        self.brakes = record(BRAKE_STATE)
        self.carrier_spin, self.v_WB_B = self.brakes[0]["reference_spin"], np.zeros(3)
        self.spin = np.array(spin, dtype=float)
        self.moment = np.zeros(4)
        self.rolling = None  # nothing slips on a bench
        self.inertia = np.full(4, 7.388)
        self.command[0]["selector"] = np.sign(gear)
        drivetrain_reset(self.p, self.state, self.spin, gear)

    def run(self, seconds=None, h=1e-3, steps=None):
        """Advance; return the largest rise of energy in one step."""
        count = round(seconds / h) if steps is None else steps
        return run_bench(self.rig, h, count)

    @property
    def rig(self):
        rolling = self.spin if self.rolling is None else self.rolling
        hubs = Hubs(self.spin, self.carrier_spin, self.moment, self.inertia, self.brakes[0]["limit"], rolling)
        return Rig(self.p, self.b, self.state, self.brakes, self.command, hubs, self.v_WB_B, self.out)

    def energy(self):
        return bench_energy(self.rig)

    def set(self, **command):
        for name, value in command.items():
            self.command[0][name] = value
        return self
