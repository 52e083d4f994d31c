"""Options that several verbs have."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from simulator.base.argument_types import number_between, yaml_value
from simulator.base.errors import JounceError
from simulator.base.registry import Choices
from simulator.motion.protocols.kinds import PROTOCOL_KINDS


def add_session_file(p: argparse.ArgumentParser) -> None:
    """What says all of a session."""
    p.add_argument("--session", metavar="NAME", help="session by name or file: vehicle, terrain, driver, platform ... (default: none)")
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY.PATH=VALUE",
        help="another value in the session or in a file that it names, for example vehicle.chassis.mass=2600; may be given again",
    )


def add_session(p: argparse.ArgumentParser) -> None:
    """The options of what drives; they stand above the session file."""
    add_session_file(p)
    p.add_argument("--vehicle", metavar="NAME", help="vehicle by name or file (default: that of the maneuver, or hmmwv)")
    add_plugin(p)
    _add_suspension(p)
    p.add_argument(
        "--steering",
        choices=("angle", "torque"),
        help="what the hands give to the steering wheel: %(choices)s (default: what the maneuver needs, else angle)",
    )
    p.add_argument("--terrain", metavar="NAME", help="terrain by name or file (default: that of the maneuver, or jacksboro)")
    p.add_argument("--platform", metavar="NAME", help="motion platform by name or file (default: small_hexapod)")
    p.add_argument("--washout", metavar="NAME", help="motion cueing by name or file (default: small_hexapod)")
    _add_tenants(p)


def add_host_options(p: argparse.ArgumentParser) -> None:
    """The options of a drive in real time."""
    add_session(p)
    p.add_argument("--maneuver", metavar="NAME", help="what the scripted driver does (default: scripted_drive)")
    p.add_argument(
        "--duration",
        type=number_between(0.001, 1e6),
        metavar="S",
        help="simulated time to drive [s] (default: until the window is closed, or the maneuver ends)",
    )
    p.add_argument(
        "--protocol", choices=Choices(PROTOCOL_KINDS), metavar="NAME", help="packets of the motion stream: %(choices)s (default: native)"
    )
    p.add_argument(
        "--rate", type=number_between(1.0, 1000.0), metavar="HZ", help="packets per second (default: the protocol's, 250 native)"
    )
    p.add_argument(
        "--stream",
        type=yaml_value,
        action="append",
        metavar="PROTOCOL@HOST[:PORT]|{...}",
        help="send these packets there too: words, or YAML such as '{protocol: outgauge, to: 192.168.1.7, rate: 30}'; may be given more than "
        "once (with `stream`, in place of the one of --to where nothing is said of that one)",
    )
    add_log(p)
    p.add_argument("--out", metavar="DIR", help="folder for the log and the pictures (default: a new one under runs/)")


def add_log(p: argparse.ArgumentParser) -> None:
    """The options of the log."""
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="columns of the log: names, fields, patterns with * and ?, for example v_WB_B,F_C_*_z (default: all); may be given again",
    )
    p.add_argument("--log-rate", type=number_between(0.1, 20_000.0), metavar="HZ", help="rows of the log per second (default: 100)")


def add_plugin(p: argparse.ArgumentParser) -> None:
    """Files with kinds of one's own."""
    p.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="PATH",
        help="Python file that registers what it brings: an axle, a tire, a washout, a sensor, a protocol, an outlet, an input source, a "
        "driver, a terrain; run before anything else, may be given more than once",
    )


def _add_tenants(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--sensor",
        type=yaml_value,
        action="append",
        metavar="NAME|{...}",
        help="measure with a sensor and log it: its type, or YAML such as '{type: imu, rate: 200, mount: {position: [0, 0, 1]}}'; may be "
        "given more than once",
    )
    p.add_argument(
        "--outlet",
        type=yaml_value,
        action="append",
        metavar="NAME|{...}",
        help="serve an outlet that a plugin has brought; as --sensor",
    )


def _add_suspension(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--suspension", choices=("closed_form", "table"), help="how the suspension's motion is found (default: as the vehicle's file says)"
    )


def add_formulation(p: argparse.ArgumentParser, special: Mapping[str, str] | None = None) -> None:
    """The option --formulation; `special` are names with their meanings that come before the general ones. The first is the default."""
    kinds = {
        **(special or {}),
        "ce": "constraint embedding",
        "ta": "tree augmented",
        "fa": "fully augmented, sparse",
        "fa-dense": "the same, dense",
        "recursive": "the recursive form of ta",
    }
    default = next(iter(kinds))
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in kinds.items())
    p.add_argument("--formulation", default=default, choices=tuple(kinds), help=f"{meanings} (default: {default})")


def add_scheduler(p: argparse.ArgumentParser) -> None:
    """The cluster that drives."""
    p.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="have the workers of a Dask cluster drive, whose scheduler is there, for example tcp://10.0.0.5:8786 (docs/cluster.md)",
    )


def add_search(p: argparse.ArgumentParser) -> None:
    """What searches have in common: each round is a sweep."""
    p.add_argument("--out", metavar="DIR", help="folder to write into, or to go on in (default: a new one under runs/)")
    p.add_argument(
        "--processes", type=number_between(1, 4096, whole=True), metavar="N", help="runs at a time (default: the cores of this machine)"
    )
    add_scheduler(p)
    add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")


def add_history(p: argparse.ArgumentParser, what: str) -> None:
    """The options by which figures are kept from version to version."""
    p.add_argument(
        "--history", action="store_true", help=f"{what} of earlier versions and what changed, out of docs/history; nothing is measured"
    )
    do = p.add_mutually_exclusive_group()
    do.add_argument("--add", action="store_true", help="--history: measure, add them to it and draw its page")
    do.add_argument(
        "--check", action="store_true", help="--history: measure, and end with 1 when something has changed since its last entry"
    )


def wants_history(arguments: argparse.Namespace) -> bool:
    """Whether it is about the history. Raises JounceError: only its other options are there."""
    if (arguments.add or arguments.check) and not arguments.history:
        raise JounceError("--add and --check go with --history")
    return bool(arguments.history)
