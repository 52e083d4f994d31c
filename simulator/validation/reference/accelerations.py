"""Comparison of constrained accelerations with a file of reference states (`jounce validate accelerations FILE.npz --model MODEL.yaml`).

There are two kinds of file: complete vehicles, and quarter cars on a fixed chassis, which name the corner of every state. The inputs of
a state are chassis_quat_wxyz, chassis_omega_world, theta, theta_dot, wheel_angle, wheel_rate, wheel_wrench_world, corner,
tierod_inner_offset, _vel, _acc. A rack has its position rack and its rate rack_rate instead, and either its acceleration rack_acc or the
force rack_force on it. anti_roll_bars tells whether there are bars. theta is the coordinate of the joint of the arm in the model file;
the theta of Jounce is positive in jounce.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.npy_reader import read_npz
from simulator.validation.reference.closed_form_model import OracleModel, TableModel
from simulator.validation.reference.model_corners import Model, read_model
from simulator.validation.reference.multibody_model import MechanismModel
from simulator.validation.reference.result import Comparison, relative_error
from vehicles.mechanism_parameters import CORNER_NAMES

LIMIT = 1e-9
CLOSED_FORM, TABLE = "closed-form", "table"
"""Formulations of the vehicle itself; the others are general."""
WHOLE_INPUTS = {
    "chassis_quat_wxyz": (4,),
    "chassis_omega_world": (3,),
    "theta": (4,),
    "theta_dot": (4,),
    "wheel_rate": (4,),
    "wheel_wrench_world": (4, 6),
}
QUARTER_INPUTS = {"theta": (), "theta_dot": (), "wheel_rate": (), "wheel_wrench_world": (6,)}
TIE_RODS: dict[str, tuple[int, ...]] = {"tierod_inner_offset": (2, 3), "tierod_inner_vel": (2, 3), "tierod_inner_acc": (2, 3)}
RACK: dict[str, tuple[int, ...]] = {"rack": (), "rack_rate": ()}
RACK_MOVED_BY = ("rack_acc", "rack_force")
"""Inputs that move the rack: its prescribed acceleration, or the force on it along +y with the reaction on the chassis."""

WHOLE_OUTPUTS = (
    "out_chassis_alpha_world",
    "out_chassis_acc_world",
    "out_theta_ddot",
    "out_wheel_acc",
    "out_qdd_all",
    "body_alpha",
    "body_acc_com",
    "out_rack_acc",
    "out_rack_force",
    "massless_rack_chassis_alpha_world",
    "massless_rack_chassis_acc_world",
    "massless_rack_theta_ddot",
    "massless_rack_wheel_acc",
    "massless_rack_rack_force",
)
STEERED = {*TIE_RODS, *RACK}
QUARTER_OUTPUTS = ("out_theta_ddot", "out_wheel_acc", "out_qdd_corner", "body_alpha", "body_acc_com")


def compare_accelerations(file: str, mapping: Any, model_file: str, formulation: str = CLOSED_FORM) -> Comparison:
    """Evaluate the Jounce model for every state of `file` and compare all outputs in the file.

    Parameters
    ----------
    file : path of an .npz file of states
    mapping : parsed model file
    model_file : name of the model file, for messages
    formulation : closed-form, table, or one of `vehicles.multibody.formulations.kinds`

    Raises
    ------
    ConfigError : the file cannot be read, lacks an input, or an input has the wrong shape or is not finite
    """
    data = read_states(file)
    model = read_model(mapping, model_file)
    states = checked_inputs(data, file)
    if "rack" in states and model.steering is None:
        raise ConfigError(file, "rack", "a rack that moves", f"no such input, since {model_file} has no rack")
    if formulation == TABLE and not STEERED.isdisjoint(states):
        moved = next(name for name in states if name in STEERED)
        raise ConfigError(file, moved, "tie rods that move", "states without steering (the tables support a Pitman arm only)")
    quarter = "corner" in states
    bars = not quarter and bool(data.get("anti_roll_bars", True))
    compared_model = _model(model if bars else model._replace(design=model.design.without_bars()), formulation)
    evaluate = compared_model.quarter if quarter else compared_model.whole
    count = len(states["theta"])
    results = [evaluate({name: values[n] for name, values in states.items()}) for n in range(count)]
    outputs = [name for name in (QUARTER_OUTPUTS if quarter else WHOLE_OUTPUTS) if name in data and name in results[0]]
    if not outputs:
        raise ConfigError(file, "", sorted(data), "at least one output to compare with, for example out_theta_ddot")
    errors = {}
    for name in outputs:
        ours = np.array([result[name] for result in results])
        if data[name].dtype.kind not in "fiu" or data[name].shape != ours.shape:
            raise ConfigError(file, name, f"{data[name].dtype} {data[name].shape}", f"numbers of shape {ours.shape}")
        errors[name] = relative_error(ours, data[name])
    return Comparison(file, f"{'quarter' if quarter else 'whole vehicle'}, {formulation}", count, errors, LIMIT)


def _model(model: Model, formulation: str) -> OracleModel | MechanismModel:
    if formulation == CLOSED_FORM:
        return OracleModel(model.design)
    return TableModel(model.design) if formulation == TABLE else MechanismModel(model.design, formulation, model.steering)


def read_states(file: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an .npz file. Raises ConfigError: the file does not exist or has another format."""
    return read_npz(file, "an .npz file of arrays")


def checked_inputs(data: Mapping[str, NDArray[Any]], file: str) -> dict[str, NDArray[Any]]:
    """Return the inputs of a file with checked shapes. Raises ConfigError."""
    shapes = dict(QUARTER_INPUTS if "corner" in data else WHOLE_INPUTS) | _steering_inputs(data, file)
    inputs: dict[str, NDArray[Any]] = {}
    if data.get("theta") is None or data["theta"].ndim == 0 or not len(data["theta"]):
        raise ConfigError(file, "theta", data.get("theta"), "an array with one row for each state")
    count = len(data["theta"])
    for name, shape in shapes.items():
        values = data.get(name)
        if values is None:
            raise ConfigError(file, name, "nothing", f"an array of shape {(count, *shape)}")
        if values.dtype.kind not in "fiu" or values.shape != (count, *shape):
            raise ConfigError(file, name, f"{values.dtype} {values.shape}", f"numbers of shape {(count, *shape)}")
        if not np.isfinite(values).all():
            raise ConfigError(file, name, "values that are not finite", "finite numbers")
        inputs[name] = values.astype(float)
    if "chassis_quat_wxyz" in inputs and np.abs(np.linalg.norm(inputs["chassis_quat_wxyz"], axis=1) - 1.0).max() > 1e-6:
        raise ConfigError(file, "chassis_quat_wxyz", "norms that are not 1", "unit quaternions")
    if "corner" in data:
        names = data["corner"].astype(str)
        if names.shape != (count,) or not np.isin(names, CORNER_NAMES).all():
            raise ConfigError(file, "corner", names.tolist(), f"{count} names out of " + ", ".join(CORNER_NAMES))
        inputs["corner"] = names
    bars = data.get("anti_roll_bars", np.array(True))
    if bars.dtype.kind != "b" or bars.shape != ():
        raise ConfigError(file, "anti_roll_bars", f"{bars.dtype} {bars.shape}", "true or false")
    return inputs


def _steering_inputs(data: Mapping[str, NDArray[Any]], file: str) -> dict[str, tuple[int, ...]]:
    """Return the steering inputs of a state: those of the rack if there is one, else those of the inner tie-rod ends."""
    moved = [name for name in ("rack", "rack_rate", *RACK_MOVED_BY) if name in data]
    if moved:
        by = [name for name in RACK_MOVED_BY if name in data]
        if len(by) != 1 or (by[0] == "rack_force" and "corner" in data):
            expected = "rack_acc" if "corner" in data else "one of rack_acc and rack_force"
            raise ConfigError(file, "rack_acc", " and ".join(by) or "nothing", f"{expected} (the file has {moved[0]})")
        return {**RACK, by[0]: ()}
    return dict(TIE_RODS) if any(name in data for name in TIE_RODS) else {}
