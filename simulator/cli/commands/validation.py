"""The verb validate, one below it for everything that is compared with other programs."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands
from simulator.cli.commands.options import add_formulation, add_plugin


def add_validate(commands: Commands) -> None:
    """The verb `validate`."""
    validate = commands.add_parser("validate", help="compare the vehicle with reference data")
    kinds = validate.add_subparsers(title="what", metavar="WHAT", required=True)

    p = kinds.add_parser("all", help="everything there is to compare with: makes docs/validation.md; ends with 1 when something fails")
    p.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME,...",
        help="these parts alone, told and not written, but with --out; may be given again",
    )
    p.add_argument("--out", metavar="DIR", help="folder for the page and its pictures (default: docs)")
    p.add_argument("--check", action="store_true", help="write nothing, end with 1 when the page in docs is not what would be written")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_all)

    p = kinds.add_parser("soil", help="a soil fitted to a measured wheel, and others foretold with it: makes docs/soil_measured.md")
    p.add_argument("--out", metavar="DIR", help="folder for the page and its pictures (default: docs)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_soil)

    p = kinds.add_parser("accelerations", help="constrained accelerations of states in an .npz file")
    p.add_argument("file", help="states (.npz)")
    p.add_argument("--model", required=True, metavar="MODEL.yaml", help="bodies, joints and loops of the mechanism")
    add_formulation(p, {"closed-form": "closed form of the vehicle", "table": "its tables"})
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_accelerations)

    p = kinds.add_parser("kinematics", help="corner positions and motions in a .json or .csv file")
    p.add_argument("file", help="reference states (.json) or positions (.csv)")
    p.add_argument("--axle", choices=("front", "rear"), help="axle of a CSV file whose name does not say it")
    p.add_argument("--vehicle", default="hmmwv_chrono", help="vehicle by name or file (default: hmmwv_chrono)")
    add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_kinematics)

    p = kinds.add_parser("mechanism", help="accelerations of any mechanism at states, or reference rows of the mechanisms shipped")
    p.add_argument("file", metavar="NAME", help="mechanism by name or file (.urdf, URDF+ included, or .yaml)")
    p.add_argument(
        "states",
        metavar="STATES",
        help="states and their accelerations (.npz); or rows (.csv) of a Stewart platform, a five-link suspension, a landing gear",
    )
    add_formulation(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_mechanism)

    p = kinds.add_parser("tire", help="forces and moments of a tire at rows of a .csv file")
    p.add_argument("rows", metavar="ROWS.csv", help="conditions, and forces and moments there")
    p.add_argument(
        "file",
        metavar="FILE",
        help="tire property file (.tir), tire by name or file (.yaml), numbers of tires (.json), or a folder with the .tir files of the rows",
    )
    p.add_argument(
        "--reading",
        choices=("angles", "tangents"),
        help="what the Magic Formula takes: columns ending in _lin or in _tan (default: that which fits the whole file better)",
    )
    add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_tire)

    p = kinds.add_parser("trajectory", help="drive with recorded inputs and compare with the recorded motion")
    p.add_argument("file", help="recording (.csv.gz or .csv, its description in the .json beside it)")
    p.add_argument(
        "--from", dest="start", type=float, metavar="T0", help="begin with the state recorded at T0 [s] (default: at rest, as spawned)"
    )
    p.add_argument("--to", dest="end", type=float, metavar="T1", help="end with the sample at T1 [s] (default: the last one)")
    p.add_argument("--vehicle", default="hmmwv_chrono", help="vehicle by name or file (default: hmmwv_chrono)")
    add_plugin(p)
    p.add_argument("--plot", metavar="OUT.png", help="draw the channels that count")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_trajectory)


def _validate_all(arguments: argparse.Namespace) -> int:
    from simulator.validation.suite.command import main_all

    return main_all(arguments)


def _validate_soil(arguments: argparse.Namespace) -> int:
    from simulator.validation.suite.soil_command import main_soil_measured

    return main_soil_measured(arguments)


def _validate_accelerations(arguments: argparse.Namespace) -> int:
    from simulator.builder.builder import read_yaml
    from simulator.validation.reference.accelerations import compare_accelerations

    model = read_yaml(arguments.model)
    return _report(compare_accelerations(arguments.file, model, arguments.model, arguments.formulation), arguments.json)


def _validate_kinematics(arguments: argparse.Namespace) -> int:
    from simulator.builder.builder import vehicle_description
    from simulator.validation.reference.kinematics import compare_kinematics

    return _report(compare_kinematics(arguments.file, vehicle_description(arguments.vehicle), arguments.axle), arguments.json)


def _validate_tire(arguments: argparse.Namespace) -> int:
    from simulator.validation.reference.tire_rows import compare_tire

    return _report(compare_tire(arguments.rows, arguments.file, arguments.reading), arguments.json)


def _validate_mechanism(arguments: argparse.Namespace) -> int:
    from simulator.builder.builder import load_mechanism
    from simulator.validation.reference.mechanism_rows import compare_rows
    from simulator.validation.reference.mechanism_states import compare_mechanism

    mechanism, _ = load_mechanism(arguments.file)
    if arguments.states.endswith(".csv"):
        return _report(compare_rows(arguments.states, mechanism), arguments.json)
    return _report(compare_mechanism(arguments.states, mechanism, arguments.formulation), arguments.json)


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
