"""Check of the step stability of a vehicle: eigenvalues of one step, in equilibrium, with locked wheels, and in the air over the full
suspension travel.

A spring or a damper that is too stiff for the step creates a mode that changes its sign from step to step and grows
(`vehicles.step_jacobian`). For a growing mode, the check reports the parameter of the files whose halving reduces the growth most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Matrix, Vector
from simulator.base.errors import ConfigError, JounceError
from simulator.base.jit import kernel
from simulator.base.records import record
from terrain.ground import GroundArrays
from vehicles.axle_layout import WHEELS, Axles
from vehicles.brakes.friction_brake import LINK_RANGES
from vehicles.command import COMMAND
from vehicles.compliance.wheel_displacements import has_compliance
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.stages import present_suspension
from vehicles.state_memory import Bytes
from vehicles.steering.steering import place_tierods
from vehicles.step_jacobian import CHASSIS, GROUPS, coordinates, elastic_coordinates, step_matrices, step_matrix
from vehicles.suspension.anti_roll_bar import PLAIN
from vehicles.tires.tire_file import TireSet
from vehicles.vehicle import Vehicle
from vehicles.vehicle_model import VehicleModel

USUAL_STEP = 1e-3
"""s. Default step size, for which all shipped files are designed."""

SLOW_GROWTH = 50.0
"""1/s. Maximum growth rate of a mode that does not change its sign from step to step. A vehicle that tips over, or rebounds after being
pressed down, is not unstable because of its step."""
ROUNDING = 1e-6
"""Maximum growth per step of a mode that changes its sign, caused by rounding and by the differences."""

NEAR = 1e-2
"""Tolerance of the eigenvalues from the quick scan, which computes no eigenvectors and partly uses one-sided differences. The differences
to an accurate computation are much smaller."""

POSITIONS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Fractions of the travel at which the suspension is checked in the air."""
BEYOND = 0.02
"""m. Distance beyond the stops that is checked."""
FARTHEST = 0.4
"""rad, m. Maximum travel that is checked."""
RATE = 0.3
"""rad/s, m/s. Magnitude of the suspension rate in the air, in both directions: dampers differ between compression and rebound."""
HIGH = 100.0
"""m. Height of a vehicle in the air."""
PRESSED = 0.5
"""Deflection of a vehicle pressed onto the ground, to include stiff rims: from the deflection at which the rim carries load (0) to that at
which it yields (1), beyond which nothing is stiff."""
BUSHINGS = "bushings"
"""Kind of the modes of wheels on their bushings, in GROUPS."""
CURVES = {"damper_pull": "damper_points", "spring_pull": "spring_points", "stop_force": "stop_points"}
"""Curves of a strut, and their numbers of points."""
SMALLEST_FACTOR = 1e-4
"""Minimum factor. If a parameter had to be reduced below this fraction, other parameters contribute to the instability."""


@dataclass(frozen=True)
class StiffParameter:
    """A parameter of a file that may be too large.

    Attributes
    ----------
    file : 0 for the vehicle's file, 1 and more for those of the tires, corner by corner
    key : key path in the file
    value : value in the file
    scaled : returns the model with this parameter multiplied by a factor
    stiffer : what must be stiffer instead of smaller, for example bushings; their softness is the parameter then
    """

    file: int
    key: str
    value: Any
    scaled: Callable[[float], VehicleModel]
    stiffer: str = ""

    def limit(self, factor: float) -> str:
        """Return the valid values, if this factor makes a vehicle stable."""
        if self.stiffer:
            return f"{self.stiffer} at least {1.0 / factor:.3g} times as stiff"
        return f"at most {factor * self.value:.3g}" if isinstance(self.value, float) else f"values at most {factor:.3g} times as large"

    def beyond(self) -> str:
        """Return what to try if no factor makes a vehicle stable."""
        return f"much stiffer {self.stiffer}" if self.stiffer else "a much smaller value, or larger masses"


@dataclass(frozen=True)
class UnstableMode:
    """The fastest-growing mode: excess over the limit, growth factor per step, kind of mode, and name of its axle or ""."""

    excess: float
    factor: float
    kind: str
    axle: str

    def sentence(self, h: float) -> str:
        """Return a sentence about the growth in steps of h seconds."""
        mode = self.kind + (f" of the {self.axle} axle" if self.axle else "")
        return f"{mode} would grow by a factor of {self.factor:.3g} in every step of {1e3 * h:g} ms"


def check_step(vehicle: Vehicle, ground: GroundArrays, h: float, files: tuple[str, ...], step_file: object = None) -> None:
    """Reject a vehicle for which a step of h seconds is not stable.

    Parameters
    ----------
    vehicle : not changed
    ground : level and hard
    files : the vehicle's file and those of the tires, corner by corner, for the message
    step_file : the file that requests this step, if it is not USUAL_STEP

    Raises
    ------
    ConfigError : names the critical parameter and its maximum stable value; or the step, if the default step is stable
    """
    probe = _Probe.of(vehicle)
    worst, start = _worst_of_all(probe, ground, h)
    if start is None:
        _check_locked_wheels(probe, ground, h, files)
        return
    if h > USUAL_STEP and step_file is not None and _worst_of_all(probe, ground, USUAL_STEP)[1] is None:
        expected = f"a shorter step for this vehicle, for example {1e3 * USUAL_STEP:g} ms; otherwise {worst.sentence(h)}"
        raise ConfigError(step_file, "step", f"{1e3 * h:g} ms", expected)
    _blame(probe, start, worst, ground, h, files)


@dataclass(frozen=True)
class _Probe:
    """A second instance of the vehicle, whose state is restored at once."""

    vehicle: Vehicle

    @staticmethod
    def of(vehicle: Vehicle) -> _Probe:
        one = vehicle.new_instance(vehicle.space.windows)
        one.tow(None)  # the joint to a trailer is solved exactly; the trailer has its own check
        return _Probe(one)

    @property
    def memory(self) -> Bytes:
        """State memory of the instance."""
        return self.vehicle.piece.memory


def _worst_of_all(probe: _Probe, ground: GroundArrays, h: float) -> tuple[UnstableMode, Bytes | None]:
    """Return the fastest-growing mode and its start state; (no growth, None) if the step is stable everywhere."""
    worst, worst_start = UnstableMode(0.0, 1.0, "", ""), None
    starts = list(_situations(probe, ground))
    for start, near in zip(starts, _may_grow(_scan_quickly(probe, starts, ground, h), h), strict=True):
        found = _worst(probe, probe.vehicle.model, start, ground, h) if near else None
        if found is not None and found.excess > worst.excess:
            worst, worst_start = found, start
    return worst, worst_start


def _check_locked_wheels(probe: _Probe, ground: GroundArrays, h: float, files: tuple[str, ...]) -> None:
    """Raise a ConfigError if wheels that are locked at rest vibrate on their bushings.

    The torque of a brake acts on the carrier with its value of the last step, so a carrier that winds up too far per torque is not stable.
    """
    vehicle = probe.vehicle
    if not has_compliance(vehicle.model):
        return
    try:
        vehicle.reset(ground)
    except JounceError:  # reported when the vehicle is placed on its ground
        return
    at_rest, pressed = probe.memory.copy(), record(COMMAND)
    pressed[0]["brake"] = 1.0

    def worst_mode(softness: float = 1.0, loss: float = 1.0, brakes: float = 1.0) -> UnstableMode | None:
        corners, links = _softened(vehicle.model, slice(None), softness).corners, vehicle.model.brakes.copy()
        corners[0]["compliance"]["time"] *= loss
        for name in LINK_RANGES:
            links[0][name] *= brakes
        model = vehicle.model._replace(corners=corners, brakes=links)
        probe.memory[:] = at_rest
        kept = _relevant_coordinates(probe, model, False)
        J = step_matrix(model, vehicle.piece, ground, h, kept, pressed)
        return _worst_of(probe, kept, J, h) if _may_grow([J], h)[0] else None

    found = worst_mode()
    if found is None:
        return
    remedies = {
        "bushings at least {:.3g} times as stiff": lambda factor: worst_mode(softness=factor) is None,
        "a loss_time at least {:.3g} times as long": lambda factor: worst_mode(loss=1.0 / factor) is None,
    }
    ways = [text.format(1.0 / _limit(is_stable)) for text, is_stable in remedies.items() if is_stable(SMALLEST_FACTOR)]
    if not ways and worst_mode(brakes=SMALLEST_FACTOR) is None:
        most = _limit(lambda factor: worst_mode(brakes=factor) is None)
        ways = [f"stiffness and damping of the brakes at least {1.0 / most:.3g} times smaller"]
    key = f"axles.{found.axle}.compliance" if found.axle else "axles"
    expected = f"{', or '.join(ways) or 'much stiffer bushings'}, with the brakes on at rest; otherwise {found.sentence(h)}"
    rotation = vehicle.model.corners[0]["compliance"]["own"][:3, :3].max()
    raise ConfigError(files[0], key, f"up to {rotation:.3g} rad per N m", expected)


def _limit(is_stable: Callable[[float], bool]) -> float:
    """Return the largest factor below 1, to 1 %, with which a vehicle is stable."""
    low, high = SMALLEST_FACTOR, 1.0
    while high > 1.01 * low:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if is_stable(middle) else (low, middle)
    return low


def _may_grow(matrices: Sequence[Matrix], h: float) -> list[bool]:
    """Return True for matrices with an eigenvalue close to the limit: only their modes are then computed, one matrix after the other."""
    near = [False] * len(matrices)
    for size in {len(J) for J in matrices}:
        those = [n for n, J in enumerate(matrices) if len(J) == size and np.isfinite(J).all()]
        values = np.linalg.eigvals(np.stack([matrices[n] for n in those])) if those else ()
        for n, of_one in zip(those, values, strict=True):
            allowed = np.where(of_one.real < NEAR, 1.0 + ROUNDING, 1.0 + SLOW_GROWTH * h)
            near[n] = bool((np.abs(of_one) > allowed - NEAR).any())
    return near


def _blame(probe: _Probe, start: Bytes, worst: UnstableMode, ground: GroundArrays, h: float, files: tuple[str, ...]) -> None:
    """Raise the ConfigError for a growing mode."""

    def excess(model: VehicleModel) -> float:
        found = _worst(probe, model, start, ground, h, worst)
        return found.excess if found is not None else 0.0

    grows = worst.sentence(h)
    vehicle = probe.vehicle
    axles = vehicle.description.mechanism.axles
    suspects = list(_suspects(vehicle.model, vehicle.tires, axles))
    suspect = min(suspects, key=lambda suspect: excess(suspect.scaled(0.5)))
    soft = [one for one in _soft_axles(vehicle.model, axles) if worst.kind == BUSHINGS and excess(one.scaled(SMALLEST_FACTOR)) <= 0.0]
    if soft:  # tires that stiff bushings carry are not too stiff
        suspect = min(soft, key=lambda one: excess(one.scaled(0.5)))
    if excess(suspect.scaled(SMALLEST_FACTOR)) > 0.0:
        raise ConfigError(files[suspect.file], suspect.key, suspect.value, f"{suspect.beyond()}; otherwise {grows}")
    low = _limit(lambda factor: excess(suspect.scaled(factor)) <= 0.0)
    raise ConfigError(files[suspect.file], suspect.key, suspect.value, f"{suspect.limit(low)}; otherwise {grows}")


def _soft_axles(model: VehicleModel, axles: Axles) -> Iterator[StiffParameter]:
    """Yield the softness of the bushings of each compliant axle."""
    bushings = model.corners[0]["compliance"]
    for n in np.flatnonzero(bushings["yields"]).tolist():
        corners = slice(axles.on(n).start, axles.on(n).stop)
        value = f"up to {bushings['own'][:3, :3, corners].max():.3g} rad per N m"
        scaled = partial(_softened, model, corners)
        yield StiffParameter(0, f"axles.{axles.names[n]}.compliance", value, scaled, "bushings")


def _softened(model: VehicleModel, wheels: slice, factor: float) -> VehicleModel:
    """Return a model whose bushings at some wheels are softer by a factor."""
    corners = model.corners.copy()
    for name in ("own", "across"):
        corners[0]["compliance"][name][:, :, wheels] *= factor
    return model._replace(corners=corners)


def _suspects(model: VehicleModel, tires: TireSet, axles: Axles) -> Iterator[StiffParameter]:
    """Yield the nonzero parameters that make a vehicle stiff. Above `load_max` the curves of a tire may have the wrong sign."""
    strut_keys = {
        **{name: f"shock.{name}" for name in ("compression_damping", "rebound_damping")},
        **{name: f"shock.{name}" for name in ("compression_damping_end", "rebound_damping_end")},
        "damper_pull": "shock.file",
        "spring_rate": "spring.rate",
        "spring_pull": "spring.pull",
        "stop_force": "spring.stop_force",
        "stop_end_rate": "spring.stop_end_rate",
    }
    for n, axle in enumerate(axles.names):
        corners = slice(axles.on(n).start, axles.on(n).stop)
        for name, key in strut_keys.items():
            value = model.struts[0][name][corners][0]
            if name in CURVES:
                value = value[: model.struts[0][CURVES[name]][corners][0]]
            if np.any(value):
                yield StiffParameter(0, f"axles.{axle}.{key}", value.tolist(), partial(_scaled_struts, model, name, corners))
        bars = model.struts[0]["anti_roll_bars"]
        if bars["stiffness"][n]:
            key = "rate" if bars["law"][n] == PLAIN else "torsional_stiffness"
            yield StiffParameter(0, f"axles.{axle}.anti_roll_bar.{key}", float(bars["stiffness"][n]), partial(_scaled_bar, model, n))
    for name in ("stiffness", "stiffness_growth", "damping", "bottoming_stiffness", "load_max"):
        for i, tire in enumerate(model.tires):
            same = (model.tires == tire).nonzero()[0]
            if same[0] == i and np.any(tire[name]):
                yield StiffParameter(1 + i, name, tire[name].tolist(), partial(_scaled_tires, model, name, same))
    for model_name, own in tires.own.items():
        for name in tires.law(model_name).stiff:
            for i in tires.wheels(model_name):
                same = np.array([n for n in tires.wheels(model_name) if own[n].tobytes() == own[i].tobytes()])
                if same[0] == i and np.any(own[i][name]):
                    yield StiffParameter(1 + i, name, own[i][name].tolist(), partial(_scaled_treads, model, tires, model_name, name, same))


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


def _scaled_treads(
    model: VehicleModel, tires: TireSet, model_name: str, name: str, wheels: NDArray[np.int_], factor: float
) -> VehicleModel:
    own = tires.own[model_name].copy()
    own[name][wheels] *= factor
    return model._replace(treads=tires.treads_with(model_name, own))


# States in which the vehicle is checked ----------------------------------------------------------------------------------------


def _situations(probe: _Probe, ground: GroundArrays) -> Iterator[Bytes]:
    """Yield the memory of the vehicle in equilibrium, pressed onto the ground, and in the air with the suspension moving in both
    directions."""
    vehicle, memory = probe.vehicle, probe.memory
    model, space = vehicle.model, vehicle.space
    try:
        vehicle.reset(ground)
        at_rest = memory.copy()
        yield at_rest
        memory[:] = at_rest
        _press(vehicle)
        yield memory.copy()
    except JounceError:  # the vehicle has no equilibrium: that is reported when it is placed on its ground
        pass
    low, high = _travel(vehicle)
    vehicle.clear()
    state = space.state[0]
    state["p_WB"][2] = HIGH
    drivetrain_reset(model.drivetrain, space.drivetrain, state["wheel_spin"], 0)
    blank = memory.copy()
    for fraction in POSITIONS:
        for rate in (RATE, -RATE):
            memory[:] = blank
            state["theta"], state["theta_dot"] = low + fraction * (high - low), rate
            yield memory.copy()


def _press(probe: Vehicle) -> None:
    """Press the vehicle from its equilibrium onto the ground with all wheels."""
    state, tires, rise = probe.space.state[0], probe.model.tires, probe.space.kinematics[0]["W_1"][2]
    rim = np.minimum(tires["radius"] - tires["bottoming_radius"], tires["give"])
    lower = rim + PRESSED * (tires["give"] - rim) - probe.space.contacts["depth"]
    state["p_WB"][2] -= lower.mean()
    state["theta"] -= (lower - lower.mean()) / rise


def _travel(probe: Vehicle) -> tuple[Vector, Vector]:
    """Return the minimum and maximum coordinate (wheels,) of every corner about the design position: between its stops and a bit beyond,
    while the corner closes and its hard stops, which are implicit in a step, do not push."""
    space, struts = probe.space, probe.model.struts[0]
    probe.clear()
    place_tierods(probe.model.steering, space.steering, space.inputs)
    grid = np.linspace(-FARTHEST, FARTHEST, 81)
    wheels = probe.size.wheels
    length, closed = np.empty((len(grid), wheels)), np.empty((len(grid), wheels), np.bool_)
    scan_springs(probe.model, space, grid, length, closed)
    free = struts["stop_points"] == 0
    between = (length > struts["bump_stop_length"] - BEYOND) & (length < struts["rebound_stop_length"] + BEYOND)
    inside = closed & (free | between)
    middle = len(grid) // 2
    upward, downward = np.logical_and.accumulate(inside[middle + 1 :]), np.logical_and.accumulate(inside[middle - 1 :: -1])
    low, high = grid[middle - downward.sum(axis=0)], grid[middle + upward.sum(axis=0)]
    lower, upper = probe.model.corners[0]["ends"]["theta"]
    return np.maximum(low, lower), np.minimum(high, upper)


@kernel
def scan_springs(m, s, thetas, length, closed):
    """Compute the spring lengths (n, wheels) [m], and whether the corners close, at thetas (n,) of all corners."""
    x, k = s.state[0]["theta"], s.kinematics[0]
    for n in range(len(thetas)):
        for i in range(len(x)):
            x[i] = thetas[n]
        present_suspension(m, s)
        for i in range(len(x)):
            length[n, i] = k["spring_length"][i]
            closed[n, i] = math.isfinite(k["W"][0, i]) and math.isfinite(k["W"][1, i]) and math.isfinite(k["W"][2, i])


# Modes in a state ----------------------------------------------------------------------------------------------------------


def _worst(
    probe: _Probe, model: VehicleModel, start: Bytes, ground: GroundArrays, h: float, like: UnstableMode | None = None
) -> UnstableMode | None:
    """Return the mode that exceeds its limit most, of the kind and axle of `like` if given; None if all modes are stable."""
    kept = _relevant_coordinates(probe, model, _is_in_air(probe, start))
    return _worst_of(probe, kept, step_matrix(model, probe.vehicle.piece, ground, h, kept), h, like)


def _scan_quickly(probe: _Probe, starts: Sequence[Bytes], ground: GroundArrays, h: float) -> list[Matrix]:
    """Return the matrix of a step from each start; in the air, where no component has a kink at rest, by one-sided differences."""
    model, found = probe.vehicle.model, dict[int, Matrix]()
    air = np.array([_is_in_air(probe, start) for start in starts])
    for in_air in (False, True):
        those = np.flatnonzero(air == in_air).tolist()
        if those:
            kept = _relevant_coordinates(probe, model, in_air)
            matrices = step_matrices(model, probe.vehicle.piece, np.stack([starts[n] for n in those]), ground, h, kept, in_air)
            found.update(zip(those, matrices, strict=True))
    return [found[n] for n in range(len(starts))]


def _is_in_air(probe: _Probe, start: Bytes) -> bool:
    """Return True if the vehicle is in the air at a start; the probe is set to this start."""
    probe.memory[:] = start
    return bool(probe.vehicle.space.state[0]["p_WB"][2] == HIGH)


def _relevant_coordinates(probe: _Probe, model: VehicleModel, in_air: bool) -> NDArray[np.int_]:
    """Return the relevant coordinates of GROUPS. In the air these are the velocities of chassis and suspension, without the translation."""
    wheels = probe.vehicle.size.wheels
    at_rest = range(CHASSIS + 3 * wheels + wheels * int(model.treads.laws["numbers"].max()))
    flying = (*range(4, 7), *range(CHASSIS, CHASSIS + 2 * wheels))
    return np.concatenate([np.array(flying if in_air else at_rest), elastic_coordinates(model)])


def _worst_of(probe: _Probe, kept: NDArray[np.int_], J: Matrix, h: float, like: UnstableMode | None = None) -> UnstableMode | None:
    """Return the mode of a matrix that exceeds its limit most, see `_worst`."""
    axles, wheels = probe.vehicle.description.mechanism.axles, probe.vehicle.size.wheels
    if not np.isfinite(J).all():
        return None  # a corner at its travel limit does not close for a small deviation; this check does not cover hard stops
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
    """Return kind and axle of a mode, by the largest component of its eigenvector."""
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
