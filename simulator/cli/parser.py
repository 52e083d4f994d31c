"""Parser of the command line, with the verbs in the order of the help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from simulator.base.argument_types import Commands, Parser, Version
from simulator.cli.commands.components import add_cueing, add_terrain, add_tire, add_vehicle
from simulator.cli.commands.driving import add_devices, add_drive, add_platform, add_serve, add_stream, add_view
from simulator.cli.commands.exports import add_export
from simulator.cli.commands.files import add_check, add_doctor, add_list, add_schema
from simulator.cli.commands.fmus import add_fmu
from simulator.cli.commands.imports import add_import
from simulator.cli.commands.mechanisms import add_bench, add_kc, add_mechanism
from simulator.cli.commands.replays import add_render, add_replay
from simulator.cli.commands.runs import add_compare, add_console, add_datasheet, add_info, add_rerun, add_results, add_run, add_sensors
from simulator.cli.commands.scores import add_score
from simulator.cli.commands.soils import add_soil, add_soilbin
from simulator.cli.commands.sweeps_and_fits import add_fit, add_optimize, add_sweep
from simulator.cli.commands.validation import add_validate
from simulator.cli.research_commands import refuse_research_command


class _VerbFormatter(argparse.HelpFormatter):
    """Help formatter with a column wide enough for the verbs; argparse does not count their indentation."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action, Commands) and action.choices:
            width = max(map(len, action.choices)) + self._current_indent + self._indent_increment
            self._action_max_length = max(self._action_max_length, width)


def parser_of(command: str = "", *further: str) -> Parser:
    """Return the parser of all verbs. Raises JounceError: the words are a command of a checkout.

    Parameters
    ----------
    command, further : words of the command line; the options of some verbs are in modules that load slowly
    """
    refuse_research_command((command, *further))
    parser = Parser(
        prog="jounce",
        description="Real-time driving simulator with exact suspension dynamics and motion cueing.",
        formatter_class=_VerbFormatter,
    )
    parser.add_argument("--version", action=Version, nargs=0, help="version of Jounce")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    add_drive(commands)
    add_view(commands)
    add_replay(commands)
    add_run(commands)
    add_sweep(commands)
    add_score(commands)
    add_fit(commands)
    add_optimize(commands)
    add_rerun(commands)
    add_render(commands)
    add_compare(commands)
    add_terrain(commands)
    add_import(commands)
    add_vehicle(commands)
    add_datasheet(commands)
    add_tire(commands)
    add_soil(commands)
    add_soilbin(commands)
    add_cueing(commands)
    add_fmu(commands)
    add_stream(commands)
    add_serve(commands)
    add_platform(commands, loaded=command == "platform")
    add_devices(commands, loaded=command == "devices")
    add_info(commands)
    add_results(commands)
    add_console(commands)
    add_sensors(commands)
    add_export(commands)
    add_kc(commands)
    add_mechanism(commands)
    add_validate(commands)
    add_bench(commands)
    add_list(commands)
    add_check(commands)
    add_schema(commands)
    add_doctor(commands)
    return parser


def plugins_of(argv: Sequence[str]) -> list[str]:
    """Return the files of the option --plugin; they are loaded before the other options, which may name their components."""
    p = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    p.add_argument("--plugin", action="append", default=[])
    try:
        return list(p.parse_known_args(argv)[0].plugin)
    except argparse.ArgumentError:
        return []  # the parser of the verb reports the error
