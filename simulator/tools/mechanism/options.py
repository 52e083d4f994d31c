"""Options of `jounce mechanism` that set the mechanism in motion. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

METHODS = {"rk4": "runge_kutta_4", "semi-implicit": "semi_implicit_euler"}
"""Integrators on the command line, and their names in `vehicles.multibody.motion.simulate`."""
CONTROLS = ("none", "baumgarte", "partitioning", "projection")


def add_motion_arguments(p: argparse.ArgumentParser) -> None:
    """Add --sweep, --run and what goes with them."""
    motion = p.add_argument_group("in motion")
    motion.add_argument(
        "--sweep",
        metavar="COORDINATE=FROM:TO[:N]",
        help="move the mechanism along a coordinate [rad, m; or FROM:TOdeg], N positions (default: 101), and find its singular positions",
    )
    motion.add_argument("--run", dest="seconds", type=float, metavar="SECONDS", help="let it move from its state")
    motion.add_argument("--step", type=float, metavar="S", help="run: step [s] (default: 1 ms, or a thousandth of a run shorter than 1 s)")
    motion.add_argument("--method", choices=tuple(METHODS), help="run: integrator (default: rk4)")
    motion.add_argument(
        "--control", choices=CONTROLS, help="run: what keeps the loops closed (default: partitioning with ce, else projection)"
    )
    motion.add_argument("--csv", metavar="FILE", help="write every position or step, units in the header")
    motion.add_argument("--plot", metavar="OUT.png", help="draw coordinates, closure and singular positions")
    motion.add_argument("--animate", metavar="OUT.gif|OUT.png", help="draw the mechanism moving, or as a sheet of poses")


def in_motion(arguments: argparse.Namespace) -> bool:
    """Whether any of the options is there."""
    names = ("sweep", "seconds", "step", "method", "control", "csv", "plot", "animate")
    return any(getattr(arguments, name) is not None for name in names)
