"""Options of `jounce mechanism` for sweeps and runs. This module imports no heavy packages."""

from __future__ import annotations

import argparse

INTEGRATORS = {"rk4": "runge_kutta_4", "semi-implicit": "semi_implicit_euler"}
"""Command-line names of the integrators, and their names in `vehicles.multibody.motion.simulate`."""
STABILIZATIONS = ("none", "baumgarte", "partitioning", "projection")


def add_motion_arguments(p: argparse.ArgumentParser) -> None:
    """Add --sweep, --run and the options that belong to them."""
    motion = p.add_argument_group("motion")
    motion.add_argument(
        "--sweep",
        metavar="COORDINATE=FROM:TO[:N]",
        help="range of a coordinate [rad, m; or FROM:TOdeg] for N (101) positions and the singular positions (default: none)",
    )
    motion.add_argument(
        "--run", dest="seconds", type=float, metavar="SECONDS", help="duration of a simulation from the initial state [s] (default: none)"
    )
    motion.add_argument("--step", type=float, metavar="S", help="run: step [s] (default: 0.001, or a thousandth of a run shorter than 1 s)")
    motion.add_argument("--integrator", choices=tuple(INTEGRATORS), help="run: integrator: %(choices)s (default: rk4)")
    motion.add_argument(
        "--stabilization",
        choices=STABILIZATIONS,
        help="run: stabilization of the loop constraints: %(choices)s (default: partitioning with ce, else projection)",
    )
    motion.add_argument("--csv", metavar="FILE", help="CSV file of each position or step, with units in the header (default: none)")
    motion.add_argument("--plot", metavar="FILE", help="PNG file of coordinates, loop closure and singular positions (default: none)")
    motion.add_argument(
        "--animate", metavar="OUT.gif|OUT.png", help="file of an animation (.gif, or -), or of a sheet of poses (.png) (default: none)"
    )


def in_motion(arguments: argparse.Namespace) -> bool:
    """Return whether any of these options is given."""
    names = ("sweep", "seconds", "step", "integrator", "stabilization", "csv", "plot", "animate")
    return any(getattr(arguments, name) is not None for name in names)
