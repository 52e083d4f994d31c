"""Verb `export`: a finished run as files of other programs."""

from __future__ import annotations

from simulator.base.argument_types import Commands, number_between
from simulator.cli.commands.options import add_json, add_out, command
from simulator.exports.kinds import FORMATS


def add_export(commands: Commands) -> None:
    """Add the verb `export`."""
    p = commands.add_parser("export", help="write a finished run as files for other programs")
    p.add_argument("place", metavar="FOLDER|FILE", help="folder of a run or drive, or a log in it (.parquet, .rows)")
    p.add_argument(
        "--format", action="append", required=True, metavar="NAME,...", help=f"formats: {', '.join(FORMATS)} (default: none); repeatable"
    )
    p.add_argument(
        "--channels",
        action="append",
        default=[],
        metavar="NAME,...",
        help="log columns to export: names, fields, patterns with * and ? (default: all); repeatable",
    )
    p.add_argument(
        "--from", dest="first", type=number_between(0.0, 1e9), metavar="S", help="first simulated time [s] (default: start of the run)"
    )
    p.add_argument(
        "--to", dest="last", type=number_between(0.0, 1e9), metavar="S", help="last simulated time [s] (default: end of the run)"
    )
    add_out(p, default="export in the folder of the run")
    p.add_argument("--overwrite", action="store_true", help="replacement of the files of an earlier export")
    add_json(p)
    p.set_defaults(run=command("simulator.exports.command:main_export"))
