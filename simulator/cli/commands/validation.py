"""The verb validate, with a subcommand for each kind of reference data."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands
from simulator.cli.commands.options import add_formulation, add_json, add_out, add_plugin, command


def add_validate(commands: Commands) -> None:
    """Add the verb `validate`."""
    validate = commands.add_parser("validate", help="compare models with reference data and other programs")
    kinds = validate.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    _add_all(kinds)
    _add_soil(kinds)
    _add_accelerations(kinds)
    _add_kinematics(kinds)
    _add_mechanism(kinds)
    _add_sensors(kinds)
    _add_tire(kinds)
    _add_trajectory(kinds)


def _add_all(kinds: Commands) -> None:
    """Add the subcommand `validate all`."""
    p = kinds.add_parser("all", help="run all comparisons and write docs/theory/validation.md")
    p.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME,...",
        help="selected cases, printed; written with --out only (default: all); repeatable",
    )
    add_out(p, "folder of the page and its plots", "docs/theory")
    p.add_argument("--check", action="store_true", help="no files, exit code 1 if the page in docs/theory is out of date")
    add_json(p)
    p.set_defaults(run=command("simulator.validation.suite.command:main_all"))


def _add_soil(kinds: Commands) -> None:
    """Add the subcommand `validate soil`."""
    p = kinds.add_parser("soil", help="compare soils with measurements and write docs/theory/soil_measured.md")
    add_out(p, "folder of the page and its plots", "docs/theory")
    add_json(p)
    p.set_defaults(run=command("simulator.validation.suite.soil_command:main_soil_measured"))


def _add_accelerations(kinds: Commands) -> None:
    """Add the subcommand `validate accelerations`."""
    p = kinds.add_parser("accelerations", help="compare accelerations of constrained states (.npz)")
    p.add_argument("file", metavar="FILE", help="file of states (.npz)")
    p.add_argument("--model", required=True, metavar="MODEL.yaml", help="file of the bodies, joints and loops of the mechanism")
    add_formulation(p, {"closed-form": "closed form of the vehicle", "table": "tables of the vehicle"})
    add_json(p)
    p.set_defaults(run=_validate_accelerations)


def _validate_accelerations(arguments: argparse.Namespace) -> int:
    from simulator.builder.builder import read_yaml
    from simulator.validation.reference.accelerations import compare_accelerations

    model = read_yaml(arguments.model)
    return _report(compare_accelerations(arguments.file, model, arguments.model, arguments.formulation), arguments.json)


def _add_kinematics(kinds: Commands) -> None:
    """Add the subcommand `validate kinematics`."""
    p = kinds.add_parser("kinematics", help="compare wheel positions and motions (.json, .csv)")
    p.add_argument("file", metavar="FILE", help="file of reference states (.json) or positions (.csv)")
    p.add_argument("--axle", choices=("front", "rear"), help="axle of a CSV file (default: from the file name)")
    p.add_argument("--vehicle", default="hmmwv_chrono", help="vehicle name or file (default: hmmwv_chrono)")
    add_plugin(p)
    add_json(p)
    p.set_defaults(run=_validate_kinematics)


def _validate_kinematics(arguments: argparse.Namespace) -> int:
    from simulator.builder.builder import vehicle_description
    from simulator.validation.reference.kinematics import compare_kinematics

    return _report(compare_kinematics(arguments.file, vehicle_description(arguments.vehicle), arguments.axle), arguments.json)


def _add_mechanism(kinds: Commands) -> None:
    """Add the subcommand `validate mechanism`."""
    p = kinds.add_parser("mechanism", help="compare accelerations of a mechanism at states, or reference rows")
    p.add_argument("file", metavar="NAME", help="mechanism name or file (.yaml, .urdf, URDF+)")
    p.add_argument(
        "states",
        metavar="STATES",
        help="file of states and accelerations (.npz), or of rows (.csv) of a Stewart platform, a five-link suspension, a landing gear",
    )
    add_formulation(p)
    add_json(p)
    p.set_defaults(run=_validate_mechanism)


def _validate_mechanism(arguments: argparse.Namespace) -> int:
    from simulator.builder.builder import load_mechanism
    from simulator.validation.reference.mechanism_rows import compare_rows
    from simulator.validation.reference.mechanism_states import compare_mechanism

    mechanism, _ = load_mechanism(arguments.file)
    if arguments.states.endswith(".csv"):
        return _report(compare_rows(arguments.states, mechanism), arguments.json)
    return _report(compare_mechanism(arguments.states, mechanism, arguments.formulation), arguments.json)


def _add_sensors(kinds: Commands) -> None:
    """Add the subcommand `validate sensors`."""
    p = kinds.add_parser("sensors", help="compare rays, scans, maps, GNSS and IMU with reference data")
    p.add_argument("folder", metavar="FOLDER", help="folder with some of the folders rays, scan, maps, gnss, imu")
    add_json(p)
    p.set_defaults(run=command("simulator.validation.suite.sensors_command:main_sensors"))


def _add_tire(kinds: Commands) -> None:
    """Add the subcommand `validate tire`."""
    p = kinds.add_parser("tire", help="compare forces and moments of a tire at rows (.csv)")
    p.add_argument("rows", metavar="ROWS.csv", help="file of conditions with forces and moments")
    p.add_argument(
        "file",
        metavar="FILE",
        help="tire property file (.tir), tire name or file (.yaml), parameters of tires (.json), or a folder with the .tir files of the rows",
    )
    p.add_argument(
        "--reading",
        choices=("angles", "tangents"),
        help="input of the Magic Formula: columns that end in _lin or in _tan (default: better fit to the complete file)",
    )
    add_plugin(p)
    add_json(p)
    p.set_defaults(run=_validate_tire)


def _validate_tire(arguments: argparse.Namespace) -> int:
    from simulator.validation.reference.tire_rows import compare_tire

    return _report(compare_tire(arguments.rows, arguments.file, arguments.reading), arguments.json)


def _add_trajectory(kinds: Commands) -> None:
    """Add the subcommand `validate trajectory`."""
    p = kinds.add_parser("trajectory", help="simulate recorded inputs and compare with the recorded motion")
    p.add_argument("file", metavar="FILE", help="recording (.csv.gz or .csv), with its description (.json) in the same folder")
    p.add_argument(
        "--from",
        dest="start",
        type=float,
        metavar="T0",
        help="start time, with the recorded state [s] (default: at rest, at the start position)",
    )
    p.add_argument("--to", dest="end", type=float, metavar="T1", help="end time [s] (default: last sample)")
    p.add_argument("--vehicle", default="hmmwv_chrono", help="vehicle name or file (default: hmmwv_chrono)")
    add_plugin(p)
    p.add_argument("--plot", metavar="FILE", help="PNG file of the channels with a criterion (default: none)")
    add_json(p)
    p.set_defaults(run=_validate_trajectory)


def _validate_trajectory(arguments: argparse.Namespace) -> int:
    from simulator.builder.builder import build_vehicle
    from simulator.validation.reference.recorded_drive import Recording
    from simulator.validation.reference.trajectory import compare_trajectory, plot_trajectory

    comparison = compare_trajectory(Recording(arguments.file), build_vehicle(arguments.vehicle), arguments.start, arguments.end)
    if arguments.plot:
        plot_trajectory(comparison, arguments.plot)
    return _report(comparison, arguments.json)


def _report(comparison: object, as_json: bool) -> int:
    from simulator.validation.reference.result import Comparison

    assert isinstance(comparison, Comparison)
    print(comparison.to_json() if as_json else comparison.to_text())
    return 0 if comparison.passed else 1
