"""Commands of studies, which are in the folder `research` of a checkout and not in the package: a message names them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from simulator.base.errors import JounceError

TABLES = ("tick", "formulations", "integrators", "driven", "mechanisms", "sweep", "sensors", "console")
"""Tables of `python -m research bench`."""


def refuse_research_command(words: Sequence[str]) -> None:
    """Raise JounceError if the words of a command line are a command of the studies; the hint is the command in a checkout."""
    command = list(words[1:] if list(words[:2]) == ["mechanism", "triangularize"] else words)
    if command[:1] in (["paper"], ["triangularize"]) or (command[:1] == ["bench"] and _is_a_study(command[1:])):
        raise JounceError(
            f"{command[0]}: not a command of the package; hint: in a checkout, run `python -m research {shlex.join(command)}`"
        )


def _is_a_study(words: Sequence[str]) -> bool:
    """Return whether the arguments of `bench` are those of a table of the studies, or of the default one."""
    if {"-h", "--help", "realtime", "vehicles", "fleet", "traffic"} & set(words):
        return False
    return not words or words[0] in TABLES or words[0].startswith("-")
