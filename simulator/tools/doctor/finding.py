"""Finding of one examination of the machine."""

from __future__ import annotations

from dataclasses import dataclass

GOOD, LIMITED, MISSING = STATES = ("ok", "limited", "missing")
"""All works; works with limits; does not work."""


@dataclass(frozen=True)
class Finding:
    """Finding of one examination.

    Attributes
    ----------
    subject : what was examined
    state : one of STATES
    found : what was found
    remedy : command or change that allows more; empty if nothing is to be done
    """

    subject: str
    state: str
    found: str
    remedy: str = ""
