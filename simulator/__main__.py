"""The command line. Nothing heavy is imported before a command needs it, so that `jounce --help` answers at once."""

from __future__ import annotations

import argparse
import sys
import warnings

from simulator.base.errors import JounceError


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 good, 1 a check failed, 2 bad input."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if not hasattr(arguments, "run"):
        parser.print_help()
        return 0
    try:
        with warnings.catch_warnings():
            _quiet_warnings(as_json=getattr(arguments, "json", False))
            return arguments.run(arguments)
    except JounceError as error:
        print(f"jounce: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("jounce: interrupted", file=sys.stderr)
        return 130


def _quiet_warnings(as_json: bool) -> None:
    """Show warnings meant for the user as one line each, the first of a kind only; none beside JSON."""
    seen: set[type[Warning]] = set()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        if issubclass(category, UserWarning) and category not in seen and not as_json:
            seen.add(category)
            print(f"jounce: warning: {message} (further ones of this kind are not shown)", file=sys.stderr)

    warnings.showwarning = show


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jounce", description="Real-time driving simulator with exact suspension dynamics and motion cueing."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_run(commands)
    _add_validate(commands)
    _add_bench(commands)
    return parser


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    p = commands.add_parser("run", help="drive a maneuver faster than real time; telemetry, metrics and plots")
    p.add_argument("maneuver", help="maneuver by name or file, for example double_lane_change")
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/)")
    p.add_argument("--csv", action="store_true", help="also write the telemetry as CSV")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from simulator.run import main_run

    return main_run(arguments.maneuver, arguments.out, arguments.csv, arguments.json)


def _add_validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    validate = commands.add_parser("validate", help="compare the vehicle with reference data")
    kinds = validate.add_subparsers(title="what", metavar="WHAT", required=True)

    p = kinds.add_parser("accelerations", help="constrained accelerations of states in an .npz file")
    p.add_argument("file", help="states (.npz)")
    p.add_argument("--model", required=True, metavar="MODEL.yaml", help="bodies, joints and loops of the mechanism")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_accelerations)

    p = kinds.add_parser("kinematics", help="corner positions and motions in a .json or .csv file")
    p.add_argument("file", help="reference states (.json) or positions (.csv)")
    p.add_argument("--axle", choices=("front", "rear"), help="axle of a CSV file whose name does not say it")
    p.add_argument("--vehicle", default="hmmwv", help="vehicle by name or file (default: hmmwv)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_kinematics)

    p = kinds.add_parser("trajectory", help="drive with recorded inputs and compare with the recorded motion")
    p.add_argument("file", help="recording (.csv.gz or .csv, its description in the .json beside it)")
    p.add_argument(
        "--from", dest="start", type=float, metavar="T0", help="begin with the state recorded at T0 [s] (default: at rest, as spawned)"
    )
    p.add_argument("--vehicle", default="hmmwv_chrono", help="vehicle by name or file (default: hmmwv_chrono)")
    p.add_argument("--plot", metavar="OUT.png", help="draw the channels that count")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_validate_trajectory)


def _add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    p = commands.add_parser("bench", help="measure the cost of the parts of a tick on this machine")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.add_argument("--repeats", type=int, default=7, help="repeats whose median is shown (default: 7)")
    p.set_defaults(run=_bench)


def _validate_accelerations(arguments: argparse.Namespace) -> int:
    from simulator.build import read_yaml
    from simulator.validate.accelerations import compare_accelerations

    return _report(compare_accelerations(arguments.file, read_yaml(arguments.model), arguments.model), arguments.json)


def _validate_kinematics(arguments: argparse.Namespace) -> int:
    from simulator.build import vehicle_description
    from simulator.validate.kinematics import compare_kinematics

    return _report(compare_kinematics(arguments.file, vehicle_description(arguments.vehicle), arguments.axle), arguments.json)


def _validate_trajectory(arguments: argparse.Namespace) -> int:
    from simulator.build import build_vehicle
    from simulator.validate.recording import Recording
    from simulator.validate.trajectory import compare_trajectory, plot_trajectory

    comparison = compare_trajectory(Recording(arguments.file), build_vehicle(arguments.vehicle), arguments.start)
    if arguments.plot:
        plot_trajectory(comparison, arguments.plot)
    return _report(comparison, arguments.json)


def _report(comparison: object, as_json: bool) -> int:
    from simulator.validate.report import Comparison

    assert isinstance(comparison, Comparison)
    print(comparison.as_json() if as_json else comparison.as_text())
    return 0 if comparison.passed else 1


def _bench(arguments: argparse.Namespace) -> int:
    from simulator.bench import main_bench

    return main_bench(arguments.repeats, arguments.json)


if __name__ == "__main__":
    sys.exit(main())
