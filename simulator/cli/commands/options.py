"""Options that several verbs have."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from simulator.base.argument_types import number_between, yaml_value
from simulator.base.errors import JounceError
from simulator.base.registry import Choices, load_attribute
from simulator.console import PORT
from simulator.motion.protocols.kinds import PROTOCOL_KINDS
from simulator.ros2 import USUAL_DOMAIN


def command(place: str, *names: str) -> Callable[[argparse.Namespace], int]:
    """Return a function that calls `module:function` with the values of the named arguments, or with all arguments as one object. The module is
    imported by the call."""
    return lambda arguments: load_attribute(place)(*[getattr(arguments, name) for name in names] or [arguments])


def add_json(p: argparse.ArgumentParser) -> None:
    """Add --json."""
    p.add_argument("--json", action="store_true", help="output as one JSON object")


def add_out(p: argparse.ArgumentParser, content: str = "output folder", default: str = "a new folder under runs/") -> None:
    """Add --out."""
    p.add_argument("--out", metavar="DIR", help=f"{content} (default: {default})")


def add_session_file(p: argparse.ArgumentParser) -> None:
    """Add --session and --set."""
    p.add_argument("--session", metavar="NAME", help="session name or file: vehicle, terrain, driver, platform ... (default: none)")
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY.PATH=VALUE",
        help="override of a session value, for example vehicle.chassis.mass=2600; repeatable",
    )


def add_session(p: argparse.ArgumentParser) -> None:
    """Add the options of a simulation; they override the session file."""
    add_session_file(p)
    p.add_argument("--vehicle", metavar="NAME", help="vehicle name or file (default: vehicle of the maneuver, else hmmwv)")
    add_plugin(p)
    p.add_argument(
        "--suspension", choices=("closed_form", "table"), help="method of the suspension kinematics (default: set by the vehicle file)"
    )
    p.add_argument("--steering", choices=("angle", "torque"), help="steering input: %(choices)s (default: set by the maneuver, else angle)")
    p.add_argument("--terrain", metavar="NAME", help="terrain name or file (default: terrain of the maneuver, else jacksboro)")
    p.add_argument("--platform", metavar="NAME", help="motion platform name or file (default: small_hexapod)")
    p.add_argument("--washout", metavar="NAME", help="washout name or file (default: small_hexapod)")
    p.add_argument(
        "--sensor",
        type=yaml_value,
        action="append",
        metavar="NAME|{...}",
        help="logged sensor: its type, or YAML such as '{type: imu, rate: 200, mount: {position: [0, 0, 1]}}' (default: none); repeatable",
    )
    p.add_argument(
        "--fault",
        type=yaml_value,
        action="append",
        metavar="NAME|{...}",
        help="fault during the drive: its type, or YAML such as '{type: puncture, wheel: FL, start_s: 3}' (default: none); repeatable",
    )
    p.add_argument(
        "--outlet",
        type=yaml_value,
        action="append",
        metavar="NAME|{...}",
        help="outlet of a plugin: its type, or YAML as for --sensor (default: none); repeatable",
    )
    add_ros2(p)
    p.add_argument(
        "--foxglove",
        nargs="?",
        type=int,
        const=True,
        metavar="PORT",
        help="serve Foxglove and Lichtblick at this port, on the loopback only (default: none; without a number, 8765)",
    )


def domain(text: str) -> int | str:
    """Return a domain of ROS 2. The parser also converts the value of an option that stands alone. Raises ArgumentTypeError."""
    if text == USUAL_DOMAIN:
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid value; expected an integer; got {text!r}") from None


def add_ros2(p: argparse.ArgumentParser) -> None:
    """Add --ros2."""
    p.add_argument(
        "--ros2",
        nargs="?",
        type=domain,
        const=USUAL_DOMAIN,
        metavar="DOMAIN",
        help="publish topics of ROS 2 in this domain, on the loopback only (default: none; without a number, ROS_DOMAIN_ID, else 0)",
    )


def add_host_options(p: argparse.ArgumentParser) -> None:
    """Add the options of a real-time drive."""
    add_session(p)
    p.add_argument("--maneuver", metavar="NAME", help="maneuver of the scripted driver (default: scripted_drive)")
    p.add_argument(
        "--duration",
        type=number_between(0.001, 1e6),
        metavar="S",
        help="simulated time [s] (default: until the window closes or the maneuver ends)",
    )
    p.add_argument(
        "--protocol", choices=Choices(PROTOCOL_KINDS), metavar="NAME", help="protocol of the motion stream: %(choices)s (default: native)"
    )
    p.add_argument(
        "--rate", type=number_between(1.0, 1000.0), metavar="HZ", help="packet rate [Hz] (default: set by the protocol, 250 for native)"
    )
    p.add_argument(
        "--stream",
        type=yaml_value,
        action="append",
        metavar="PROTOCOL@HOST[:PORT]|{...}",
        help="additional stream, of `jounce stream` without --to the only stream: PROTOCOL@HOST[:PORT], or YAML such as "
        "'{protocol: outgauge, to: 192.168.1.7, rate: 30}' (default: none); repeatable",
    )
    p.add_argument(
        "--console",
        nargs="?",
        const=str(PORT),
        metavar="[HOST:]PORT",
        help="page of an operator, who watches the drive and may stop the platform (default: none; port %(const)s of this machine only; "
        "0: a free port)",
    )
    add_tls(p)
    add_console_host(p)
    p.add_argument("--events", metavar="FILE", help="script of events such as pause and reset, with their times (YAML)")
    add_log(p)
    add_out(p, "folder of log and images")


def add_tls(p: argparse.ArgumentParser) -> None:
    """Add --tls."""
    p.add_argument(
        "--tls",
        nargs=2,
        metavar=("CERT", "KEY"),
        help="certificate with its chain, and its key (PEM), to encrypt the console (default: none)",
    )


def add_console_host(p: argparse.ArgumentParser) -> None:
    """Add --console-host."""
    p.add_argument(
        "--console-host",
        action="append",
        default=[],
        metavar="NAME[:PORT]",
        help="further name under which browsers reach the console, for example through a tunnel or a proxy (default: none); repeatable",
    )


def add_log(p: argparse.ArgumentParser) -> None:
    """Add the options of the log."""
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="log columns: names, fields, patterns with * and ?, for example v_WB_B,F_C_*_z (default: all); repeatable",
    )
    p.add_argument("--log-rate", type=number_between(0.1, 20_000.0), metavar="HZ", help="log rate [Hz] (default: 100)")


def add_plugin(p: argparse.ArgumentParser) -> None:
    """Add --plugin."""
    p.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="PATH",
        help="Python file that registers components, for example tires, washouts, sensors (default: none); repeatable",
    )


def add_formulation(p: argparse.ArgumentParser, special: Mapping[str, str] | None = None) -> None:
    """Add --formulation; `special` are names with meanings before the general ones. The first name is the default."""
    kinds = {
        **(special or {}),
        "ce": "constraint embedding",
        "ta": "tree augmented",
        "fa": "fully augmented, sparse",
        "fa-dense": "fully augmented, dense",
        "recursive": "recursive form of ta",
    }
    default = next(iter(kinds))
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in kinds.items())
    p.add_argument("--formulation", default=default, choices=tuple(kinds), help=f"formulation: {meanings} (default: {default})")


def add_processes(p: argparse.ArgumentParser) -> None:
    """Add --processes and --scheduler."""
    p.add_argument(
        "--processes", type=number_between(1, 4096, whole=True), metavar="N", help="number of parallel runs (default: number of CPU cores)"
    )
    p.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of a Dask scheduler whose workers simulate, for example tcp://10.0.0.5:8786 (docs/cluster.md) (default: none)",
    )


def add_search(p: argparse.ArgumentParser) -> None:
    """Add the options of fits and optimizations; each of their iterations is a sweep."""
    add_out(p, "output folder, new or of an interrupted search that continues")
    add_processes(p)
    add_plugin(p)
    add_json(p)


def add_history(p: argparse.ArgumentParser, content: str) -> None:
    """Add the options of the history of `content` over versions."""
    p.add_argument("--history", action="store_true", help=f"{content} of earlier versions and their changes, from docs/history")
    do = p.add_mutually_exclusive_group()
    do.add_argument("--add", action="store_true", help="--history: new measurement, added to the history and its page")
    do.add_argument("--check", action="store_true", help="--history: new measurement, exit code 1 if it differs from the last entry")


def wants_history(arguments: argparse.Namespace) -> bool:
    """Return whether --history is given. Raises JounceError: --add or --check without --history."""
    if (arguments.add or arguments.check) and not arguments.history:
        raise JounceError("--add and --check need --history")
    return bool(arguments.history)
