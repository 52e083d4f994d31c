"""Replace old verbs and options of the command line; `simulator.base.renamed` has the tables."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.base import renamed

CUEING_VERBS = ("test", "compare", "tune")
"""Subcommands of `jounce cueing`; version 0.2 has `tune` only."""
SEVERAL_VALUES = ("--washout", "--platform", "--amplitude")
"""Options of `jounce cueing` that take one value or more."""
ONE_VALUE = ("--gain", "--sets", "--evaluations", "--plugin", "--out")
"""Options of `jounce cueing` that take one value."""


def present_arguments(argv: Sequence[str]) -> list[str]:
    """Return the arguments of the program with the present verbs and options; each old one gives a warning.

    The verb is the first word. Words that are not options, and all words after `--`, stay as they are.
    """
    words = _with_present_verb(list(argv))
    if words[:1] == ["cueing"]:
        words = ["cueing", *_with_cueing_verb(words[1:])]
    return _with_present_options(words)


def _with_present_verb(words: list[str]) -> list[str]:
    for old, new in renamed.COMMANDS.items():
        n = len(old)
        if tuple(words[:n]) == old:
            renamed.warn(" ".join(old), " ".join(new))
            return [*new, *words[n:]]
    return words


def _with_present_options(words: list[str]) -> list[str]:
    """Return the words with the present options of their verb."""
    if tuple(words[:2]) in renamed.COMMANDS.values():  # a subcommand with options of its own
        verbs = [" ".join(words[:2])]
    else:
        verbs = words[:1]
    end = words.index("--") if "--" in words else len(words)
    for n in range(1, end):
        name, equals, value = words[n].partition("=")
        new = next((new for (verb, old), new in renamed.OPTIONS.items() if verb in verbs and old == name), None)
        if new is not None:
            renamed.warn(name, new)
            words[n] = f"{new}{equals}{value}"
    return words


def _with_cueing_verb(words: list[str]) -> list[str]:
    """Return the words after `cueing` with its subcommand in front: `test` without a run, else `compare`."""
    if words[:1] and words[0] in (*CUEING_VERBS, "-h", "--help"):
        return words
    first = _first_positional(words)
    if first is None:
        renamed.warn("cueing", "cueing test")
        return ["test", *words]
    if words[first] == "tune":
        return ["tune", *words[:first], *words[first + 1 :]]
    renamed.warn("cueing RUN", "cueing compare RUN")
    return ["compare", *words]


def _first_positional(words: list[str]) -> int | None:
    """Return the index of the first word after `cueing` that is neither an option nor a value of one; None without such a word."""
    n = 0
    while n < len(words):
        name, equals, _ = words[n].partition("=")
        if name == "--":
            return n + 1 if n + 1 < len(words) else None
        if not name.startswith("-"):
            return n
        n += 1
        if name in ONE_VALUE and not equals:
            n += 1
        elif name in SEVERAL_VALUES and not equals:
            while n < len(words) and not words[n].startswith("-"):
                n += 1
    return None
