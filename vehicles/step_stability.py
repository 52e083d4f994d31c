"""Whether the step is stable with a vehicle: the eigenvalues of one step, standing and in the air, from stop to stop.

A spring or a damper that is too stiff for the step makes a mode that changes its sign from step to step and grows
(`vehicles.step_jacobian`). Of a mode that grows, the number of the file is looked for whose halving tames it most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, JounceError
from simulator.base.jit import kernel
from terrain.ground import GroundArrays
from vehicles.axle_layout import WHEELS, Axles
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.stages import present_suspension
from vehicles.state_memory import Bytes
from vehicles.steering.steering import place_tierods
from vehicles.step_jacobian import CHASSIS, GROUPS, coordinates, elastic_coordinates, step_matrices, step_matrix
from vehicles.suspension.anti_roll_bar import PLAIN
from vehicles.tires.tire_file import TireSet
from vehicles.vehicle import Vehicle
from vehicles.vehicle_model import VehicleModel

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

USUAL_STEP = 1e-3
"""s. The step that everything is made for."""

SLOW_GROWTH = 50.0
"""1/s. So fast a mode may grow that does not change its sign from step to step: a vehicle that tips over, or is flung up from where it was
pressed down, is not unstable by its step."""
ROUNDING = 1e-6
"""By so much a mode that changes its sign in a step may grow, by rounding and by the differences."""

NEAR = 1e-2
"""Eigenvalues that are found at a glance, without their vectors and some by one-sided differences, differ from those of a closer look by much less."""

POSITIONS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the travel at which the suspension is looked at in the air."""
BEYOND = 0.02
"""m. Travel is looked at so far beyond the stops."""
FARTHEST = 0.4
"""rad, m. And not beyond this."""
RATE = 0.3
"""rad/s, m/s. Of the suspension in the air, either way: dampers differ between compression and rebound."""
HIGH = 100.0
"""m. Height of a vehicle in the air."""
PRESSED = 0.5
"""Where a vehicle is pressed onto the ground, to feel stiff rims: between the deflection at which the rim bears (0) and that at which it gives
way (1), beyond which nothing is stiff."""
SMALLEST_FACTOR = 1e-4
"""A number that would have to become less than this share of itself is not the only one to blame."""


@dataclass(frozen=True)
class StiffParameter:
    """A number of a file that may be too large.

    Attributes
    ----------
    file : 0 for the vehicle's file, 1 and more for those of the tires, corner by corner
    key : key path in it
    value : what stands there
    scaled : the model with this number multiplied by a factor
    """

    file: int
    key: str
    value: Any
    scaled: Callable[[float], VehicleModel]


@dataclass(frozen=True)
class UnstableMode:
    """The mode that grows most: by how much too much, by which factor in a step, its kind and the name of its axle, or ""."""

    excess: float
    factor: float
    kind: str
    axle: str

    def sentence(self, h: float) -> str:
        """What the mode does in steps of h seconds, for people."""
        mode = self.kind + (f" of the {self.axle} axle" if self.axle else "")
        return f"{mode} would grow by a factor of {self.factor:.3g} in every step of {1e3 * h:g} ms"


def check_step(vehicle: Vehicle, ground: GroundArrays, h: float, files: tuple[str, ...], step_file: object = None) -> None:
    """Refuse a vehicle with which a step of h seconds is not stable.

    Parameters
    ----------
    vehicle : is left as it is
    ground : level and hard
    files : the vehicle's file and those of the tires, corner by corner, for the message
    step_file : the file that asks for this step, if it is none of USUAL_STEP

    Raises
    ------
    ConfigError : names the number to blame and the largest one that would do; or the step, if the usual one is stable
    """
    probe = _Probe.of(vehicle)
    worst, place = _worst_of_all(probe, ground, h)
    if place is None:
        return
    if h > USUAL_STEP and step_file is not None and _worst_of_all(probe, ground, USUAL_STEP)[1] is None:
        expected = f"a shorter one for this vehicle, {1e3 * USUAL_STEP:g} ms for example: {worst.sentence(h)}"
        raise ConfigError(step_file, "step", f"{1e3 * h:g} ms", expected)
    _blame(probe, place, worst, ground, h, files)


@dataclass(frozen=True)
class _Probe:
    """A vehicle of the same kind, which is put back at once."""

    vehicle: Vehicle

    @staticmethod
    def of(vehicle: Vehicle) -> _Probe:
        return _Probe(vehicle.new_instance(vehicle.space.windows))

    @property
    def memory(self) -> Bytes:
        """Of its space."""
        return self.vehicle.piece.memory


def _worst_of_all(probe: _Probe, ground: GroundArrays, h: float) -> tuple[UnstableMode, Bytes | None]:
    """The mode that grows most and where it does; (no growth, None) when the step is stable everywhere."""
    worst, place = UnstableMode(0.0, 1.0, "", ""), None
    starts = list(_situations(probe, ground))
    for start, near in zip(starts, _may_grow(_at_a_glance(probe, starts, ground, h), h), strict=True):
        found = _worst(probe, probe.vehicle.model, start, ground, h) if near else None
        if found is not None and found.excess > worst.excess:
            worst, place = found, start
    return worst, place


def _may_grow(matrices: Sequence[Matrix], h: float) -> list[bool]:
    """Whether an eigenvalue comes near to what is not allowed: only then the modes are looked at, one matrix after the other."""
    near = [False] * len(matrices)
    for size in {len(J) for J in matrices}:
        those = [n for n, J in enumerate(matrices) if len(J) == size and np.isfinite(J).all()]
        values = np.linalg.eigvals(np.stack([matrices[n] for n in those])) if those else ()
        for n, of_one in zip(those, values, strict=True):
            allowed = np.where(of_one.real < NEAR, 1.0 + ROUNDING, 1.0 + SLOW_GROWTH * h)
            near[n] = bool((np.abs(of_one) > allowed - NEAR).any())
    return near


def _blame(probe: _Probe, start: Bytes, worst: UnstableMode, ground: GroundArrays, h: float, files: tuple[str, ...]) -> None:
    """Raise the ConfigError about a mode that grows."""

    def excess(model: VehicleModel) -> float:
        found = _worst(probe, model, start, ground, h, worst)
        return found.excess if found is not None else 0.0

    grows = worst.sentence(h)
    vehicle = probe.vehicle
    suspects = list(_suspects(vehicle.model, vehicle.tires, vehicle.description.mechanism.axles))
    suspect = min(suspects, key=lambda suspect: excess(suspect.scaled(0.5)))
    if excess(suspect.scaled(SMALLEST_FACTOR)) > 0.0:
        raise ConfigError(files[suspect.file], suspect.key, suspect.value, f"much less, or larger masses, and so of others: {grows}")
    low, high = SMALLEST_FACTOR, 1.0
    while high > 1.01 * low:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if excess(suspect.scaled(middle)) <= 0.0 else (low, middle)
    most = f"at most {low * suspect.value:.3g}" if isinstance(suspect.value, float) else f"numbers at most {low:.3g} times as large"
    raise ConfigError(files[suspect.file], suspect.key, suspect.value, f"{most}: {grows}")


def _suspects(model: VehicleModel, tires: TireSet, axles: Axles) -> Iterator[StiffParameter]:
    """The numbers that make a vehicle stiff, those that are not zero."""
    strut_keys = {
        **{name: f"shock.{name}" for name in ("compression_damping", "rebound_damping")},
        **{name: f"shock.{name}" for name in ("compression_damping_end", "rebound_damping_end")},
        "spring_rate": "spring.rate",
        "spring_pull": "spring.pull",
        "stop_force": "spring.stop_force",
        "stop_end_rate": "spring.stop_end_rate",
    }
    for n, axle in enumerate(axles.names):
        corners = slice(axles.on(n).start, axles.on(n).stop)
        for name, key in strut_keys.items():
            value = model.struts[0][name][corners][0]
            if np.any(value):
                yield StiffParameter(0, f"axles.{axle}.{key}", value.tolist(), partial(_scaled_struts, model, name, corners))
        bars = model.struts[0]["anti_roll_bars"]
        if bars["stiffness"][n]:
            key = "rate" if bars["law"][n] == PLAIN else "torsional_stiffness"
            yield StiffParameter(0, f"axles.{axle}.anti_roll_bar.{key}", float(bars["stiffness"][n]), partial(_scaled_bar, model, n))
    for name in ("stiffness", "stiffness_growth", "damping", "bottoming_stiffness"):
        for i, tire in enumerate(model.tires):
            same = (model.tires == tire).nonzero()[0]
            if same[0] == i and np.any(tire[name]):
                yield StiffParameter(1 + i, name, tire[name].tolist(), partial(_scaled_tires, model, name, same))
    for law, own in tires.own.items():
        for name in tires.law(law).stiff:
            for i in tires.wheels(law):
                same = np.array([n for n in tires.wheels(law) if own[n].tobytes() == own[i].tobytes()])
                if same[0] == i and np.any(own[i][name]):
                    yield StiffParameter(1 + i, name, own[i][name].tolist(), partial(_scaled_treads, model, tires, law, name, same))


def _scaled_struts(model: VehicleModel, name: str, corners: slice, factor: float) -> VehicleModel:
    struts = model.struts.copy()
    struts[0][name][corners] *= factor
    return model._replace(struts=struts)


def _scaled_bar(model: VehicleModel, n: int, factor: float) -> VehicleModel:
    struts = model.struts.copy()
    struts[0]["anti_roll_bars"]["stiffness"][n] *= factor
    return model._replace(struts=struts)


def _scaled_tires(model: VehicleModel, name: str, wheels: NDArray[np.int_], factor: float) -> VehicleModel:
    tires = model.tires.copy()
    tires[name][wheels] *= factor
    return model._replace(tires=tires)


def _scaled_treads(model: VehicleModel, tires: TireSet, law: str, name: str, wheels: NDArray[np.int_], factor: float) -> VehicleModel:
    own = tires.own[law].copy()
    own[name][wheels] *= factor
    return model._replace(treads=tires.treads_with(law, own))


# Where the vehicle is looked at ------------------------------------------------------------------------------------------------


def _situations(probe: _Probe, ground: GroundArrays) -> Iterator[Bytes]:
    """Memory of the vehicle standing, pressed onto the ground, and in the air with the suspension moving either way."""
    vehicle, memory = probe.vehicle, probe.memory
    model, space = vehicle.model, vehicle.space
    try:
        vehicle.reset(ground)
        standing = memory.copy()
        yield standing
        memory[:] = standing
        _press(vehicle)
        yield memory.copy()
    except JounceError:  # it cannot stand: that is said where it is put on its ground
        pass
    low, high = _travel(vehicle)
    vehicle.clear()
    state = space.state[0]
    state["p_WB"][2] = HIGH
    drivetrain_reset(model.drivetrain, space.drivetrain, state["wheel_spin"], 0)
    blank = memory.copy()
    for share in POSITIONS:
        for rate in (RATE, -RATE):
            memory[:] = blank
            state["theta"], state["theta_dot"] = low + share * (high - low), rate
            yield memory.copy()


def _press(probe: Vehicle) -> None:
    """Press the standing vehicle onto the ground with all wheels."""
    state, tires, rise = probe.space.state[0], probe.model.tires, probe.space.kinematics[0]["W_1"][2]
    rim = np.minimum(tires["radius"] - tires["bottoming_radius"], tires["give"])
    lower = rim + PRESSED * (tires["give"] - rim) - probe.space.contacts["depth"]
    state["p_WB"][2] -= lower.mean()
    state["theta"] -= (lower - lower.mean()) / rise


def _travel(probe: Vehicle) -> tuple[Vector, Vector]:
    """Lowest and highest coordinate (wheels,) of every corner about the design position: between its stops and a bit beyond, while it closes
    and its hard ends, which are implicit in a step, do not push."""
    space, struts = probe.space, probe.model.struts[0]
    probe.clear()
    place_tierods(probe.model.steering, space.steering, space.inputs)
    grid = np.linspace(-FARTHEST, FARTHEST, 81)
    wheels = probe.size.wheels
    length, closed = np.empty((len(grid), wheels)), np.empty((len(grid), wheels), np.bool_)
    look_along(probe.model, space, grid, length, closed)
    free = struts["stop_points"] == 0
    between = (length > struts["bump_stop_length"] - BEYOND) & (length < struts["rebound_stop_length"] + BEYOND)
    inside = closed & (free | between)
    middle = len(grid) // 2
    upward, downward = np.logical_and.accumulate(inside[middle + 1 :]), np.logical_and.accumulate(inside[middle - 1 :: -1])
    low, high = grid[middle - downward.sum(axis=0)], grid[middle + upward.sum(axis=0)]
    least, largest = probe.model.corners[0]["ends"]["theta"]
    return np.maximum(low, least), np.minimum(high, largest)


@kernel
def look_along(m, s, thetas, length, closed):
    """Lengths of the springs (n, wheels) [m], and whether the corners close, at thetas (n,) of all of them."""
    x, k = s.state[0]["theta"], s.kinematics[0]
    for n in range(len(thetas)):
        for i in range(len(x)):
            x[i] = thetas[n]
        present_suspension(m, s)
        for i in range(len(x)):
            length[n, i] = k["spring_length"][i]
            closed[n, i] = math.isfinite(k["W"][0, i]) and math.isfinite(k["W"][1, i]) and math.isfinite(k["W"][2, i])


# Its modes there -----------------------------------------------------------------------------------------------------------


def _worst(
    probe: _Probe, model: VehicleModel, start: Bytes, ground: GroundArrays, h: float, like: UnstableMode | None = None
) -> UnstableMode | None:
    """The mode that grows most beyond what is allowed, of the kind and axle of `like` if given; None when all are stable."""
    kept = _coordinates_that_matter(probe, model, _is_in_air(probe, start))
    return _worst_of(probe, kept, step_matrix(model, probe.vehicle.piece, ground, h, kept), h, like)


def _at_a_glance(probe: _Probe, starts: Sequence[Bytes], ground: GroundArrays, h: float) -> list[Matrix]:
    """The matrix of a step from each of the starts, by one-sided differences in the air, where nothing has a kink at rest."""
    model, found = probe.vehicle.model, dict[int, Matrix]()
    air = np.array([_is_in_air(probe, start) for start in starts])
    for in_air in (False, True):
        those = np.flatnonzero(air == in_air).tolist()
        if those:
            kept = _coordinates_that_matter(probe, model, in_air)
            matrices = step_matrices(model, probe.vehicle.piece, np.stack([starts[n] for n in those]), ground, h, kept, in_air)
            found.update(zip(those, matrices, strict=True))
    return [found[n] for n in range(len(starts))]


def _is_in_air(probe: _Probe, start: Bytes) -> bool:
    """Whether the vehicle is in the air at a start, where the probe is put."""
    probe.memory[:] = start
    return bool(probe.vehicle.space.state[0]["p_WB"][2] == HIGH)


def _coordinates_that_matter(probe: _Probe, model: VehicleModel, in_air: bool) -> NDArray[np.int_]:
    """Of GROUPS. In the air of chassis and suspension only the velocities do, and how fast the whole moves along does not."""
    wheels = probe.vehicle.size.wheels
    standing = range(CHASSIS + 3 * wheels + wheels * int(model.treads.laws["numbers"].max()))
    flying = (*range(4, 7), *range(CHASSIS, CHASSIS + 2 * wheels))
    return np.concatenate([np.array(flying if in_air else standing), elastic_coordinates(model)])


def _worst_of(probe: _Probe, kept: NDArray[np.int_], J: Matrix, h: float, like: UnstableMode | None = None) -> UnstableMode | None:
    """The same of a matrix."""
    axles, wheels = probe.vehicle.description.mechanism.axles, probe.vehicle.size.wheels
    if not np.isfinite(J).all():
        return None  # a corner at the end of its travel does not close beside it; how it is held there is not for this check
    values, some = np.linalg.eig(J)
    vectors = np.zeros((coordinates(wheels), len(kept)), complex)
    vectors[kept] = some
    allowed = np.where(values.real < 0.0, 1.0 + ROUNDING, 1.0 + SLOW_GROWTH * h)
    excess = np.abs(values) - allowed
    worst = None
    for k in np.flatnonzero(excess > 0.0):
        kind, axle = _named(vectors[:, k], axles)
        if (like is None or (kind, axle) == (like.kind, like.axle)) and (worst is None or excess[k] > worst.excess):
            worst = UnstableMode(float(excess[k]), float(np.abs(values[k])), kind, axle)
    return worst


def _named(vector: NDArray[np.complex128], axles: Axles) -> tuple[str, str]:
    """Kind and axle of a mode, by the largest part of its eigenvector."""
    sizes, at, wheels = np.abs(vector), 0, axles.size.wheels
    best, kind, axle = -1.0, "", ""
    for name, group in GROUPS.items():
        for _, number in group:
            count = wheels if number is WHEELS else int(number)
            part = sizes[at : at + count]
            at += count
            if part.max() > best:
                best, kind = float(part.max()), name
                axle = axles.names[axles.of(int(part.argmax()))] if number is WHEELS else ""
    return kind, axle
