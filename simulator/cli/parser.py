"""The command line: its verbs in the order of the help, and the parser of one that was typed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from simulator.base.argument_types import Parser, Version
from simulator.cli.commands.benchmarks_and_mechanisms import add_bench, add_kc, add_mechanism, add_triangularize
from simulator.cli.commands.components import add_cueing, add_terrain, add_tire
from simulator.cli.commands.driving import add_devices, add_drive, add_platform, add_stream, add_view
from simulator.cli.commands.files import add_check, add_list, add_schema
from simulator.cli.commands.runs import add_compare, add_facts, add_info, add_rerun, add_run
from simulator.cli.commands.soils import add_soil, add_soilbin
from simulator.cli.commands.sweeps_and_fits import add_fit, add_optimize, add_sweep
from simulator.cli.commands.validation import add_validate


def parser_of(command: str) -> Parser:
    """Parser of all commands; `command` is the one that was typed: some take their options from modules that load slowly."""
    parser = Parser(prog="jounce", description="Real-time driving simulator with exact suspension dynamics and motion cueing.")
    parser.add_argument("--version", action=Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    add_drive(commands)
    add_view(commands)
    add_run(commands)
    add_sweep(commands)
    add_fit(commands)
    add_optimize(commands)
    add_rerun(commands)
    add_compare(commands)
    add_terrain(commands)
    add_facts(commands)
    add_tire(commands)
    add_soil(commands)
    add_soilbin(commands)
    add_cueing(commands)
    add_stream(commands)
    add_platform(commands, loaded=command == "platform")
    add_devices(commands, loaded=command == "devices")
    add_info(commands)
    add_kc(commands)
    add_mechanism(commands)
    add_validate(commands)
    add_bench(commands)
    add_triangularize(commands)
    add_list(commands)
    add_check(commands)
    add_schema(commands)
    return parser


def plugins_of(argv: Sequence[str]) -> list[str]:
    """The files of the option --plugin, which have to be loaded before what they bring may be named."""
    p = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    p.add_argument("--plugin", action="append", default=[])
    try:
        return list(p.parse_known_args(argv)[0].plugin)
    except argparse.ArgumentError:
        return []  # the command's own parser says what is wrong with it
