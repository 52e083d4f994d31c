"""Drives of the comparison vehicle against drives recorded with another vehicle code (tests/data/chrono)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, OutputError
from simulator.builder.builder import build_vehicle
from simulator.cli.main import main
from simulator.validation.reference.recorded_drive import INPUTS, Recording
from simulator.validation.reference.trajectory import (
    CORNERS,
    TrajectoryComparison,
    arm_angles,
    channel_error,
    compare_trajectory,
    drive,
    plot_trajectory,
    spawn,
    take_over,
)
from vehicles.steering.steering import place_tierods
from vehicles.suspension.composite_inertia import prepare
from vehicles.vehicle import Vehicle

DATA = Path(__file__).parents[1] / "data" / "chrono"
SETTLE, THROTTLE, STEER = (str(DATA / f"{name}.csv.gz") for name in ("a_settle", "b_throttle", "d_stepsteer"))
AT_REST = {"chassis_ref_pos": [0.0, 0.0, 0.5], "quaternion_wxyz": [1.0, 0.0, 0.0, 0.0], "velocity": 0}
SIDECAR = {"terrain": {"type": "flat"}, "friction_mu_road": 0.9, "initial_conditions": AT_REST}


def vehicle() -> Vehicle:
    return build_vehicle("hmmwv_chrono")


def write(folder: Path, columns: dict[str, Any], name: str = "made", **about: Any) -> str:
    """A recording with the given columns; returns the table's name."""
    rows = zip(*columns.values(), strict=True)
    text = "\n".join([",".join(columns), *(",".join(str(cell) for cell in row) for row in rows)])
    (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    (folder / f"{name}.json").write_text(json.dumps(SIDECAR | about))
    return str(folder / f"{name}.csv.gz")


def inputs(end: float, steering: Callable = np.zeros_like, throttle: Callable = np.zeros_like, braking: Callable = np.zeros_like) -> dict:
    t = np.round(np.arange(0.0, end, 0.01), 2)
    return {"t": t, "steering": steering(t), "throttle": throttle(t), "braking": braking(t)}


def driven(file: str) -> np.ndarray:
    recording, car = Recording(file), vehicle()
    spawn(car, recording)
    return drive(car, recording.ground(), recording, 0)


@pytest.fixture(scope="module")
def throttle() -> TrajectoryComparison:
    return compare_trajectory(Recording(THROTTLE), vehicle())


@pytest.fixture(scope="module")
def steer() -> TrajectoryComparison:
    return compare_trajectory(Recording(STEER), vehicle(), 34.0)


def test_full_throttle_from_rest(throttle: TrajectoryComparison) -> None:
    assert throttle.counted == ("vx", "engine_speed", "pitch")
    assert throttle.passed and throttle.limit == 0.05
    assert throttle.errors["vx"] < 0.005 and throttle.errors["engine_speed"] < 0.005
    assert throttle.time[0] == 1.0, "one second before the maneuver"
    # the same gears, at the same times within 0.05 s
    ours, reference = (np.flatnonzero(np.diff(side["gear"])) for side in (throttle.ours, throttle.reference))
    assert len(ours) == len(reference) == 2 and np.abs(ours - reference).max() <= 5


def test_step_steer_from_the_recorded_state(steer: TrajectoryComparison) -> None:
    assert steer.counted == ("vx", "wz", "ay", "roll")
    assert steer.passed and steer.max_error < 0.02
    assert max(steer.errors[f"tire_Fz_{c}"] for c in CORNERS) < 0.02
    assert max(steer.errors[f"tire_Fy_{c}"] for c in CORNERS) < 0.04
    peak, reference = steer.ours["ay"].max(), steer.reference["ay"].max()
    assert abs(peak / reference - 1.0) < 0.02


def test_step_steer_from_rest_agrees_as_well() -> None:
    comparison = compare_trajectory(Recording(STEER), vehicle())
    assert comparison.passed and comparison.time[0] == 34.0


def test_drop_onto_the_ground() -> None:
    comparison = compare_trajectory(Recording(SETTLE), vehicle())
    assert comparison.counted == ("z", "pitch")
    assert comparison.errors["z"] < 0.01 and comparison.errors["az"] < 0.1


def test_lateral_acceleration_is_the_rate_of_our_own_velocity(steer: TrajectoryComparison) -> None:
    """The channels belong together: a_y = d v_y / dt + wz vx (- wx vz, small)."""
    vx, vy, wz, ay = (steer.ours[name] for name in ("vx", "vy", "wz", "ay"))
    rate = (vy[2:] - vy[:-2]) / 0.02
    # the acceleration is that of the step that ended, half a step old
    assert np.abs(rate + wz[1:-1] * vx[1:-1] - ay[1:-1])[120:].max() < 0.05


@pytest.mark.parametrize("start", [None, 34.0])
def test_only_inputs_and_the_first_state_are_read(start: float | None) -> None:
    """Everything but the inputs is blotted out after the first row, before it too."""
    histories = []
    for hide in (False, True):
        recording, car = Recording(STEER), vehicle()
        first = recording.row(start) if start is not None else 0
        if hide:
            kept = {recording.names.index(name) for name in INPUTS}
            recording.rows = [
                row if n == first and start is not None else [cell if k in kept else "hidden" for k, cell in enumerate(row)]
                for n, row in enumerate(recording.rows)
            ]
        if start is None:
            recording.time = recording.time[:500]
            spawn(car, recording)
        else:
            take_over(car, recording, first)
        histories.append(drive(car, recording.ground(), recording, first))
    assert histories[0].tobytes() == histories[1].tobytes()


@pytest.mark.parametrize("time", [10.0, 34.0, 36.0, 40.0])
def test_recorded_state_gives_the_recorded_wheels(time: float) -> None:
    """From shock lengths and Pitman angle alone: wheel centers, heading and camber as recorded, to the file's digits and its joints'."""
    recording, car = Recording(STEER), vehicle()
    row = recording.row(time)
    take_over(car, recording, row)
    k = car.space.kinematics[0]
    for i, corner in enumerate(CORNERS):
        recorded = np.array([recording.column(f"wc_{axis}_{corner}")[row] for axis in "xyz"])
        assert np.abs(k["W"][:, i] - recorded).max() < 2e-5
        heading, camber = np.arctan2(-k["axle"][0, i], k["axle"][1, i]), np.arcsin(k["axle"][2, i]) * (-1.0) ** (i + 1)
        assert abs(heading - recording.column(f"steer_{corner}")[row]) < 1e-4
        assert abs(camber - recording.column(f"camber_{corner}")[row]) < 1e-4
        assert abs(k["spring_length"][i] - recording.column(f"spring_L_{corner}")[row]) < 1e-5


@pytest.mark.parametrize("file", ["h_susp_sweep", "h_steer_sweep", "h_steer_sweep_settled"])
def test_sweeps_of_the_suspension(file: str) -> None:
    """Shock length and steering input in, the rest of the row out. One step of 1 ms between input and row turns the wheels by 6e-5 rad."""
    table = np.genfromtxt(gzip.decompress((DATA / f"{file}.csv.gz").read_bytes()).decode().splitlines(), delimiter=",", names=True)
    car = vehicle()
    s, k = car.space, car.space.kinematics[0]
    arm_angles(car, np.array([table[f"shock_L_{c}"][0] for c in CORNERS]), file)
    design = vehicle()
    prepare(design.model, design.space)
    for row in table[::7]:
        s.steering[0]["angle"] = -row["steering"] * car.model.steering[0]["max_arm_angle"]
        place_tierods(car.model.steering, s.steering, s.inputs)
        arm_angles(car, np.array([row[f"shock_L_{c}"] for c in CORNERS]), file)
        moved = k["W"] - design.space.kinematics[0]["W"]
        for i, c in enumerate(CORNERS):
            recorded = [row[f"{name}_{c}"] for name in ("dx", "dy", "dz", "spring_L")]
            assert np.abs([*moved[:, i], k["spring_length"][i]] - np.array(recorded)).max() < 2e-5
            assert abs(np.arctan2(-k["axle"][0, i], k["axle"][1, i]) - row[f"toe_steer_{c}"]) < 8e-5
            assert abs(np.arcsin(k["axle"][2, i]) * (-1.0) ** (i + 1) - row[f"camber_{c}"]) < 5e-5


def test_error_of_a_channel() -> None:
    assert channel_error(np.array([1.0, 2.0]), np.array([1.0, -4.0])) == pytest.approx(np.sqrt(18.0) / 4.0)
    assert channel_error(np.array([0.3, 0.4]), np.zeros(2)) == pytest.approx(np.sqrt(0.125))


def test_same_file_same_bits(tmp_path: Path) -> None:
    file = write(tmp_path, inputs(1.0, steering=np.sin, throttle=np.ones_like))
    assert driven(file).tobytes() == driven(file).tobytes()


def test_steering_runs_between_samples_and_throttle_waits_for_its_own(tmp_path: Path) -> None:
    coarse = write(tmp_path, {"t": [0.0, 0.5, 1.0], "steering": [0.0, 0.2, 0.2], "throttle": [0.0, 0.0, 0.0], "braking": [0, 0, 0]})
    fine = write(tmp_path, inputs(1.01, steering=lambda t: np.minimum(0.4 * t, 0.2)), "fine")
    assert np.abs(driven(coarse)["steering_gear_angle"][[1, 2]] - driven(fine)["steering_gear_angle"][[50, 100]]).max() < 1e-12
    late = write(tmp_path, {"t": [0.0, 0.5, 1.0], "steering": [0, 0, 0], "throttle": [0.0, 1.0, 1.0], "braking": [0, 0, 0]}, "late")
    history = driven(late)
    assert history["engine_speed"][1] == 0.0 < history["engine_speed"][2]


def test_braking_to_a_standstill(tmp_path: Path) -> None:
    columns = inputs(14.0, throttle=lambda t: (t < 6.0) * 1.0, braking=lambda t: (t > 6.0) * 0.5)
    history = driven(write(tmp_path, columns))
    speed = history["v_WB_B"][:, 0]
    assert np.isfinite(history["p_WB"]).all()
    assert speed.max() > 8.0 and np.abs(speed[-200:]).max() < 0.01


def test_bump_lifts_the_wheels(tmp_path: Path) -> None:
    bump = {"type": "bump", "height": 0.1, "length": 1.0, "x0": 30.0}
    history = driven(write(tmp_path, inputs(9.0, throttle=lambda t: (t > 1.0) * 1.0), terrain=bump))
    x, load = history["p_WB"][:, 0], history["F_C"][:, :, 2]
    assert np.isfinite(load).all()
    assert x.max() > 35.0
    over = (x > 27.0) & (x < 36.0)
    assert load[over].min() == 0.0 and load[over].max() > 15000.0
    assert history["p_WB"][over, 2].max() > history["p_WB"][x < 25.0, 2][-1] + 0.03
    assert np.abs(history["pitch"][over]).max() > 0.02


def test_full_lock_at_low_speed(tmp_path: Path) -> None:
    columns = inputs(14.0, steering=lambda t: np.clip((t - 5.0) / 5.0, 0.0, 1.0), throttle=lambda t: (t > 1.0) * 0.15)
    history = driven(write(tmp_path, columns))
    assert np.isfinite(history["p_WB"]).all()
    turn = history["v_WB_B"][-1, 0] / history["w_WB_B"][-1, 2]
    assert 6.0 < turn < 12.0, "radius of the tightest circle [m]"


def test_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "out.png"
    assert main(["validate", "trajectory", STEER, "--from", "44", "--json", "--plot", str(picture)]) == 0
    out = json.loads(capsys.readouterr().out)
    own = {"maneuver", "steering", "counted", "from", "to", "contact_model", "notes"}
    assert set(out) == {"file", "kind", "states", "errors", "max_error", "limit", "pass"} | own
    assert (out["maneuver"], out["steering"], out["contact_model"]) == ("turning", 0.3, "SINGLE_POINT")
    assert out["counted"] == ["vx", "wz", "ay", "roll"]
    assert out["kind"] == "trajectory" and out["states"] == 100 and out["pass"] is True
    assert out["max_error"] == max(out["errors"][name] for name in ("vx", "wz", "ay", "roll"))
    assert picture.read_bytes()[:4] == b"\x89PNG"

    assert main(["validate", "trajectory", SETTLE]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_to_ends_the_drive(steer: TrajectoryComparison) -> None:
    """The first second of the same drive: bit-identical samples, and what comes later is not read."""
    recording = Recording(STEER)
    beyond = recording.row(35.0) + 1
    recording.rows = recording.rows[:beyond] + [["hidden"] * len(row) for row in recording.rows[beyond:]]
    short = compare_trajectory(recording, vehicle(), 34.0, 35.0)
    assert (short.time[0], short.time[-1], short.states) == (34.01, 35.0, 100)
    for name, values in short.ours.items():
        assert np.array_equal(values, steer.ours[name][:100]), name
    assert short.maneuver == "straight", "the steering begins at 35 s"
    assert steer.maneuver == "turning"


@pytest.mark.parametrize(("start", "end"), [(34.0, 34.0), (34.0, 33.0), (None, 33.9), (None, 1e3), (None, float("nan"))])
def test_an_end_with_nothing_before_it(start: float | None, end: float) -> None:
    with pytest.raises(ConfigError, match="--to"):
        compare_trajectory(Recording(STEER), vehicle(), start, end)


def test_the_kind_of_maneuver_is_what_the_driver_did(tmp_path: Path) -> None:
    """Steered with no lateral acceleration to speak of is a turn; thrown about without steering is none; at rest it is neither."""
    t = np.round(np.arange(0.0, 0.5, 0.01), 2)
    zero, slow = np.zeros_like(t), np.full_like(t, 2.0)

    def maneuver(name: str, **columns: np.ndarray) -> TrajectoryComparison:
        base = {"t": t, "steering": zero, "throttle": zero, "braking": zero, "vx": slow, "ay": zero, "wz": zero, "pitch": zero, "z": zero}
        return compare_trajectory(Recording(write(tmp_path, base | columns, name)), vehicle())

    turn = maneuver("turn", steering=np.minimum(t, 0.2), ay=np.full_like(t, 0.1))
    assert (turn.maneuver, turn.counted) == ("turning", ("vx", "wz", "ay"))
    assert turn.steering == 0.2 and "turning (steering up to 0.2)" in turn.to_text()
    bump = maneuver("bump", ay=np.full_like(t, 4.0))
    assert (bump.maneuver, bump.counted) == ("straight", ("vx", "pitch"))
    still = maneuver("still", vx=zero, ay=np.full_like(t, 4.0), steering=np.minimum(t, 0.2))
    assert (still.maneuver, still.counted) == ("standing", ("z", "pitch"))
    assert maneuver("held", steering=np.full_like(t, 0.01)).maneuver == "straight"


@pytest.mark.parametrize(
    ("about", "model", "words"),
    [
        ({"tire_model": "TMeasy, collision type ENVELOPE"}, "ENVELOPE", "ENVELOPE; Jounce uses a single point, which differs"),
        ({"tire_model": "TMeasy, collision type FOUR_POINTS"}, "FOUR_POINTS", "which differs"),
        ({"tire_model": "TMeasy", "tires": {"contact": "single point"}}, "SINGLE_POINT", "SINGLE_POINT, as in Jounce"),
        ({"tire_model": "TMeasy", "title": "through the envelope", "contact_method": "SMC"}, None, "not named in"),
    ],
)
def test_the_contact_model_of_the_recording_is_named(tmp_path: Path, about: dict[str, Any], model: str | None, words: str) -> None:
    comparison = compare_trajectory(Recording(write(tmp_path, columns_with(), **about)), vehicle())
    assert comparison.contact_model == model
    (line,) = [line for line in comparison.to_text().splitlines() if "contact model of the recording" in line]
    assert words in line
    assert json.loads(comparison.to_json())["contact_model"] == model


def test_the_differences_of_the_other_code_are_reported_with_its_recordings(steer: TrajectoryComparison, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "trajectories.md").read_text(encoding="utf-8")
    for words in ("final drive", "3 m/s", "camber"):
        assert any(words in note for note in steer.notes) and words in page
    assert len(compare_trajectory(Recording(write(tmp_path, columns_with())), vehicle()).notes) == 1


def test_picture_that_cannot_be_written(steer: TrajectoryComparison, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        plot_trajectory(steer, str(tmp_path / "no" / "such" / "folder.png"))


def columns_with(**changes: Any) -> dict[str, Any]:
    good = {"t": [0.0, 0.01, 0.02], "steering": [0, 0, 0], "throttle": [0, 0, 0], "braking": [0, 0, 0], "vx": [0, 0, 0]}
    return {name: cells for name, cells in (good | changes).items() if cells is not None}


@pytest.mark.parametrize(
    ("columns", "about", "message"),
    [
        (columns_with(throttle=None), {}, "a column throttle"),
        (columns_with(t=None), {}, "a column t"),
        (columns_with(vx=None), {}, "at least one of vx"),
        (columns_with(steering=[0, "nan", 0]), {}, "row 2, column steering"),
        (columns_with(vx=[0, 0, "fast"]), {}, "row 3, column vx"),
        (columns_with(vx=[0, 0, ""]), {}, "row 3, column vx"),
        (columns_with(braking=[0, 0, 2]), {}, "an input from 0 to 1"),
        (columns_with(t=[0.0, 0.02, 0.02]), {}, "row 3, column t"),
        (columns_with(t=[0.0, 0.01, 100.0]), {}, "row 3, column t"),
        ({name: cells[:1] for name, cells in columns_with().items()}, {}, "two samples"),
        (columns_with(), {"terrain": {"type": "swamp"}}, "flat, bump"),
        (columns_with(), {"terrain": None}, "flat, bump"),
        (columns_with(), {"terrain": {"type": "bump", "height": 0.1}}, "length"),
        (columns_with(), {"friction_mu_road": "wet"}, "friction_mu_road"),
        (columns_with(), {"friction_mu_road": -1.0}, "friction"),
        (columns_with(), {"initial_conditions": None}, "initial_conditions"),
        (columns_with(), {"initial_conditions": AT_REST | {"quaternion_wxyz": [1, 1, 0, 0]}}, "a unit quaternion"),
        (columns_with(), {"initial_conditions": AT_REST | {"chassis_ref_pos": [0, 0]}}, "chassis_ref_pos"),
        (columns_with(), {"maneuver_t0": 7.0}, "maneuver_t0"),
    ],
)
def test_bad_recordings(
    columns: dict[str, Any], about: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "trajectory", write(tmp_path, columns, **about)]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and shown.err.count("\n") == 1 and shown.out == ""


@pytest.mark.parametrize("start", ["-1", "0.02", "3", "nan"])
def test_start_outside_the_recording(start: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "trajectory", write(tmp_path, columns_with()), f"--from={start}"]) == 2
    assert "--from" in capsys.readouterr().err


def test_state_that_was_not_recorded(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a column roll"):
        compare_trajectory(Recording(write(tmp_path, columns_with())), vehicle(), 0.01)


def test_files_that_are_no_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path, columns_with())
    whole = Path(good).read_bytes()
    for name, content in {"cut": whole[:-12], "plain": b"t,steering\n", "empty": b""}.items():
        (tmp_path / f"{name}.csv.gz").write_bytes(content)
        (tmp_path / f"{name}.json").write_text(json.dumps(SIDECAR))
    ragged = gzip.compress(gzip.decompress(whole) + b"\n0.03,0")
    (tmp_path / "ragged.csv.gz").write_bytes(ragged)
    (tmp_path / "alone.csv.gz").write_bytes(whole)
    for name in ("cut", "plain", "empty", "ragged", "alone", "missing"):
        assert main(["validate", "trajectory", str(tmp_path / f"{name}.csv.gz")]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    for text in ("[1]", "{", ""):
        (tmp_path / "made.json").write_text(text)
        assert main(["validate", "trajectory", good]) == 2
        assert "made.json" in capsys.readouterr().err


def test_shock_length_out_of_reach() -> None:
    with pytest.raises(ConfigError, match="within the range of the suspension"):
        arm_angles(vehicle(), np.full(4, 2.0), "here")
