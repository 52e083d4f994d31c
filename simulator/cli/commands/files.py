"""The verbs of the files: list, check, schema."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands
from simulator.cli.commands.options import add_plugin


def add_list(commands: Commands) -> None:
    """The verb `list`."""
    p = commands.add_parser("list", help="what there is: kinds of files, the shipped ones of a kind, kinds of axles, tread laws")
    p.add_argument("kind", nargs="?", metavar="KIND", help="for example vehicles (default: the kinds there are)")
    add_plugin(p)
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    from simulator.catalog.command import main_list

    return main_list(arguments.kind, arguments.json)


def add_check(commands: Commands) -> None:
    """The verb `check`."""
    p = commands.add_parser("check", help="check files, and what they name: all that is wrong, with file, line and key")
    p.add_argument("files", nargs="+", metavar="FILE", help="a vehicle, terrain, maneuver ... (.yaml), or a mechanism (.urdf)")
    p.add_argument(
        "--kind", metavar="KIND", help="what they are, as `jounce list` says (default: by their folder, their base or their keys)"
    )
    add_plugin(p)
    p.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    from simulator.catalog.command import main_check

    return main_check(arguments.files, arguments.kind)


def add_schema(commands: Commands) -> None:
    """The verb `schema`."""
    p = commands.add_parser("schema", help="JSON Schemas of the files, for editors; or the pages of the file reference")
    p.add_argument("kind", nargs="?", metavar="KIND", help="for example terrains (default: all)")
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: the standard output)")
    p.add_argument("--markdown", action="store_true", help="pages of the reference instead, as in docs/reference")
    add_plugin(p)
    p.set_defaults(run=_schema)


def _schema(arguments: argparse.Namespace) -> int:
    from simulator.catalog.command import main_schema

    return main_schema(arguments.kind, arguments.out, arguments.markdown)
