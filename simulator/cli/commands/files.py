"""Verbs of files and of the machine: list, check, schema, doctor."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands
from simulator.base.errors import JounceError
from simulator.cli.commands.options import add_json, add_out, add_plugin, command


def add_list(commands: Commands) -> None:
    """Add the verb `list`."""
    p = commands.add_parser("list", help="list kinds of files, shipped files and registered components")
    p.add_argument("kind", nargs="?", metavar="KIND", help="kind, for example vehicles (default: list of all kinds)")
    add_plugin(p)
    add_json(p)
    p.set_defaults(run=command("simulator.catalog.command:main_list", "kind", "json"))


def add_check(commands: Commands) -> None:
    """Add the verb `check`."""
    p = commands.add_parser("check", help="check files, the files that they name, and plugins")
    p.add_argument(
        "files", nargs="*", metavar="FILE", help="vehicle, terrain, maneuver ... (.yaml), mechanism (.urdf), or the name of a shipped file"
    )
    p.add_argument(
        "--kind", metavar="KIND", help="kind of the files, as in `jounce list` (default: by their folder, their base or their keys)"
    )
    add_plugin(p)
    p.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    if not arguments.files and not arguments.plugin:
        raise JounceError("check: nothing to check; expected files, or --plugin with a Python file")
    from simulator.catalog.command import main_check

    return main_check(arguments.files, arguments.kind, with_plugins=bool(arguments.plugin))


def add_schema(commands: Commands) -> None:
    """Add the verb `schema`."""
    p = commands.add_parser("schema", help="print JSON Schemas of files for editors, or the file reference")
    p.add_argument("kind", nargs="?", metavar="KIND", help="kind of files, for example terrains (default: all)")
    add_out(p, default="standard output")
    p.add_argument("--markdown", action="store_true", help="pages of the reference, as in docs/reference, instead of schemas")
    add_plugin(p)
    p.set_defaults(run=command("simulator.catalog.command:main_schema", "kind", "out", "markdown"))


def add_doctor(commands: Commands) -> None:
    """Add the verb `doctor`."""
    p = commands.add_parser("doctor", help="show what this machine allows, and how to allow more")
    add_json(p)
    p.set_defaults(run=command("simulator.tools.doctor.command:main_doctor", "json"))
