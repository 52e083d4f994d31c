"""Parser and commands of `python -m research`, with the messages and exit codes of `jounce`."""

from __future__ import annotations

import argparse

from research.bench_command import add_bench
from research.triangular.file_kind import register_file_kind
from simulator.base.argument_types import Commands, Parser
from simulator.cli import main as program
from simulator.cli.commands.files import add_check, add_schema
from simulator.cli.commands.options import add_json


def main(argv: list[str] | None = None) -> int:
    """Run a command and return the exit code; see `simulator.cli.main`."""
    return program.main(argv, parser_of)


def parser_of(*_: str) -> Parser:
    """Return the parser of all commands."""
    parser = Parser(prog="python -m research", description="Studies of Jounce: papers, benchmarks of methods, costs of the program.")
    parser.set_defaults(run=lambda _: print(parser.format_help(), end="") or 0)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_paper(commands)
    add_bench(commands)
    _add_triangularize(commands)
    register_file_kind()
    add_check(commands)
    add_schema(commands)
    return parser


def _add_paper(commands: Commands) -> None:
    """Add the command `paper`."""
    p = commands.add_parser("paper", help="list tables and figures of the papers; compare their numbers")
    p.add_argument(
        "name",
        nargs="*",
        metavar="PAPER [table|figure N]",
        help="number or key of a paper, and one of its tables or figures: 001 table 2, 'Uchida 2012' table 4 (default: list of all)",
    )
    p.add_argument("--markdown", metavar="DIR", help="folder for a page of each paper, or of one, with all numbers (docs/papers)")
    add_json(p)
    p.set_defaults(run=_paper)


def _paper(arguments: argparse.Namespace) -> int:
    from research.papers.command import main_paper

    return main_paper(arguments)


def _add_triangularize(commands: Commands) -> None:
    """Add the command `triangularize`."""
    p = commands.add_parser("triangularize", help="compute the triangular form of loop equations and a kernel")
    p.add_argument("file", metavar="FILE", help="equations, name or file, for example landing_gear; or a mechanism (.yaml, .urdf)")
    p.add_argument("--loop", metavar="NAME", help="loop of a mechanism, with the loops that share dependent coordinates (default: all)")
    p.add_argument(
        "--engine",
        default="auto",
        choices=("auto", "sympy", "singular"),
        help="program for the basis: %(choices)s (default: auto, Singular if installed)",
    )
    p.add_argument("--at", metavar="NAME=VALUE,...", help="parameter values for the number of real solutions (default: values of the file)")
    p.add_argument("--write", metavar="MODULE.py", help="Python module of the kernel (default: none)")
    p.add_argument("--basis", metavar="FILE.txt", help="text file of the complete basis, one polynomial a line (default: none)")
    p.add_argument("--json", action="store_true", help="output as one JSON object, with the polynomials")
    p.set_defaults(run=_triangularize)


def _triangularize(arguments: argparse.Namespace) -> int:
    from research.triangular.command import main_triangularize

    return main_triangularize(arguments)
