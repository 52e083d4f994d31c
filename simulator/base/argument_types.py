"""Argument parser with one-line errors, and types of options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from simulator.base.console import write_error
from simulator.base.errors import ConfigError, one_line
from simulator.base.suggestions import listed, nearest

Commands = argparse._SubParsersAction


class Parser(argparse.ArgumentParser):
    """Parser with errors of one line, with hints, and without abbreviated options."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **named})

    def error(self, message: str) -> NoReturn:
        """Print an error and exit with code 2."""
        self.exit(2, f"jounce: {one_line(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help on the standard output, where a loss is reported, and an error on the error stream."""
        if file is sys.stdout:
            print(message, end="")
        elif message:
            write_error(message)

    def refuse_unknown(self, unknown: list[str], argv: list[str]) -> None:
        """Exit with an error about unknown arguments, from the parser of the verb in `argv`."""
        parser: argparse.ArgumentParser = self
        for word in argv:
            inner = next((a.choices for a in parser._actions if isinstance(a, Commands) and word in a.choices), None)
            parser = parser if inner is None else inner[word]
        options = [option for action in parser._actions for option in action.option_strings]
        hint = _hint(unknown[0].partition("=")[0], options) if unknown[0].startswith("-") else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        """Convert a text, with a message that names what a number may be; plain argparse names the type of Python."""
        noun = {int: "an integer", float: "a number"}.get(action.type)  # type: ignore[call-overload]
        try:
            return super()._get_value(action, text)
        except argparse.ArgumentError as error:
            raise argparse.ArgumentError(action, f"invalid value; expected {noun}; got {text!r}" if noun else error.message) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action, f"invalid choice; expected one of {listed(names)}; got {value!r}{_hint(str(value), names)}"
            )


def _hint(word: str, known: Iterable[str]) -> str:
    """Return a hint at the nearest known word; empty if no word is near."""
    nearest_word = nearest(word, known)
    return f"; hint: did you mean {nearest_word}?" if nearest_word else ""


class Version(argparse.Action):
    """Print the version and exit. The lookup is slow, so it runs only with the option."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version and exit with code 0."""
        from simulator.base.machine import version

        print(f"jounce {version()}")
        parser.exit()


def number_between(minimum: float, maximum: float, whole: bool = False) -> Callable[[str], float]:
    """Return an argument type: a number from `minimum` to `maximum`, an int if `whole`."""
    kind, noun = (int, "an integer") if whole else (float, "a number")

    def number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = float("nan")
        if not minimum <= value <= maximum:
            raise argparse.ArgumentTypeError(f"invalid value; expected {noun} from {minimum:g} to {maximum:g}; got {text}")
        return value

    return number


def some_text(text: str) -> str:
    """Return a text that is not empty; an argument type. An unset variable of a shell gives an empty one."""
    if not text.strip(" ,"):
        raise argparse.ArgumentTypeError(f"expected a name; got {text!r}")
    return text


def times(text: str) -> tuple[float, ...]:
    """Parse times [s], separated by commas; an argument type."""
    second = number_between(0.0, 1e6)
    return tuple(dict.fromkeys(second(one) for one in text.split(",")))


def yaml_value(text: str) -> Any:
    """Parse a value in YAML, for example a name or a mapping in braces; an argument type."""
    from simulator.base.yaml_reader import parse_yaml

    try:
        return parse_yaml(text, "")
    except ConfigError as error:
        raise argparse.ArgumentTypeError(f"invalid value; expected YAML; got {text!r}: {error.value}") from None
