"""Options of `jounce mechanism` for sweeps and runs. This module imports no heavy packages."""

from __future__ import annotations

import argparse

METHODS = {"rk4": "runge_kutta_4", "semi-implicit": "semi_implicit_euler"}
"""Command-line names of the integrators, and their names in `vehicles.multibody.motion.simulate`."""
CONTROLS = ("none", "baumgarte", "partitioning", "projection")


def add_motion_arguments(p: argparse.ArgumentParser) -> None:
    """Add the options --sweep, --run and the options that belong to them."""
    motion = p.add_argument_group("in motion")
    motion.add_argument(
        "--sweep",
        metavar="COORDINATE=FROM:TO[:N]",
        help="move the mechanism along a coordinate [rad, m; or FROM:TOdeg], N positions (default: 101), and find its singular positions",
    )
    motion.add_argument("--run", dest="seconds", type=float, metavar="SECONDS", help="simulate from the initial state")
    motion.add_argument("--step", type=float, metavar="S", help="run: step [s] (default: 1 ms, or a thousandth of a run shorter than 1 s)")
    motion.add_argument("--method", choices=tuple(METHODS), help="run: integrator (default: rk4)")
    motion.add_argument(
        "--control", choices=CONTROLS, help="run: stabilization of the loop closures (default: partitioning with ce, else projection)"
    )
    motion.add_argument("--csv", metavar="FILE", help="write every position or step, units in the header")
    motion.add_argument("--plot", metavar="OUT.png", help="draw coordinates, closure and singular positions")
    motion.add_argument("--animate", metavar="OUT.gif|OUT.png", help="write an animation, or a sheet of poses")


def in_motion(arguments: argparse.Namespace) -> bool:
    """Return whether any of these options is given."""
    names = ("sweep", "seconds", "step", "method", "control", "csv", "plot", "animate")
    return any(getattr(arguments, name) is not None for name in names)
